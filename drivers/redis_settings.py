"""For the bundled drivers in Python: the settings of redis-py's client, and an event loop."""
import asyncio, threading

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
    """Returns the arguments for a client of `package`, which is redis or a fork of it. Raises a
    ValueError for invalid options."""
    settings = {}
    if options["timeout_ms"] != DEFAULT:
        settings["socket_timeout"] = milliseconds(options, "timeout_ms") / 1000
    if options["retries"] != DEFAULT:
        backoff = package.backoff.ExponentialBackoff()
        settings["retry"] = package.retry.Retry(backoff, whole(options, "retries"))
    return settings


class EventLoop:
    """Runs the coroutines of all sessions on one thread, as a server does."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()
