#!/usr/bin/env python3
"""sherlock's RedisLock, as released: --driver sherlock, or sherlock@0.4.0.

Leases are whole seconds."""
import importlib.metadata, secrets

import redis
import sherlock
from redis_settings import CLIENT_OPTIONS, client_settings
from template import Driver, milliseconds


class Library:
    NAME, VERSION = "sherlock", importlib.metadata.version("sherlock")
    # The interval is the library's default.
    OPTIONS = {"expire": "lease", "retry_interval_ms": "100", **CLIENT_OPTIONS}

    @staticmethod
    def can(options):
        client_settings(redis, options)
        if milliseconds(options, "retry_interval_ms") == 0:
            raise ValueError("retry_interval_ms is 1 or more: with 0 the library waits for ever")
        if options["expire"] not in ("lease", "never"):
            raise ValueError(f"expire is lease or never, and not '{options['expire']}'")
        return ["lease", "extend"] if options["expire"] == "lease" else []

    def __init__(self, setup, options):
        self.client = redis.StrictRedis(**setup["nodes"][0], **client_settings(redis, options))
        self.interval = milliseconds(options, "retry_interval_ms") / 1000
        self.expires, self.locks = options["expire"] == "lease", {}  # by grant

    def acquire(self, key, lease_ms, wait_ms):
        seconds = seconds_for(lease_ms) if self.expires else None
        lock = sherlock.RedisLock(
            key, client=self.client, expire=seconds, timeout=wait_ms / 1000,
            retry_interval=self.interval)
        try:
            if not lock.acquire(blocking=wait_ms > 0):
                return None
        except sherlock.LockTimeoutException:
            return None
        grant = secrets.token_hex(8)
        self.locks[grant] = lock
        return {"grant": grant, **self.lease(seconds)}

    def extend(self, grant, lease_ms):
        if grant not in self.locks:
            return None
        lock = self.locks[grant]
        lock.expire = seconds_for(lease_ms)
        return self.lease(lock.expire) if lock.renew() else None

    def release(self, grant):
        lock = self.locks.pop(grant, None)
        if lock is None:
            return None
        try:
            lock.release()
            return {}
        except sherlock.LockException:
            return None

    def lease(self, seconds):
        return {"validity_ms": 1000 * seconds} if self.expires else {}


def seconds_for(lease_ms):
    return -(-lease_ms // 1000)


if __name__ == "__main__":
    Driver(Library).run()
