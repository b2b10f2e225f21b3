#!/usr/bin/env python3
"""kazoo's Lock on ZooKeeper, as released: --driver kazoo, or kazoo@2.9.0.

The session's timeout is the lease."""
import json, logging, secrets

import kazoo
from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import LockTimeout
from template import Driver

logging.disable(logging.CRITICAL)


class Library:
    NAME, VERSION, SERVICE = "kazoo", kazoo.__version__, "zookeeper"
    OPTIONS = {}

    @staticmethod
    def can(options):
        return ["lease", "lost", "token", "watchdog"]

    def __init__(self, setup, options):
        self.locks = {}  # by grant
        hosts = ",".join(f"{node['host']}:{node['port']}" for node in setup["nodes"])
        self.client = KazooClient(hosts, timeout=setup["lease_ms"] / 1000)
        self.client.add_listener(self.listen)
        self.client.start(timeout=15)

    def listen(self, state):  # in kazoo's thread; must not wait
        if state == KazooState.LOST:  # SUSPENDED may still end well
            for grant in list(self.locks):
                with DRIVER.writing:
                    print(json.dumps({"lost": {"grant": grant}}), flush=True)

    def acquire(self, key, lease_ms, wait_ms):
        lock = self.client.Lock("/doublehold/" + key.replace("/", "|"), secrets.token_hex(4))
        try:
            wait = wait_ms / 1000 if wait_ms > 0 else None
            if not lock.acquire(blocking=wait is not None, timeout=wait):
                return None
        except LockTimeout:
            return None
        grant = secrets.token_hex(8)
        token = self.client.exists(f"{lock.path}/{lock.node}").czxid
        self.locks[grant] = lock
        return {"grant": grant, "token": token}

    def release(self, grant):
        lock = self.locks.pop(grant, None)
        return {} if lock is not None and lock.release() else None


DRIVER = Driver(Library)
if __name__ == "__main__":
    DRIVER.run()
