"""The figures of bench_services: locks of other services than Redis, and the proxy by protocol."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from figures import Figure, run_json


def service_figures(build: Path) -> list[Figure]:
    """The locks of other services than Redis against bare loops over the same client libraries, and
    the proxy's added latency for each protocol against that for Redis."""
    program = build / "bench_services"
    result = run_json([str(program)]) if program.exists() else {"skipped": "a client library is missing"}
    if "skipped" in result:
        print(f"skipped: locks of other services: {result['skipped']} (./setup.sh --services)")
        return []
    figures = []
    for lock in result["locks"]:
        ratios = [ours / bare for ours, bare in zip(lock["ours_per_s"], lock["bare_per_s"])]
        figures.append(Figure(f"{lock['lock']} : bare client library, alone", ratios, "", 0.85, at_least=True,
                              beside=f"bare {median(lock['bare_per_s']):.0f}/s, ours {median(lock['ours_per_s']):.0f}/s"))

    def added(protocol: str) -> list[float]:
        times = result["protocols"][protocol]
        return [through - direct for through, direct in zip(times["proxy_us"], times["direct_us"])]

    for protocol in sorted(set(result["protocols"]) - {"redis"}):
        figures.append(Figure(f"proxy: added for {protocol} : for redis",
                              [ours / redis for ours, redis in zip(added(protocol), added("redis"))], "", 1.5,
                              at_least=False, beside=f"{median(added(protocol)):.1f} us : {median(added('redis')):.1f} us"))
    return figures
