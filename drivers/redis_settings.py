"""For the bundled drivers in Python: redis-py's Lock, its client's settings, and an event loop."""
import asyncio, secrets, threading

from template import milliseconds

DEFAULT = "the client's default"
CLIENT_OPTIONS = {"timeout_ms": DEFAULT, "retries": DEFAULT}  # of each command


def whole(options, name, least=0):
    text = options[name]
    if not (text.isascii() and text.isdigit() and least <= int(text) <= 1000):
        raise ValueError(f"{name} is a whole number from {least} to 1000, and not '{text}'")
    return int(text)


def yes(options, name):
    if options[name] not in ("yes", "no"):
        raise ValueError(f"{name} is yes or no, and not '{options[name]}'")
    return options[name] == "yes"


def expires(options):
    """Whether the lock is created with a lease. The library's default is one that never ends."""
    if options["timeout"] not in ("lease", "never"):
        raise ValueError(f"timeout is lease or never, and not '{options['timeout']}'")
    return options["timeout"] == "lease"


def client_settings(package, options):
    """Returns the arguments for a client of `package`, which is redis or a fork of it. The options may be
    missing. Raises a ValueError for invalid ones."""
    settings = {}
    if options.get("timeout_ms", DEFAULT) != DEFAULT:
        settings["socket_timeout"] = milliseconds(options, "timeout_ms") / 1000
    if options.get("retries", DEFAULT) != DEFAULT:
        backoff = package.backoff.ExponentialBackoff()
        settings["retry"] = package.retry.Retry(backoff, whole(options, "retries"))
    return settings


class LockLibrary:
    """The Lock of `package`, which is redis or a fork of it; `client` is its class of clients."""

    OPTIONS = {"sleep_ms": "100", "timeout": "lease"}  # the library's defaults are 100 and never

    @classmethod
    def can(cls, options):
        milliseconds(options, "sleep_ms")
        client_settings(cls.package, options)
        return ["lease", "extend"] if expires(options) else []

    def __init__(self, setup, options):
        self.redis = self.client(**setup["nodes"][0], **client_settings(self.package, options))
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
        except (self.package.exceptions.LockError, KeyError):
            return None


class EventLoop:
    """Runs the coroutines of all sessions on one thread, as a server does."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()
