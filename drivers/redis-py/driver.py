#!/usr/bin/env python3
"""redis-py's Lock, as released: --driver redis-py, or redis-py@4.5.5."""
import redis
from redis_settings import LockLibrary
from template import Driver


class Library(LockLibrary):
    NAME, VERSION = "redis-py", redis.__version__
    package, client = redis, redis.Redis


if __name__ == "__main__":
    Driver(Library).run()
