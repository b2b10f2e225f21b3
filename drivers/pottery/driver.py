#!/usr/bin/env python3
"""Pottery's Redlock, as released: --driver pottery, or pottery@2.3.7. Uses a majority of the nodes,
or the only node."""
import importlib.metadata, logging, secrets

import pottery
import pottery.redlock
import redis
from redis_settings import CLIENT_OPTIONS, client_settings, whole
from template import Driver

logging.disable(logging.CRITICAL)
# Version 3 takes seconds, version 2 milliseconds.
MILLISECOND = 1 if hasattr(pottery.redlock, "AUTO_RELEASE_TIME") else 0.001


class Library:
    NAME, VERSION = "pottery", importlib.metadata.version("pottery")
    OPTIONS = {"extensions": "3", **CLIENT_OPTIONS}  # the library's default

    @staticmethod
    def can(options):
        whole(options, "extensions")
        client_settings(redis, options)
        return ["lease", "extend"]

    def __init__(self, setup, options):
        settings = client_settings(redis, options)
        self.masters = {redis.Redis(**node, **settings) for node in setup["nodes"]}
        self.extensions, self.locks = whole(options, "extensions"), {}  # by grant

    def acquire(self, key, lease_ms, wait_ms):
        # By default the library also refuses if it cannot reach the nodes, and an unknown outcome
        # could not be told from a refusal.
        lock = pottery.Redlock(
            key=key, masters=self.masters, raise_on_redis_errors=True,
            auto_release_time=lease_ms * MILLISECOND, num_extensions=self.extensions)
        how = {"timeout": wait_ms / 1000} if wait_ms > 0 else {"blocking": False}
        if not lock.acquire(**how):
            return None
        grant = secrets.token_hex(8)
        self.locks[grant] = lock
        return {"grant": grant}

    def extend(self, grant, lease_ms):
        if grant not in self.locks:
            return None
        lock = self.locks[grant]
        lock.auto_release_time = lease_ms * MILLISECOND
        return self.refused(lock.extend)

    def release(self, grant):
        return self.refused(self.locks.pop(grant).release) if grant in self.locks else None

    def refused(self, call):  # the library refuses by an exception, which has the nodes' errors too
        try:
            call()
            return {}
        except (pottery.ReleaseUnlockedLock, pottery.ExtendUnlockedLock) as refusal:
            if refusal.redis_errors:
                raise
            return None


if __name__ == "__main__":
    Driver(Library).run()
