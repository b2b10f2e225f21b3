#!/usr/bin/env python3
"""The performance limits of Doublehold: most as ratios within one run, some absolute.

    bench/run.py BUILD_FOLDER [--all]

Prints one line for each figure: median, spread, and its limit if it has one. Exits 1 when a limit
is missed. --all adds the searches that take minutes, and ten times longer files. A figure
that depends on the machine's load is measured in turns with its counterpart. Both run on the same
core unless noted otherwise (bench/servers.h says why).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from figures import Figure, run_json
from service_figures import service_figures


def recorder_figures(build: Path) -> list[Figure]:
    figures = []
    shim = build / "libdoublehold_clock_shim.so"
    with tempfile.TemporaryFile() as page:
        # A page of zeros is not a clock page, so the shim returns the machine's time.
        page.truncate(4096)
        for name, environment in (
            ("one event, time stamp included", {}),
            ("the same under the clock shim", {"LD_PRELOAD": str(shim)}),
        ):
            command = [str(build / "bench_recorder"), "--benchmark_format=json", "--benchmark_repetitions=9",
                       "--benchmark_min_time=0.1", "--benchmark_enable_random_interleaving=true"]
            results = [r for r in run_json(command, environment)["benchmarks"] if r["run_type"] == "iteration"]

            def ns(benchmark: str) -> list[float]:
                return [1e9 / r["items_per_second"] for r in results if r["name"].startswith(benchmark)]

            clock = median(ns("ReadClock"))
            figures.append(Figure(f"recorder: {name} : its clock_gettime", [each / clock for each in ns("RecordEvents")], "",
                                  6, at_least=False, beside=f"{median(ns('RecordEvents')):.0f} ns, {clock:.0f} ns"))
    return figures


def checker_figures(build: Path, folder: Path, operations: int) -> list[Figure]:
    """Judging: one pass over a file."""
    result = run_json([str(build / "bench_checker"), str(folder), str(operations)])

    def beside_bare(shape: str) -> list[float]:
        return [seconds / bare for seconds, bare in zip(result[shape]["seconds"], result[shape]["bare_seconds"])]

    def rate(shape: str) -> str:
        return f"{result[shape]['operations'] / median(result[shape]['seconds']) / 1e6:.0f} M op/s"

    scans = ("in_order", "unknown", "merged")
    ratios = [with_unknown / without
              for with_unknown, without in zip(result["unknown"]["seconds"], result["in_order"]["seconds"])]
    return [
        Figure("exclusion: one lock, in time order : bare pass", beside_bare("in_order"), "", 8, at_least=False,
               beside=rate("in_order")),
        Figure("exclusion: 8 logs merged, 10,000 locks : bare pass", beside_bare("merged"), "", 12, at_least=False,
               beside=rate("merged")),
        Figure("exclusion: time with 1 % of unknown outcome : without", ratios, "", 1.2, at_least=False),
        Figure("exclusion: memory beside the mapped file", [result[shape]["memory_mb"] for shape in scans], "MB", 16,
               at_least=False),
    ]


def path_figures(build: Path) -> list[Figure]:
    result = run_json([str(build / "bench_paths")])
    cycles = result["cycles"]
    ratios = [ours / bare for ours, bare in zip(cycles["doublehold_per_s"], cycles["bare_per_s"])]
    return [
        Figure("set-nx-px cycles/s, recorded : bare hiredis", ratios, "", 0.90, at_least=True,
               beside=f"bare {median(cycles['bare_per_s']):.0f}/s, ours {median(cycles['doublehold_per_s']):.0f}/s"),
    ]


def variant_figures(build: Path) -> list[Figure]:
    """Each variant against a bare loop that sends the same commands, and the cost of waiting and
    quorums."""
    result = run_json([str(build / "bench_variants")])
    figures = []
    for variant in result["variants"]:
        for name, how in (("alone", "alone"), ("contended", "8 clients on one key")):
            rates = variant[name]
            ratios = [ours / bare for ours, bare in zip(rates["ours_per_s"], rates["bare_per_s"])]
            figures.append(Figure(f"{variant['lock']} : bare hiredis, {how}", ratios, "", 0.85, at_least=True,
                                  beside=f"bare {median(rates['bare_per_s']):.0f}/s,"
                                         f" ours {median(rates['ours_per_s']):.0f}/s"))
    hand_over, quorum = result["hand_over"], result["quorum"]
    round_trip = median(hand_over["round_trip_us"])
    figures.append(Figure("redisson: hand-over, in round trips",
                          [taken / round_trip for taken in hand_over["hand_over_us"]], "", 3, at_least=False,
                          beside=f"{median(hand_over['hand_over_us']):.0f} us, a round trip {round_trip:.0f} us"))
    figures.append(Figure("redlock at once, 5 nodes : one node, a grant",
                          [q / s for q, s in zip(quorum["quorum_us"], quorum["single_us"])], "", 4, at_least=False,
                          beside=f"{median(quorum['quorum_us']):.0f} us : {median(quorum['single_us']):.0f} us"))
    return figures


TOXIPROXY = "github.com/Shopify/toxiproxy/v2/cmd/server@v2.5.0"


def toxiproxy_program(folder: Path) -> Path | None:
    """Returns the path of Toxiproxy's server, built with Go, or None when it is unavailable.
    DOUBLEHOLD_BENCH_CACHE, if set, is the folder for the built program."""
    cache = Path(os.environ.get("DOUBLEHOLD_BENCH_CACHE", folder / "toxiproxy"))
    program = cache / "bin" / "server"
    if program.exists():
        return program
    go = shutil.which("go")
    if go is None:
        print("skipped: the comparison with Toxiproxy, which is built with Go: no `go` on PATH")
        return None
    environment = {**os.environ, "GOPATH": str(cache / "go"), "GOBIN": str(cache / "bin"), "GOFLAGS": "-modcacherw"}
    done = subprocess.run([go, "install", TOXIPROXY], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        print(f"skipped: the comparison with Toxiproxy: go install failed: {done.stderr.strip().splitlines()[-1:]}")
        return None
    return program


def proxy_figures(build: Path, folder: Path) -> list[Figure]:
    toxiproxy = toxiproxy_program(folder)
    result = run_json([str(build / "bench_proxy"), *(["--toxiproxy", str(toxiproxy)] if toxiproxy else [])])

    def ratios(clients: str, what: str, ours: str, other: str) -> list[float]:
        return [a / b for a, b in zip(result[clients][ours][what], result[clients][other][what])]

    def rates(clients: str, *ways: str) -> str:
        return ", ".join(f"{way} {median(result[clients][way]['per_s']):.0f}/s" for way in ways)

    one = result["one"]
    added = [through - direct for through, direct in zip(one["proxy"]["p50_us"], one["direct"]["p50_us"])]
    figures = [
        Figure("proxy: added to the median call over TCP", added, "us", 40, at_least=False,
               beside=f"direct {median(one['direct']['p50_us']):.1f} us, through {median(one['proxy']['p50_us']):.1f} us"),
        Figure("proxy : direct, one client", ratios("one", "per_s", "proxy", "direct"), "", 0.45, at_least=True,
               beside=f"{rates('one', 'direct', 'proxy')}; a bare loop "
                      f"{median(ratios('one', 'per_s', 'bare', 'direct')):.2f} of direct"),
        Figure("proxy: one link, pipelined by 16", [rate / 1000 for rate in result["pipeline"]["proxy_per_s"]], "k/s",
               200, at_least=True, beside=f"a bare loop {median(result['pipeline']['bare_per_s']) / 1000:.0f} k/s"),
    ]
    for clients, name in (("one", "one client"), ("many", "50 clients")):
        if not toxiproxy:
            break
        figures.append(Figure(f"proxy : Toxiproxy, {name}", ratios(clients, "per_s", "proxy", "toxiproxy"), "", 1.3,
                              at_least=True, beside=rates(clients, "proxy", "toxiproxy")))
        for percentile in ("p50_us", "p99_us"):
            figures.append(Figure(f"proxy : Toxiproxy, {percentile[:3]} of {name}",
                                  ratios(clients, percentile, "proxy", "toxiproxy"), "", 1.0, at_least=False,
                                  beside=f"{median(result[clients]['proxy'][percentile]):.0f} us : "
                                         f"{median(result[clients]['toxiproxy'][percentile]):.0f} us"))
    for delay in result["delays"]:
        late_us = sorted(delay["late_us"])
        left_out = delay["left_out"]
        if len(late_us) < left_out:
            print(f"skipped: how exactly {delay['asked_ms']:g} ms are met: the machine itself was late in most of the time")
            continue
        name = f"proxy: a delay of {delay['asked_ms']:g} ms is late by"
        figures.append(Figure(f"{name}, median", [median(late_us) / 1000], "ms", 0.3, at_least=False))
        figures.append(Figure(f"{name}, p99", [late_us[int(0.99 * (len(late_us) - 1))] / 1000], "ms", 1.0,
                              at_least=False, beside=f"{len(late_us)} of them, {late_us[0]:.0f} us at least; {left_out} left out, in"
                                     " which the machine was late by itself"))
    return figures


def reader_figures(build: Path, folder: Path) -> list[Figure]:
    """Reading other tools' histories, from a file to operations. Measured in CPU time, which does
    not depend on the machine's load."""
    result = run_json([str(build / "bench_readers"), str(folder)])

    def shares(format: str, bare: str) -> list[float]:
        return [ours / alone for ours, alone in zip(result[format]["mb_per_s"], result[bare]["bare_mb_per_s"])]

    def speed(format: str) -> str:
        return f"{median(result[format]['mb_per_s']):.0f} MB/s, a file of {result[format]['file_mb']:.0f} MB"

    judging = result["judging"]
    judged = f"judging {judging['claims']} claims of {judging['operations']:,} operations"
    figures = [Figure(judged, judging["seconds"], "s", None, at_least=False),
               Figure("judging them, peak memory per hold", judging["bytes_per_hold"], "B", None,
                      at_least=False),
               Figure("reading our history.jsonl : bare simdjson", shares("ours", "ours"), "", 0.5,
                      at_least=True, beside=speed("ours"))]
    # simdjson cannot read EDN, so EDN is compared with simdjson's pass over the same history in
    # JSON.
    for format, least in (("jsonl", 0.25), ("edn", 0.12)):
        figures.append(Figure(f"reading {format} to operations : bare simdjson", shares(format, "jsonl"), "", least,
                              at_least=True, beside=speed(format)))
        figures.append(Figure(f"reading {format}, memory beside the operations", [result[format]["memory_mb"]], "MB", 16,
                              at_least=False))
    return figures


