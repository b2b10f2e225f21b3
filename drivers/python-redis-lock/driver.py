#!/usr/bin/env python3
"""python-redis-lock, as released: --driver python-redis-lock, or python-redis-lock@3.7.0.

Leases and waiting times are whole seconds. The library would wait for ever if it were given less
than a second, so the driver then tries again by itself."""
import logging, time

import redis
import redis_lock
from redis_settings import CLIENT_OPTIONS, client_settings, yes
from template import Driver, milliseconds

logging.disable(logging.CRITICAL)


class Library:
    NAME, VERSION = "python-redis-lock", redis_lock.__version__
    OPTIONS = {"auto_renewal": "no", "interval_ms": "20", **CLIENT_OPTIONS}

    @staticmethod
    def can(options):
        milliseconds(options, "interval_ms")
        client_settings(redis, options)
        return ["lease", "extend"] + (["watchdog"] if yes(options, "auto_renewal") else [])

    def __init__(self, setup, options):
        self.redis = redis.StrictRedis(**setup["nodes"][0], **client_settings(redis, options))
        self.renews, self.locks = yes(options, "auto_renewal"), {}  # by grant
        self.interval = milliseconds(options, "interval_ms") / 1000

    def acquire(self, key, lease_ms, wait_ms):
        seconds = seconds_for(lease_ms)
        lock = redis_lock.Lock(self.redis, key, expire=seconds, auto_renewal=self.renews)
        if wait_ms >= 1000:
            # Without a renewal the library refuses to wait longer than the lease.
            wait = wait_ms // 1000 if self.renews else min(wait_ms // 1000, seconds)
            return self.granted(lock, seconds) if lock.acquire(timeout=wait) else None
        give_up = time.monotonic() + wait_ms / 1000
        while True:
            asked_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            if lock.acquire(blocking=False):
                return {**self.granted(lock, seconds), "from_ns": asked_ns}
            if time.monotonic() >= give_up:
                return None
            time.sleep(self.interval)

    def granted(self, lock, seconds):
        self.locks[lock.id] = lock
        return {"grant": lock.id, "validity_ms": 1000 * seconds}

    def extend(self, grant, lease_ms):
        seconds = seconds_for(lease_ms)
        lease = {"validity_ms": 1000 * seconds}
        return self.refused(lambda: self.locks[grant].extend(seconds), lease)

    def release(self, grant):
        return self.refused(lambda: self.locks.pop(grant).release(), {})

    def refused(self, call, done):  # the library refuses by an exception
        try:
            call()
            return done
        except (redis_lock.NotAcquired, KeyError):
            return None


def seconds_for(lease_ms):
    return -(-lease_ms // 1000)


if __name__ == "__main__":
    Driver(Library).run()
