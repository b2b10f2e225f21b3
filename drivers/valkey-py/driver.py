#!/usr/bin/env python3
"""valkey-py's Lock, as released: --driver valkey-py, or valkey-py@6.0.2."""
import importlib.metadata, secrets

import valkey
from redis_settings import CLIENT_OPTIONS, client_settings, expires
from template import Driver, milliseconds


class Library:
    NAME, VERSION = "valkey-py", importlib.metadata.version("valkey")
    # The defaults of the library are 100 ms between two tries, and no timeout.
    OPTIONS = {"sleep_ms": "100", "timeout": "lease", **CLIENT_OPTIONS}

    @staticmethod
    def can(options):
        milliseconds(options, "sleep_ms")
        client_settings(valkey, options)
        return ["lease", "extend"] if expires(options) else []

    def __init__(self, setup, options):
        self.valkey = valkey.Valkey(**setup["nodes"][0], **client_settings(valkey, options))
        self.expires = expires(options)
        self.sleep, self.locks = milliseconds(options, "sleep_ms") / 1000, {}  # by grant

    def acquire(self, key, lease_ms, wait_ms):
        timeout = lease_ms / 1000 if self.expires else None
        lock = self.valkey.lock(key, timeout=timeout, sleep=self.sleep)
        wait = wait_ms / 1000 if wait_ms > 0 else None
        if not lock.acquire(blocking=wait is not None, blocking_timeout=wait):
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
        except (valkey.exceptions.LockError, KeyError):
            return None


if __name__ == "__main__":
    Driver(Library).run()