def porcupine_program(folder: Path) -> tuple[Path, list[Path]] | None:
    """Returns the path of Porcupine with Doublehold's models, built with Go, and the logs of
    Porcupine's own tests. Returns None when Porcupine is unavailable."""
    go = shutil.which("go")
    if go is None:
        print("skipped: the comparison with Porcupine, which is built with Go: no `go` on PATH")
        return None
    cache = Path(os.environ.get("DOUBLEHOLD_BENCH_CACHE", folder / "porcupine"))
    program = cache / "bin" / "porcupine-bench"
    source = Path(__file__).parent / "porcupine"
    environment = {**os.environ, "GOPATH": str(cache / "go"), "GOFLAGS": "-modcacherw"}
    done = subprocess.run([go, "build", "-o", str(program), "."], cwd=source, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        print(f"skipped: the comparison with Porcupine: go build failed: {done.stderr.strip().splitlines()[-1:]}")
        return None
    where = subprocess.run([go, "list", "-m", "-f", "{{.Dir}}", "github.com/anishathalye/porcupine"], cwd=source,
                           capture_output=True, text=True, env=environment)
    data = Path(where.stdout.strip()) / "test_data"
    logs = sorted(data.glob("jepsen/*.log")) + sorted(data.glob("kv/c50-ok.txt"))
    return program, [log for log in logs if log.stat().st_size > 0]


class Asked:
    """A program that measures a history for each line of its input."""

    def __init__(self, command: list[str]) -> None:
        self._program = command[0]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def answer(self) -> Any:
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"{self._program}: exit {self._process.wait()}")
        return json.loads(line)

    def seconds(self, one: dict, times: int) -> float:
        """Returns the median of `times` searches. Stores the program's complete answer in `one`."""
        self._process.stdin.write(f"{times} {one['file']}\n")
        self._process.stdin.flush()
        answer = self.answer()
        one[self._program] = answer
        return median(answer["seconds"])

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


