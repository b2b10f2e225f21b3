#!/usr/bin/env python3
"""The Lock of redis-py's asyncio client, as released: --driver redis-py-asyncio, or
redis-py-asyncio@5.3.1."""
import secrets

import redis
import redis.asyncio
from redis_settings import CLIENT_OPTIONS, EventLoop, client_settings, expires
from template import Driver, milliseconds


class Library:
    NAME, VERSION = "redis-py-asyncio", redis.__version__
    # The defaults of the library are 100 ms between two tries, and no timeout.
    OPTIONS = {"sleep_ms": "100", "timeout": "lease", **CLIENT_OPTIONS}
    loop = None

    @staticmethod
    def can(options):
        milliseconds(options, "sleep_ms")
        client_settings(redis, options)
        return ["lease", "extend"] if expires(options) else []

    def __init__(self, setup, options):
        Library.loop = Library.loop or EventLoop()
        self.redis = redis.asyncio.Redis(**setup["nodes"][0], **client_settings(redis, options))
        self.expires = expires(options)
        self.sleep, self.locks = milliseconds(options, "sleep_ms") / 1000, {}  # by grant

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

    def extend(self, grant, lease_ms):
        return self.refused(lambda: self.locks[grant].extend(lease_ms / 1000, replace_ttl=True))

    def release(self, grant):
        return self.refused(lambda: self.locks.pop(grant).release())

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
