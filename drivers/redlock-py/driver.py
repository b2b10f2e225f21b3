#!/usr/bin/env python3
"""redlock-py, as released: --driver redlock-py, or redlock-py@1.0.6. Uses a majority of the nodes,
or the only node."""
import importlib.metadata, logging, secrets, time

import redis
import redlock
from redis_settings import CLIENT_OPTIONS, client_settings, whole
from template import Driver, milliseconds

logging.disable(logging.CRITICAL)


class Library:
    NAME, VERSION = "redlock-py", importlib.metadata.version("redlock-py")
    OPTIONS = {"tries": "3", "retry_delay_ms": "200", **CLIENT_OPTIONS}  # the library's defaults

    @staticmethod
    def can(options):
        whole(options, "tries", least=1)
        if milliseconds(options, "retry_delay_ms") == 0:
            raise ValueError("retry_delay_ms is 1 or more: the library takes 0 for its default")
        client_settings(redis, options)
        return ["lease", "silent-release"]

    def __init__(self, setup, options):
        self.nodes = [{**node, **client_settings(redis, options)} for node in setup["nodes"]]
        self.tries, self.delay_ms = whole(options, "tries"), milliseconds(options, "retry_delay_ms")
        self.managers, self.locks = {}, {}  # by tries, by grant

    def manager(self, tries):
        if tries not in self.managers:
            self.managers[tries] = redlock.Redlock(
                self.nodes, retry_count=tries, retry_delay=self.delay_ms / 1000)
        return self.managers[tries]

    def acquire(self, key, lease_ms, wait_ms):
        manager = self.manager(max(1, min(self.tries, wait_ms // self.delay_ms)))
        # The library's `validity` counts from an instant that it does not report. It lies after
        # this one.
        asked_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        lock = manager.lock(key, lease_ms)
        if not lock:
            return None
        grant = secrets.token_hex(8)
        self.locks[grant] = manager, lock
        return {"grant": grant, "from_ns": asked_ns, "validity_ms": lock.validity}

    def release(self, grant):  # the library reports nothing, not even that it reached no node
        manager, lock = self.locks.pop(grant, (None, None))
        if lock is None:
            return None
        manager.unlock(lock)
        return {}


if __name__ == "__main__":
    Driver(Library).run()