def linear_figures(build: Path, folder: Path) -> list[Figure]:
    """The search for a linearization, compared with Porcupine on the same histories: generated
    histories, and those of Jepsen's etcd tests."""
    porcupine = porcupine_program(folder)
    program, logs = porcupine if porcupine else (None, [])
    us = str(build / "bench_linear")
    ours = Asked([us, str(folder), *map(str, logs)])
    histories = ours.answer()
    # If the search kept a set of all operations for each operation, it would take 12,500 bytes an
    # operation here.
    large = [one for one in histories if one["operations"] > 50_000]
    figures = []
    for one in large:
        ours.seconds(one, 1)
        figures.append(Figure(f"search, {one['name']}: memory an operation",
                              [one[us]["memory_mb"] * 2**20 / one["operations"]], "bytes", 500, at_least=False))
    if program is None:
        ours.close()
        return figures
    theirs = Asked([str(program), *[f"{one['model']}={one['file']}" for one in histories]])

    def turns(name: str, some: list[dict], beside: str = "") -> Figure:
        """Alternates the two programs for each history, because the machine's speed may change."""
        # For 1e5 operations Porcupine keeps 1e5 sets of 1e5 bits, so one search is enough.
        rounds, times = (1, 1) if some[0] in large else (9, max(5, 20_000 // some[0]["operations"] // len(some)))
        spent = []
        for _ in range(rounds):
            each = [(ours.seconds(one, times), theirs.seconds(one, times)) for one in some]
            spent.append([sum(side) for side in zip(*each)])
        apart = [one["name"] for one in some if one[us]["outcome"] != one[str(program)]["outcome"] != "unknown"]
        if apart:
            sys.exit(f"Porcupine and we do not agree on: {', '.join(apart)}")
        beside = beside or " : ".join(f"{median(side) * 1e3:.3g} ms" for side in zip(*spent))
        return Figure(f"search : Porcupine, time, {name}", [a / b for a, b in spent], "", 1.0, at_least=False, beside=beside)

    etcd = [one for one in histories if one["name"].startswith("etcd")]
    texts = [one for one in histories if one["model"] == "key-value"]
    unknown = [one for one in histories if one["name"] == "unknown writes"]
    figures += [turns(one["name"], [one]) for one in histories if one not in etcd + texts + unknown]
    figures.append(turns(f"{len(unknown)} registers with writes of unknown outcome", unknown))
    figures.append(turns(f"{len(etcd)} etcd logs", etcd, beside="the same outcome for each"))
    for name in sorted({one["name"] for one in texts}):
        figures.append(turns(f"keys and values, {name}", [one for one in texts if one["name"] == name]))
    ours.close()
    theirs.close()
    return figures


def explore(build: Path, words: str) -> tuple[dict[str, Any], int]:
    """A search with every kind of fault on two cores: its result, and its largest memory in MB."""
    command = [str(build / "doublehold"), "explore", *words.split(), "--jobs", "2", "--budget", "0",
               "--memory-mb", "2000", "--json"]
    with tempfile.TemporaryFile() as out:
        started = subprocess.Popen(command, stdout=out)
        _, status, used = os.wait4(started.pid, 0)
        if os.waitstatus_to_exitcode(status) not in (0, 1, 2):
            sys.exit(f"{' '.join(command)}: wait status {status}")
        out.seek(0)
        return json.load(out), used.ru_maxrss // 1024


def instructions(build: Path) -> float:
    """Instructions of one execution, run and judged, in the mean over those of two faults."""
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}",
                   "--toggle-collect=*Worker::Run(*Done&, bool)",
                   str(build / "doublehold"), "explore", "--lock", "set-nx-px", "--depth", "2", "--budget", "0",
                   "--faults", "pause,drop-request,drop-reply,node-clock", "--json"]
        printed = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = counts.read_text(encoding="utf-8").splitlines()
        total = next(line for line in lines if line.startswith("totals:"))
        return int(total.split()[1]) / json.loads(printed.stdout)["run"]


