#!/usr/bin/env python3
"""A driver to copy: SET NX PX and a compare-and-delete over a bare socket, with nothing but Python.

    doublehold driver check -- python3 drivers/template.py
    doublehold run --driver 'python3 drivers/template.py' --faults pause

Put your own library into class Library. The rest is the protocol: docs/driver-protocol.md.
"""
import json, secrets, socket, sys, threading, time
from concurrent.futures import ThreadPoolExecutor

DELETE = "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end"


class Redis:  # replace it by your library; this one parses no arrays
    def __init__(self, host, port):
        self.address, self.stream = (host, port), None

    def call(self, *words):
        try:
            if self.stream is None:
                self.stream = socket.create_connection(self.address, timeout=5).makefile("rwb")
            parts = [str(word).encode() for word in words]
            self.stream.write(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))
            self.stream.flush()
            line = self.stream.readline()
            if line[:1] == b"-" or not line.endswith(b"\r\n"):
                raise OSError(line.decode() or "the connection was closed")
            if line[:1] == b"$":
                length = int(line[1:])
                if length < 0:
                    return None
                text = self.stream.read(length + 2)
                if len(text) < length + 2:
                    raise OSError("the connection was closed")
                return text[:-2].decode()
            if line[:1] == b"*":
                raise OSError("the reply is an array")
            return int(line[1:]) if line[:1] == b":" else line[1:-2].decode()
        except OSError:
            self.stream = None  # a late reply would be taken for another call's
            raise


class Library:
    """One object for each session, used by one thread at a time. None: refused. An exception: the
    outcome is unknown."""

    NAME, VERSION = "template", "1"
    OPTIONS = {"interval_ms": "5"}  # options with their defaults

    @staticmethod
    def can(options):  # raises a ValueError for invalid options
        milliseconds(options, "interval_ms")
        return ["lease"]

    def __init__(self, setup, options):
        self.interval = milliseconds(options, "interval_ms") / 1000  # between two tries
        self.redis = Redis(setup["nodes"][0]["host"], setup["nodes"][0]["port"])
        self.keys = {}  # by grant

    def acquire(self, key, lease_ms, wait_ms):
        give_up, owner = time.monotonic() + wait_ms / 1000, secrets.token_hex(8)
        while True:
            asked_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            if self.redis.call("SET", key, owner, "NX", "PX", lease_ms):
                self.keys[owner] = key
                return {"grant": owner, "from_ns": asked_ns}  # the lease counts from here
            if time.monotonic() >= give_up:
                return None  # another owner has it
            time.sleep(self.interval)

    def release(self, grant):
        return {} if self.redis.call("EVAL", DELETE, 1, self.keys.pop(grant, ""), grant) else None


def milliseconds(options, name):
    text = options[name]
    if not (text.isascii() and text.isdigit() and int(text) <= 3600000):
        raise ValueError(f"{name} is a whole number of milliseconds, up to an hour, and not '{text}'")
    return int(text)


class Driver:
    """The driver protocol for such a library."""

    def __init__(self, library):
        self.library, self.options, self.writing = library, {}, threading.Lock()
        self.sessions, self.threads = [], []

    def answer(self, request, **result):
        with self.writing:
            print(json.dumps({"id": request["id"], **result}), flush=True)

    def hello(self, request):
        known = self.library.OPTIONS
        unknown = ", ".join(request["options"].keys() - known.keys())
        if unknown:
            return self.answer(request, error={"text": f"no such option: {unknown} (there is: {', '.join(known)})"})
        self.options = {**known, **request["options"]}
        try:
            can = self.library.can(self.options)
        except ValueError as error:
            return self.answer(request, error={"text": str(error)})
        service = {"service": self.library.SERVICE} if hasattr(self.library, "SERVICE") else {}
        who = {"name": self.library.NAME, "version": self.library.VERSION}
        self.answer(request, ok={"protocol": 1, **who, "can": can, **service})

    def serve(self, request):  # runs on its session's thread
        members = {name: value for name, value in request.items() if name not in ("id", "op", "session")}
        try:
            done = getattr(self.sessions[request["session"]], request["op"])(**members)
            self.answer(request, **({"no": {}} if done is None else {"ok": done}))
        except Exception as error:
            self.answer(request, error={"text": repr(error)})

    def run(self):
        for request in map(json.loads, sys.stdin):
            if request["op"] in ("acquire", "extend", "release"):
                self.threads[request["session"]].submit(self.serve, request)
            elif request["op"] == "hello":
                self.hello(request)
            elif request["op"] == "setup":
                self.sessions = [self.library(request, self.options) for _ in range(request["sessions"])]
                self.threads = [ThreadPoolExecutor(1) for _ in self.sessions]
                self.answer(request, ok={})
            else:
                return self.answer(request, ok={})


if __name__ == "__main__":
    Driver(Library).run()
