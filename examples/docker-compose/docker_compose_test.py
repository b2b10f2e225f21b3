"""Starts the servers of each file with Docker, and runs the command that the file shows. On
five.yaml it also runs the known answers K14, K24 and K25, and faults on containers; on
sentinels.yaml, a failover.

    docker_compose_test.py DOUBLEHOLD"""
from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

HERE = Path(__file__).resolve().parent
KNOWN = HERE.parents[1] / "compose" / "testdata" / "known"
sys.path.insert(0, str(HERE.parent))
from engine import SKIPPED, docker, engine, make_image, why_not  # noqa: E402

IMAGE = "redis:7.4"
PORT = re.compile(r"\b70\d\d\b")
OF_FIVE = [f"doublehold-redis-{number}" for number in range(1, 6)]
WITH_FAULT = """
lock.name = "{lock}"
lock.lease = "{lease}"
workload.clients = 2
workload.duration = "{duration}"
[[fault]]
kind = "{kind}"
nodes = {nodes}
on = "client 1 after-acquire"
"""


def free_ports(count: int) -> list[int]:
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def answers(port: str) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(port))) == 0


@contextmanager
def servers_of(name: str, folder: Path) -> Iterator[str]:
    """Starts the servers of a file, on ports that are free. Returns the file's text with these ports."""
    text = (HERE / name).read_text()
    named = sorted(set(PORT.findall(text)))
    ports = dict(zip(named, map(str, free_ports(len(named)))))
    text = PORT.sub(lambda found: ports[found[0]], text)
    file = folder / name
    file.write_text(text)

    def compose(*words: str) -> None:
        done = subprocess.run(["docker-compose", "--project-name", "doublehold-test", "--file", file, *words], check=False,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, f"{name}: {done.stdout}"

    try:
        compose("up", "--detach")
        give_up = time.monotonic() + 30
        while not all(map(answers, ports.values())):
            assert time.monotonic() < give_up, f"{name}: no server at one of {ports}\n{docker('ps').stdout}"
            time.sleep(0.1)
        yield text
    finally:
        compose("down", "--timeout", "0")


class Runs:
    def __init__(self, doublehold: str, folder: Path):
        self.doublehold, self.folder = doublehold, folder / "run"

    def run(self, *words: str | Path) -> subprocess.CompletedProcess:
        shutil.rmtree(self.folder, ignore_errors=True)
        done = subprocess.run([self.doublehold, "run", *words, "--into", self.folder], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(" ".join(map(str, words)), "\n ", done.stdout.split("\n")[0])
        return done

    def run_with(self, fault: dict, *words: str) -> subprocess.CompletedProcess:
        experiment = self.folder.with_name("fault.toml")
        experiment.write_text(WITH_FAULT.format(**fault) + fault.get("more", ""))
        return self.run(experiment, *words, "--verbose")

    def verdict(self) -> dict:
        return json.loads((self.folder / "verdict.json").read_text())


def endpoint_of(text: str) -> str:
    comment = re.sub(r"\\\n#\s*", "", text.split("services:")[0])
    return re.search(r"--endpoint (\S+[^`.:\s])", comment)[1]


def check_shown_command(runs: Runs, text: str) -> None:
    lock = re.search(r"--lock (\S+)", text)[1]
    done = runs.run("--lock", lock, "--endpoint", endpoint_of(text), "--duration", "1s")
    assert done.returncode in (0, 2), f"unknown on a busy machine, but never violated: {done.stdout}"


def check_known_answers(runs: Runs, text: str) -> None:
    five = endpoint_of(text)
    for experiment, endpoint in (("k14.toml", five.split(",")[0]), ("k24.toml", five)):
        done = runs.run(KNOWN / experiment, "--topology", "external", "--endpoint", endpoint)
        assert done.stdout.startswith("verdict: violated (exclusion, stock), as expected"), done.stdout
    refused = runs.run(KNOWN / "k25.toml", "--topology", "external", "--endpoint", five, "--container", ",".join(OF_FIVE))
    assert refused.returncode == 3 and "'jump' cannot act on a server" in refused.stdout, refused.stdout


def check_faults_of_the_engine(runs: Runs, text: str) -> None:
    five = ("--endpoint", endpoint_of(text), "--container", ",".join(OF_FIVE))
    # A container takes a second or two to start again, so that the lease is longer than usual.
    restarted = runs.run(*five, "--lock", "redlock", "--faults", "restart", "--lease", "5s", "--duration", "12s")
    assert "exclusion" in restarted.stdout.split("\n")[0], f"three of five nodes lost their keys: {restarted.stdout}"
    fault = {"lock": "redlock", "lease": "1s", "duration": "3s"}
    for more in ({"kind": "pause", "nodes": [1, 2], "more": 'for = "500ms"'}, {"kind": "crash", "nodes": [4, 5]}):
        done = runs.run_with({**fault, **more}, *five)
        assert done.returncode in (0, 2) and "took effect once" in done.stdout, done.stdout
    states = docker("ps", "--format", "{{.Names}} {{.Status}}").stdout.split("\n")
    assert all(any(line.startswith(f"{name} Up") and "Paused" not in line for line in states) for name in OF_FIVE), states
    taken = runs.run("--lock", "redlock", *five[:3], ",".join(OF_FIVE[::-1]))
    assert taken.returncode == 4 and "that container does not run it" in taken.stdout, taken.stdout


def await_all(ports: list[str], question: bytes, hoped: re.Pattern) -> None:
    """Asks all servers until each answers as hoped."""
    give_up = time.monotonic() + 60

    def agrees(port: str) -> bool:
        with socket.create_connection(("127.0.0.1", int(port))) as link:
            link.sendall(question + b"\r\n")
            return hoped.search(link.recv(65536)) is not None

    while not all(map(agrees, ports)):
        assert time.monotonic() < give_up, f"one of {ports} does not answer {hoped} to {question!r}"
        time.sleep(0.1)


def with_own_port(text: str) -> list[str]:
    return re.findall(r"PORT: (\d+)", text)


def check_cluster(runs: Runs, text: str) -> None:
    ports = with_own_port(text)
    await_all(ports, b"CLUSTER INFO", re.compile(b"cluster_state:ok"))
    refused = runs.run("--lock", "set-nx-px", "--endpoint", f"redis://127.0.0.1:{ports[0]}")
    assert refused.returncode == 4 and "a node of a cluster" in refused.stdout, refused.stdout


def check_failover(runs: Runs, text: str) -> None:
    await_all(with_own_port(text), b"INFO sentinel", re.compile(b"slaves=2,sentinels=3"))
    primary = re.search(r"server --port (\d+)", text)[1]
    await_all([primary], b"INFO replication", re.compile(b"(?s)state=online.*state=online"))
    fault = {"lock": "set-nx-px", "lease": "4s", "duration": "8s", "kind": "restart", "nodes": [1], "more": 'for = "4s"'}
    done = runs.run_with(fault, "--endpoint", endpoint_of(text), "--container", "doublehold-primary")
    assert done.returncode in (0, 1, 2), done.stdout
    if done.returncode == 1:  # a failover may lose a lock
        print(done.stdout)
    servers = runs.verdict()["environment"]["redis"]
    assert "another server became the primary" in servers, servers


def main(doublehold: str) -> int:
    if why_not() or shutil.which("docker-compose") is None:
        print("not tested:", why_not() or "needs docker-compose (./setup.sh --batch)")
        return SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        with engine(folder):
            if not make_image(IMAGE, folder, "redis-server"):
                print("not tested: no packages of Debian")
                return SKIPPED
            runs = Runs(doublehold, folder)
            for file in sorted(HERE.glob("*.yaml")):
                with servers_of(file.name, folder) as text:
                    if file.name == "cluster.yaml":
                        check_cluster(runs, text)
                        continue
                    check_shown_command(runs, text)
                    if file.name == "five.yaml":
                        check_known_answers(runs, text)
                        check_faults_of_the_engine(runs, text)
                    if file.name == "sentinels.yaml":
                        check_failover(runs, text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