def search_figures(build: Path, slow: bool) -> list[Figure]:
    """Complete searches: seconds and memory on two cores, and how many executions one run stands for."""
    figures = []
    for words, times in (
        ("--lock set-nx-px --clients 3 --depth 2", 5),
        ("--lock set-nx-px --clients 3 --depth 3", 1),
        ("--lock redlock --nodes 3 --clients 2 --depth 3", 1),
    )[:None if slow else 1]:
        results = [explore(build, words) for _ in range(times)]
        first = results[0][0]
        executions, run, seconds = first["executions"], first["run"], first["seconds"]
        name = words.replace("--", "")
        figures.append(Figure(f"explore {name}", [each["seconds"] for each, _ in results], "s", None, at_least=False,
                              beside=f"{executions:,} executions, {run:,} run, {executions / run:.2f} for one; "
                                     f"{run / seconds / 1000:.0f} k/s"))
        figures.append(Figure(f"memory of {name}", [mb for _, mb in results], "MB", 2000, at_least=False))
    if shutil.which("valgrind"):
        name = "instructions of an execution, judged"
        figures.append(Figure(name, [instructions(build)], "", None, at_least=False))
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    operations = 100_000_000 if arguments.all else 10_000_000
    missed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measure = [lambda: path_figures(build), lambda: recorder_figures(build),
                   lambda: checker_figures(build, folder, operations), lambda: variant_figures(build),
                   lambda: service_figures(build), lambda: proxy_figures(build, folder),
                   lambda: reader_figures(build, folder), lambda: linear_figures(build, folder),
                   lambda: search_figures(build, arguments.all)]
        # Prints each figure at once, so that a later failure loses none.
        for figures in measure:
            for figure in figures():
                print(figure.line(), flush=True)
                missed = missed or not figure.met
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
