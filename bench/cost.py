#!/usr/bin/env python3
"""The cost of lock libraries, compared with Doublehold's locks.

    bench/cost.py build/doublehold [--only PART ...] [--cycles N] [--json]

Each lock runs behind its driver, on a redis-server of its own. Doublehold's locks are served by
`doublehold driver serve`, so that every lock has the cost of the protocol.

Prints for each lock:
- one uncontended cycle of acquire and release: the commands and bytes that the servers saw, and the
  time (medians of 5);
- one hold of 3 s: renewal commands a second. If the library extends its locks by itself, the lease
  is 3 s;
- 4 clients on one key for 3 s: cycles a second and the longest wait (medians of 3).

A script counts as one EVAL or EVALSHA, plus the commands that it calls in the server.
Absolute times depend on the machine.
"""
from __future__ import annotations

import argparse
import json
import shlex
import socket
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
LEASE_MS, WATCHDOG_MS, WAIT_MS, HOLD_S, CROWD, CROWD_S = 30_000, 3000, 2000, 3.0, 4, 3.0
ROUNDS, CROWDS = 5, 3
LONGEST_WAIT_S = 60


def libraries(program: str) -> list[tuple[str, str, dict, int]]:
    """Returns name, command, options and number of servers of each library."""
    launcher = shlex.quote(str(HERE.parent / "drivers" / "kept.py"))
    kept = lambda name, version="": f"python3 {launcher} {name}" + (f" --version {version}" if version else "")
    ours = lambda name: f"{shlex.quote(program)} driver serve {name}"
    redisson = [(f"redisson {kind}", kept("redisson"), {"kind": kind}, 5 if kind == "redlock" else 1)
                for kind in ("lock", "fair", "spin", "fenced", "multi", "read-write", "redlock")]
    return [("set-nx-px, ours", ours("set-nx-px"), {}, 1), ("redisson, ours", ours("redisson"), {}, 1),
            ("redisson-fair, ours", ours("redisson-fair"), {}, 1), ("redlock, ours", ours("redlock"), {}, 5),
            ("redis-py", kept("redis-py"), {}, 1), ("redsync", kept("redsync"), {}, 1), ("redsync, 5 nodes", kept("redsync"), {}, 5),
            ("node-redlock 5", kept("node-redlock"), {}, 1), ("node-redlock 5, 5 nodes", kept("node-redlock"), {}, 5),
            ("node-redlock 4", kept("node-redlock", "4.2.0"), {}, 1), ("redis-semaphore Mutex", kept("redis-semaphore"), {}, 1),
            ("redis-semaphore Semaphore", kept("redis-semaphore"), {"kind": "semaphore"}, 1), *redisson,
            ("redisson lock, watchdog", kept("redisson"), {"watchdog": "yes"}, 1)]


