#!/usr/bin/env python3
"""aioredlock, as released: --driver aioredlock, or aioredlock@0.7.1. Uses a majority of the nodes,
or the only node. All sessions of a client share a lock manager, as in a server."""
import importlib.metadata, logging, re, secrets

from aioredlock import Aioredlock, errors
from redis_settings import EventLoop, whole, yes
from template import Driver

logging.disable(logging.CRITICAL)
# Its other exceptions mean that a node could not be reached. Before version 0.7.2 there are none.
REFUSED = getattr(errors, "LockAcquiringError", errors.LockError)


class Library:
    NAME, VERSION = "aioredlock", importlib.metadata.version("aioredlock")
    # The library's defaults.
    OPTIONS = {"auto_extend": "no", "tries": "3", "retry_delay_ms": "100-300"}
    loop, managers = None, {}  # by tries and lease

    @staticmethod
    def can(options):
        whole(options, "tries", least=1)
        delays(options)
        return ["lease", "extend"] + (["watchdog"] if yes(options, "auto_extend") else [])

    def __init__(self, setup, options):
        Library.loop = Library.loop or EventLoop()
        self.nodes = [(node["host"], node["port"]) for node in setup["nodes"]]
        self.extends, self.tries = yes(options, "auto_extend"), whole(options, "tries")
        self.delays_ms = delays(options)
        self.locks = {}  # by grant

    async def lock(self, key, lease_ms, wait_ms):
        lease, tries = lease_ms / 1000, min(self.tries, 1 + wait_ms // self.delays_ms[1])
        if (tries, lease) not in self.managers:
            least, most = (delay / 1000 for delay in self.delays_ms)
            self.managers[tries, lease] = Aioredlock(
                self.nodes, retry_count=tries, retry_delay_min=least, retry_delay_max=most,
                internal_lock_timeout=lease)
        timeout = None if self.extends else lease
        return await self.managers[tries, lease].lock(key, lock_timeout=timeout)

    def acquire(self, key, lease_ms, wait_ms):
        lock = self.refused(self.lock(key, lease_ms, wait_ms))
        if lock is None:
            return None
        grant = secrets.token_hex(8)
        self.locks[grant] = lock
        return {"grant": grant}

    def extend(self, grant, lease_ms):
        lock = self.locks.get(grant)
        if lock is None or not lock.valid:
            return None
        return self.refused(lock.lock_manager.extend(lock, lease_ms / 1000), {})

    def release(self, grant):
        lock = self.locks.pop(grant, None)
        return self.refused(lock.release(), {}) if lock else None

    def refused(self, call, done=None):  # the library refuses by an exception
        try:
            return self.loop.run(call) or done
        except REFUSED:
            return None


def delays(options):
    text = options["retry_delay_ms"]
    found = re.fullmatch(r"([0-9]{1,7})(?:-([0-9]{1,7}))?", text)
    if not found or not 0 < int(found[1]) <= int(found[2] or found[1]):
        raise ValueError(f"retry_delay_ms is in milliseconds, as 200 or 100-300, and not '{text}'")
    return int(found[1]), int(found[2] or found[1])


if __name__ == "__main__":
    Driver(Library).run()
