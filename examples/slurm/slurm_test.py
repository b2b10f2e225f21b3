"""Runs a suite on a Slurm of two nodes, kills a task in the middle, runs it again, and compares the
merged suite with one that was not divided. Exits 77 without Slurm.

    slurm_test.py DOUBLEHOLD"""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")
NODES = ("n1", "n2")
PARTS = 8
SUITE = """name = "forty"
[experiment]
lock.lease = "300ms"
workload.duration = "700ms"
""" + "".join(f'[column.c{i}]\nworkload.clients = {2 + i % 2}\n' for i in range(10)) + """
[row.mine]
lock.name = "set-nx-px"
[row.fenced]
lock.name = "fenced"
[row.redisson]
lock.name = "redisson"
[row.none]
lock.name = "none"
[[cell]]
row = ["mine", "fenced", "redisson"]
column = [""" + ", ".join(f'"c{i}"' for i in range(10)) + """]

[[cell]]
row = "none"
column = [""" + ", ".join(f'"c{i}"' for i in range(10)) + """]
expect = { exclusion = "violated", lease-exclusion = "any", stock = "any" }
"""


def free_port() -> int:
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


def eventually(what: str, holds, seconds: float = 300):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if value := holds():
            return value
        time.sleep(0.2)
    raise AssertionError(f"never: {what}")


class Slurm:
    """A controller and two nodes on this machine, with their own key and ports."""

    def __init__(self, folder: Path):
        self.folder, self.started = folder, []
        host = socket.gethostname().partition(".")[0]
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)
        nodes = "".join(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=1\n"
                        for node in NODES)
        (folder / "slurm.conf").write_text(f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmUser={os.environ.get("USER", "root")}
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
{nodes}PartitionName=all Nodes={",".join(NODES)} Default=YES State=UP OverSubscribe=EXCLUSIVE
""")
        self.environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf")}

    def __enter__(self):
        at = self.folder
        self.start("munged", "--foreground", "--force", f"--key-file={at}/munge.key", f"--socket={at}/munge.sock",
                   f"--pid-file={at}/munged.pid", f"--log-file={at}/munged.log", f"--seed-file={at}/munge.seed")
        eventually("munged answers", (at / "munge.sock").exists)
        self.start("slurmctld", "-D")
        for node in NODES:
            self.start("slurmd", "-D", "-N", node)
        eventually("two idle nodes", lambda: self.ask("sinfo", "-h", "-N", "-o", "%t").split() == ["idle"] * len(NODES))
        return self

    def __exit__(self, *_):
        self.ask("scancel", "--state=PENDING,RUNNING", f"--user={os.environ.get('USER', 'root')}")
        for process in reversed(self.started):
            process.terminate()
            process.wait()

    def start(self, *words: str):
        log = (self.folder / f"{words[0]}-{len(self.started)}.out").open("w")
        self.started.append(subprocess.Popen(words, env=self.environment, stdout=log, stderr=log))

    def ask(self, *words: str, **more: str) -> str:
        return subprocess.run(words, env=self.environment | more, capture_output=True, text=True, check=False).stdout

    def submit(self, suite: Path, results: Path, **more: str) -> None:
        """Submits the parts and the merge."""
        told = self.ask(str(HERE / "submit.sh"), str(suite), str(PARTS), str(results), JOBS="1", **more)
        assert told.startswith("parts: job "), told

    def wait(self, results: Path) -> None:
        eventually("all jobs ended", lambda: not self.ask("squeue", "-h").strip(), 900)
        for log in sorted(results.glob("*.log")):
            print(f"--- {log.name}\n{log.read_text()}", flush=True)


def outcomes(folder: Path) -> dict[str, list[str]]:
    suite = json.loads((folder / "suite.json").read_text())
    assert len(suite["planned"]) == 40, len(suite["planned"])
    return {cell["name"]: [run["overall"] for run in cell["runs"]] for cell in suite["cells"]}


def children_of(pattern: str) -> list[int]:
    found = subprocess.run(["pgrep", "-f", pattern], capture_output=True, text=True, check=False).stdout
    return [int(pid) for pid in found.split()]


def main(doublehold: str) -> int:
    if missing := [program for program in PROGRAMS if not shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin")]:
        print(f"not tested: {', '.join(missing)} missing (./setup.sh --batch)")
        return SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "slurm").mkdir()
        (folder / "bin").mkdir()
        (folder / "bin" / "doublehold").symlink_to(Path(doublehold).resolve())
        os.environ["PATH"] = f"{folder}/bin:{os.environ['PATH']}:/usr/sbin"
        suite, results = folder / "forty.toml", folder / "results"
        suite.write_text(SUITE)
        subprocess.run(["doublehold", "suite", suite, "--into", folder / "whole", "--jobs", "2"], check=True)

        with Slurm(folder / "slurm") as slurm:
            slurm.submit(suite, results)
            begun = results / "part-3" / "suite.json"
            eventually("part 3 has a run", lambda: begun.exists() and json.loads(begun.read_text())["cells"])
            for pid in children_of(f"^doublehold suite .*--into {results}/part-3 "):
                os.kill(pid, signal.SIGKILL)
            slurm.wait(results)
            merged = results / "merged" / "forty"
            first = outcomes(next(path for path in merged.iterdir() if path.name != "latest"))
            lost = 40 - len(first)
            assert 1 <= lost <= 4, f"{lost} cells of the killed part are missing"
            assert f"{40 - lost} of" in (results / "merge.log").read_text()
            slurm.submit(suite, results, PART="3")
            slurm.wait(results)
        assert outcomes(merged / "latest") == outcomes(folder / "whole"), (results / "merge.log").read_text()
        assert "40 of 40 runs as expected" in (results / "merge.log").read_text()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
