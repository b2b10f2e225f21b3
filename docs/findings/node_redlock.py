#!/usr/bin/env python3
"""What node-redlock says of a lease that it waited for, and leaves on a minority between its tries: docs/findings.md.

    docs/findings/node_redlock.py [VERSION]

Speaks the driver protocol to the library, unmodified, on redis-servers of its own. Prints what it saw.
"""
import json
import select
import socket
import subprocess
import sys
import time
from pathlib import Path

KEPT = Path(__file__).resolve().parents[2] / "drivers" / "kept.py"
LEASE_MS = 2000


class Server:
    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""],
                                        stdout=subprocess.DEVNULL)
        time.sleep(0.5)

    def ask(self, *words) -> list[str]:
        return subprocess.run(["redis-cli", "-p", str(self.port), *words], capture_output=True, text=True).stdout.split()


class Library:
    def __init__(self, words: list[str], servers: list[Server]):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.tell(1, "hello", protocol=1, options={})
        self.name = self.answer()["ok"]
        nodes = [{"host": "127.0.0.1", "port": server.port} for server in servers]
        self.tell(2, "setup", client=1, sessions=1, nodes=nodes, lease_ms=LEASE_MS, seed=1)
        self.answer()

    def tell(self, number: int, op: str, **members) -> None:
        self.process.stdin.write(json.dumps({"id": number, "op": op, **members}) + "\n")
        self.process.stdin.flush()

    def answer(self) -> dict:
        return json.loads(self.process.stdout.readline())

    def ask_for(self, key: str, wait_ms: int) -> None:
        self.tell(3, "acquire", session=0, key=key, lease_ms=LEASE_MS, wait_ms=wait_ms)

    def end(self) -> None:
        self.tell(4, "bye")
        self.process.wait()


def waited_for(words: list[str], servers: list[Server]) -> None:
    library = Library(words, servers[:1])
    print(f"{library.name['name']} {library.name['version']}")
    servers[0].ask("SET", "a", "another's", "PX", "1000")
    library.ask_for("a", wait_ms=3000)
    left = library.answer()["ok"]["validity_ms"]
    print(f"  granted after another's lease of 1000 ms: of {LEASE_MS} ms, {left} are left by what it says, {servers[0].ask('PTTL', 'a')[0]} on the server")
    library.end()


def between_tries(words: list[str], servers: list[Server]) -> None:
    library = Library(words, servers)
    for server in servers[1:]:
        server.ask("SET", "b", "another's")
    library.ask_for("b", wait_ms=2000)
    seen = []
    while not select.select([library.process.stdout], [], [], 0)[0]:
        seen.append(servers[0].ask("EXISTS", "b") == ["1"])
    library.answer()
    print(f"  until it gives up on a majority that another has, its key is on the third node in {sum(seen)} of {len(seen)} looks")
    library.end()


def main() -> None:
    words = [sys.executable, str(KEPT), "node-redlock", *(["--version", sys.argv[1]] if len(sys.argv) > 1 else [])]
    if (installed := subprocess.run([*words, "--install"])).returncode != 0:
        sys.exit(installed.returncode)  # it has said why
    servers = [Server() for _ in range(3)]
    try:
        waited_for(words, servers)
        between_tries(words, servers)
    finally:
        for server in servers:
            server.process.terminate()
            server.process.wait()


if __name__ == "__main__":
    main()
