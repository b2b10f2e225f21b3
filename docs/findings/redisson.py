#!/usr/bin/env python3
"""What Redisson does when a server is slow to answer, and when a lease is over: docs/findings.md.

    docs/findings/redisson.py [VERSION]

Speaks the driver protocol to the library, unmodified, on a redis-server of its own that DEBUG SLEEP makes slow. Prints what it saw.
"""
import json
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

KEPT = Path(__file__).resolve().parents[2] / "drivers" / "kept.py"


class Server:
    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--enable-debug-command", "yes"],
                                        stdout=subprocess.DEVNULL)
        time.sleep(0.5)

    def ask(self, *words) -> list[str]:
        return subprocess.run(["redis-cli", "-p", str(self.port), *words], capture_output=True, text=True).stdout.split()

    def hang_in_background(self, seconds: int) -> None:
        threading.Thread(target=self.ask, args=("DEBUG", "SLEEP", str(seconds))).start()
        time.sleep(0.3)


class Library:
    def __init__(self, server: Server, words: list[str], kind: str):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.id = 0
        self.name = self.ask("hello", protocol=1, options={"kind": kind})["ok"]
        self.ask("setup", client=1, sessions=1, nodes=[{"host": "127.0.0.1", "port": server.port}], lease_ms=30_000, seed=1)
        self.release(self.acquire("warm")["ok"]["grant"])

    def ask(self, op: str, **members) -> dict:
        self.id += 1
        self.process.stdin.write(json.dumps({"id": self.id, "op": op, **members}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return {name: value for name, value in answer.items() if name != "id"}

    def acquire(self, key: str, lease_ms: int = 30_000) -> dict:
        return self.ask("acquire", session=0, key=key, lease_ms=lease_ms, wait_ms=0)

    def release(self, grant: str) -> dict:
        return self.ask("release", session=0, grant=grant)


def short(answer: dict) -> str:
    return "error: " + answer["error"]["text"][:90] if "error" in answer else ", ".join(answer)


def hang(library: Library, server: Server) -> None:
    server.hang_in_background(5)
    answer = library.acquire("a")
    print(f"  the server hangs for 5 s during acquire: {short(answer)}; entered {server.ask('HVALS', 'a')} times")
    if "ok" in answer:
        released = library.release(answer["ok"]["grant"])
        print(f"    its release: {short(released)}; still there: {server.ask('HVALS', 'a')}, for {server.ask('PTTL', 'a')} ms")
    grant = library.acquire("b")["ok"]["grant"]
    server.hang_in_background(5)
    print(f"  the server hangs for 5 s during release: {short(library.release(grant))}; still there: {server.ask('HVALS', 'b')}")


def main() -> None:
    words = [sys.executable, str(KEPT), "redisson", *(["--version", sys.argv[1]] if len(sys.argv) > 1 else [])]
    if (installed := subprocess.run([*words, "--install"])).returncode != 0:
        sys.exit(installed.returncode)  # KEPT has printed the reason
    server = Server()
    try:
        for kind in ("lock", "fair", "read-write", "spin", "fenced"):
            library = Library(server, words, kind)
            print(f"{library.name['name']} {library.name['version']}")
            if kind in ("lock", "fair"):
                hang(library, server)
            grant = library.acquire("c", lease_ms=300)["ok"]["grant"]
            time.sleep(0.6)
            print(f"  release 300 ms after the lease was over, nobody else having the lock: {short(library.release(grant))}")
            library.ask("bye")
    finally:
        server.process.terminate()
        server.process.wait()


if __name__ == "__main__":
    main()