class Server:
    def __init__(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen(["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
                                        stdout=subprocess.DEVNULL)
        give_up = time.monotonic() + 10
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", self.port))
                break
            except OSError:
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.02)
        self.stream = self.socket.makefile("rwb")

    def info(self) -> dict[str, str]:
        self.stream.write(b"INFO stats\r\n")
        self.stream.flush()
        text = self.stream.read(int(self.stream.readline()[1:]) + 2).decode()
        return dict(line.split(":", 1) for line in text.splitlines() if ":" in line)

    def seen(self) -> tuple[int, int]:
        """Returns the commands and bytes so far. INFO itself counts from the next call on."""
        stats = self.info()
        return int(stats["total_commands_processed"]), int(stats["total_net_input_bytes"]) + int(stats["total_net_output_bytes"])

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Client:
    def __init__(self, command: str, options: dict, ports: list[int], number: int):
        self.process = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.errors: list[str] = []
        threading.Thread(target=lambda: self.errors.extend(self.process.stderr), daemon=True).start()
        self.id = 0
        can = self.ask("hello", protocol=1, options=options)["can"]
        self.hold_lease_ms = WATCHDOG_MS if "watchdog" in can else LEASE_MS
        self.ask("setup", client=number, sessions=1, nodes=[{"host": "127.0.0.1", "port": port} for port in ports],
                 lease_ms=WATCHDOG_MS, seed=1)

    def ask(self, op: str, **members):
        self.id += 1
        self.process.stdin.write(json.dumps({"id": self.id, "op": op, **members}) + "\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"it ended: {''.join(self.errors[-3:]).strip() or self.process.wait()}")
            answer = json.loads(line)
            if answer.get("id") == self.id:
                break
        if "ok" in answer or answer.get("no") is not None:
            return answer.get("ok")
        raise RuntimeError(f"{op}: {answer}")

    def cycle(self, hold_s=0.0) -> float:
        """Acquires, holds and releases. Returns the time until the grant, with refused attempts."""
        begun = time.monotonic()
        lease_ms = self.hold_lease_ms if hold_s else LEASE_MS
        while not (granted := self.ask("acquire", session=0, key="cost", lease_ms=lease_ms, wait_ms=WAIT_MS)):
            if time.monotonic() - begun > LONGEST_WAIT_S:
                raise RuntimeError(f"the lock was not had within {LONGEST_WAIT_S} s")
        waited = time.monotonic() - begun
        if hold_s:
            time.sleep(hold_s)
        self.ask("release", session=0, grant=granted["grant"])
        return waited

    def stop(self):
        try:
            self.ask("bye")
            self.process.stdin.close()
        except (RuntimeError, OSError):
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()


def crowd(clients: list[Client]) -> tuple[float, float]:
    """Returns the cycles a second of all clients together, and the longest wait in s."""
    begun, waits = time.monotonic(), [[] for _ in clients]
    ends = begun + CROWD_S

    def work(client: Client, mine: list[float]):
        while time.monotonic() < ends:
            mine.append(client.cycle())

    with ThreadPoolExecutor(len(clients)) as threads:
        list(threads.map(work, clients, waits))  # list() re-raises the exceptions of the threads
        took_s = time.monotonic() - begun  # each thread's last cycle may have ended later than 3 s
    return sum(map(len, waits)) / took_s, max((max(mine) for mine in waits if mine), default=0.0)


def cost(command: str, options: dict, nodes: int, cycles: int) -> dict[str, float]:
    servers, clients = [], []
    try:
        servers = [Server() for _ in range(nodes)]
        ports = [server.port for server in servers]
        total = lambda: [sum(column) for column in zip(*(server.seen() for server in servers))]
        clients.append(Client(command, options, ports, 1))
        for _ in range(20):
            clients[0].cycle()
        rounds = []
        asking = total()
        # The commands and bytes of the measurement itself.
        asking = [after - before for before, after in zip(asking, total())]
        for _ in range(ROUNDS):
            before, begun = total(), time.monotonic()
            for _ in range(cycles):
                clients[0].cycle()
            took_us = (time.monotonic() - begun) / cycles * 1e6
            commands, size = ((after - first - own) / cycles for first, after, own in zip(before, total(), asking))
            rounds.append((commands, size, took_us))
        commands, size, took_us = (statistics.median(column) for column in zip(*rounds))
        before, begun = total(), time.monotonic()
        clients[0].cycle(hold_s=HOLD_S)
        held_s = time.monotonic() - begun
        renewals = (total()[0] - before[0] - asking[0] - commands) / held_s
        clients += [Client(command, options, ports, number) for number in range(2, CROWD + 1)]
        for client in clients:
            client.cycle()
        each = [crowd(clients) for _ in range(CROWDS)]
        return {"commands": commands, "bytes": size, "cycle_us": took_us, "renewals_per_s": renewals,
                "crowd_cycles_per_s": statistics.median(rate for rate, _ in each), "crowd_longest_wait_s": statistics.median(wait for _, wait in each)}
    finally:
        for one in [*clients, *servers]:
            one.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--only", action="append", metavar="PART", help="those whose names have it; may be given again")
    parser.add_argument("--cycles", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    if asked.cycles < 1:
        parser.error("--cycles: one at least")
    chosen = [each for each in libraries(str(Path(asked.program).resolve()))
              if not asked.only or any(part in each[0] for part in asked.only)]
    if not chosen:
        parser.error(f"no library's name has {' or '.join(asked.only)} in it")
    told = {}
    head = f"{'library':28} {'commands':>9} {'bytes':>7} {'us a cycle':>11} {'renewals/s':>11} {'4 clients: cycles/s':>20} {'longest wait':>13}"
    if not asked.json:
        print(head, flush=True)
    for name, command, options, nodes in chosen:
        try:
            row = told[name] = cost(command, options, nodes, asked.cycles)
        except RuntimeError as why:
            told[name] = {"error": str(why)}
            print(f"{name:28} {why}", file=sys.stderr if asked.json else sys.stdout, flush=True)
            continue
        if not asked.json:
            print(f"{name:28} {row['commands']:9.1f} {row['bytes']:7.0f} {row['cycle_us']:11.0f} {row['renewals_per_s']:11.1f} "
                  f"{row['crowd_cycles_per_s']:20.0f} {row['crowd_longest_wait_s'] * 1e3:10.0f} ms", flush=True)
    if asked.json:
        print(json.dumps(told, indent=2))
    return 0 if all("error" not in row for row in told.values()) else 4


if __name__ == "__main__":
    sys.exit(main())
