#!/usr/bin/env python3
"""redis-py's Lock, as released: --driver redis-py, or redis-py@4.5.5."""
import secrets

import redis
from redis_settings import expires
from template import Driver, milliseconds


class Library:
    NAME, VERSION = "redis-py", redis.__version__
    OPTIONS = {"sleep_ms": "100", "timeout": "lease"}  # the library's defaults are 100 and never

    @staticmethod
    def can(options):
        milliseconds(options, "sleep_ms")
        return ["lease", "extend"] if expires(options) else []

    def __init__(self, setup, options):
        self.redis = redis.Redis(setup["nodes"][0]["host"], setup["nodes"][0]["port"])
        self.expires = expires(options)
        self.sleep, self.locks = milliseconds(options, "sleep_ms") / 1000, {}  # by grant

    def acquire(self, key, lease_ms, wait_ms):
        lock = self.redis.lock(key, timeout=lease_ms / 1000 if self.expires else None, sleep=self.sleep)
        if not lock.acquire(blocking=wait_ms > 0, blocking_timeout=wait_ms / 1000 if wait_ms > 0 else None):
            return None
        grant = secrets.token_hex(8)
        self.locks[grant] = lock
        return {"grant": grant}

    def extend(self, grant, lease_ms):
        return self.refused(lambda: self.locks[grant].extend(lease_ms / 1000, replace_ttl=True))

    def release(self, grant):
        return self.refused(lambda: self.locks.pop(grant).release())

    def refused(self, call):  # the library refuses by an exception
        try:
            call()
            return {}
        except (redis.exceptions.LockError, KeyError):
            return None


if __name__ == "__main__":
    Driver(Library).run()
