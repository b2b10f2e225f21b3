#!/usr/bin/env python3
"""The Lock of redis-py's asyncio client, as released: --driver redis-py-asyncio, or
redis-py-asyncio@5.3.1."""
import secrets

import redis
import redis.asyncio
from redis_settings import CLIENT_OPTIONS, EventLoop, LockLibrary
from template import Driver


class Library(LockLibrary):
    NAME, VERSION = "redis-py-asyncio", redis.__version__
    OPTIONS = {**LockLibrary.OPTIONS, **CLIENT_OPTIONS}
    package, client = redis, redis.asyncio.Redis
    loop = None

    def __init__(self, setup, options):
        Library.loop = Library.loop or EventLoop()
        super().__init__(setup, options)

    def acquire(self, key, lease_ms, wait_ms):
        timeout = lease_ms / 1000 if self.expires else None

        async def acquired():  # by default, the lock belongs to the thread that creates it
            lock = self.redis.lock(key, timeout=timeout, sleep=self.sleep)
            wait = wait_ms / 1000 if wait_ms > 0 else None
            granted = await lock.acquire(blocking=wait is not None, blocking_timeout=wait)
            return lock if granted else None

        lock, grant = self.loop.run(acquired()), secrets.token_hex(8)
        if lock is None:
            return None
        self.locks[grant] = lock
        return {"grant": grant}

    def refused(self, call):  # the library refuses by an exception
        async def called():  # in version 5, a part of the call is no coroutine
            await call()

        try:
            self.loop.run(called())
            return {}
        except (redis.exceptions.LockError, KeyError):
            return None


if __name__ == "__main__":
    Driver(Library).run()
