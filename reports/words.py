"""The words for claims, outcomes, faults and numbers in reports."""

import re
from math import ceil, floor, log10
from typing import Callable, Iterable

from rates import Answer, Trials
from reading import ENDLESS_NS, Claim, Episode, Fault, Margin, Percentiles, Verdict


LONG_SECTIONS = "long sections"
# The colour roles of the fault families in a verdict, in order of mention.
ROLES_OF_FAMILIES = {
    "process pauses": "pause", "network faults": "network", "clock faults": "clock",
    "killed processes": "outage", "restarts": "outage", "lost keys": "outage",
    "operators' commands": "outage", "failover": "outage", LONG_SECTIONS: "outage",
    "other faults": "outage",
}

# The letters N, P, C that the discussion of Redlock uses for these faults.
LETTERS = {"network": "N", "pause": "P", "clock": "C"}


def violated(claims: Iterable[str], titles: dict[str, str]) -> str:
    """Returns "held twice, oversold", in the order of the titles of claims."""
    present = set(claims)
    return ", ".join(title for claim, title in titles.items() if claim in present)


def fault_role(fault: Fault) -> str:
    return ROLES_OF_FAMILIES.get(fault.family, "outage")


def under(faults: Iterable[Fault]) -> str:
    """Returns "under process pauses and clock faults", or "with no fault"."""
    faults = list(faults)
    return f"under {_kinds(faults)}" if faults else "with no fault"


def what_happened(verdict: Verdict) -> str:
    if verdict.overall == "violated":
        return ", ".join(c.title for c in verdict.claims if c.outcome == "violated") or "violated"
    return "no violation seen" if verdict.overall == "valid" else "could not be decided"


def expectation(verdict: Verdict) -> str:
    """Returns " — as expected — the run was cut short", without the parts that do not apply."""
    words = ("as expected" if verdict.as_expected else "not as expected") if verdict.expects else ""
    cut = "the run was cut short" if verdict.cut_short else ""
    return "".join(f" \N{EM DASH} {part}" for part in (words, cut) if part)


def headline(verdict: Verdict) -> str:
    return (f"{verdict.lock_words} {under(verdict.faults)}: "
            f"{what_happened(verdict)}{expectation(verdict)}")


def setting(verdict: Verdict) -> str:
    """Returns a sentence for readers who do not know the project."""
    faults = f"while Doublehold injected {_kinds(verdict.faults)}" if verdict.faults \
        else "without injected faults"
    lock = "with no lock at all" if verdict.lock == "none" else \
        f"with the lock {verdict.lock_words} to let only one of them in at a time"
    busy = "sold from the same stock at once" if verdict.sells else "competed for the same lock"
    return f"{plural(verdict.clients, 'client').capitalize()} {busy}, {lock}, {faults}."


def faults_by_kind(faults: Iterable[Fault]) -> str:
    """Returns "pause: 310 of 312 took effect; drop: 40 of 41 took effect"."""
    counts: dict[str, tuple[int, int]] = {}
    for fault in faults:
        started, planned = counts.get(fault.kind, (0, 0))
        counts[fault.kind] = started + fault.started, planned + fault.planned
    return "; ".join(f"{kind}: {number(started)} of {number(planned)} took effect"
                     for kind, (started, planned) in counts.items())


def _kinds(faults: list[Fault]) -> str:
    """Lists the fault families. Leaves out lengthened sections, which prepare for other faults,
    unless there are no others."""
    present = {fault.family for fault in faults}
    names = [family for family in ROLES_OF_FAMILIES if family in present]
    return listed([name for name in names if name != LONG_SECTIONS] or names)


def listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def plural(count: int, one: str, many: str | None = None) -> str:
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


QUOTED = "\N{LEFT DOUBLE QUOTATION MARK}{}\N{RIGHT DOUBLE QUOTATION MARK}"
MINUS = "\N{MINUS SIGN}"


def asked_and_measured(fault: Fault, asked_ns: int, measured_ns: int) -> tuple[str, str]:
    """Returns the requested and the measured length of a fault; of a clock fault, its distance. The
    first text is empty if the fault lasts until a step, or has no length."""
    if fault_role(fault) == "clock":
        return _moved(asked_ns), _moved(measured_ns)
    # A fault without a length reports 1 ns if it acted.
    return (duration(asked_ns) if asked_ns else "",
            duration(measured_ns) if measured_ns > 1 else "")


def _moved(ns: int) -> str:
    return f"+{duration(ns)}" if ns >= 0 else duration(ns)


def slug(text: str) -> str:
    """Returns a name for a file or an element: letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def number(value: int) -> str:
    return f"{value:,}"


def duration(ns: float) -> str:
    """Formats with three digits and a suitable unit: 803 ms, 51 us, 2.42 s."""
    if abs(ns) >= ENDLESS_NS:
        return "for ever"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if abs(ns) >= size:
            value = ns / size
            digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
            text = f"{value:.{digits}f}"
            text = text.rstrip("0").rstrip(".") if "." in text else text
            return f"{text.replace('-', MINUS)}\N{NO-BREAK SPACE}{unit}"
    return f"{ns:.0f}\N{NO-BREAK SPACE}ns"


def period(span: tuple[int, int]) -> str:
    return f"{span[0] / 1e9:.3f}\N{EN DASH}{instant(span[1])}"


def instant(ns: int) -> str:
    return f"{ns / 1e9:.3f}\N{NO-BREAK SPACE}s"


def percent(share: float) -> str:
    """Formats with two significant digits, as usual for rates: 0.64 %, 12 %, 99.9 %."""
    value = 100 * share
    text = f"{value:.2g}" if value < 99 else f"{value:.3g}"
    return f"{plain(float(text))}\N{NO-BREAK SPACE}%"


def bound(share: float) -> str:
    """Formats an upper bound, never rounded down: "below 0.0023 %"."""
    return f"below {_two_digits(share, ceil)}"


def _two_digits(share: float, towards: Callable[[float], int]) -> str:
    value = 100 * share
    step = 10.0 ** (floor(log10(value)) - 1) if value > 0 else 1.0
    noise = 1e-9 if towards is floor else -1e-9
    return f"{plain(round(towards(value / step + noise) * step, 12))}\N{NO-BREAK SPACE}%"


def plain(value: float) -> str:
    """Formats without an exponent."""
    return f"{value:.12f}".rstrip("0").rstrip(".")


def interval(ends: tuple[float, float]) -> str:
    low, high = percent(ends[0]).split("\N{NO-BREAK SPACE}")[0], percent(ends[1])
    return f"{low}\N{EN DASH}{high}"


def counted(value: Trials) -> str:
    """Returns "3 of 22 fault episodes (1 unknown)"."""
    unknown = f" ({number(value.undecided)} unknown)" if value.undecided else ""
    return f"{number(value.violated)} of {plural(value.of, value.unit)}{unknown}"


def answered(value: Answer) -> str:
    """Returns "below: 0 of 48 fault episodes, at most 9.8 %"."""
    low, high = value.bounds
    ends = {"below": f"at most {_two_digits(high, ceil)}",
            "not below": f"at least {_two_digits(low, floor)}"}.get(value.answer)
    return f"{value.answer}: {counted(value.trials)}, {ends or interval(value.bounds)}"


def amount_of(value: int, unit: str) -> str:
    """`unit`: "ns", or the plural of what is counted."""
    if unit == "ns":
        return duration(value)
    return f"{number(value)} {unit.removesuffix('s') if value == 1 else unit}"


def amount(margin: Margin) -> str:
    return amount_of(margin.value, margin.unit)


def per_second(count: int, verdict: Verdict) -> str:
    """Returns "93", or "0.9": two digits at least."""
    if verdict.seconds <= 0:
        return ""
    rate = count / verdict.seconds
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"


LATENCIES = {"acquire": "one attempt to acquire", "wait": "wait until granted", "hold": "hold",
             "release": "release", "response": "customer's arrival to grant or give-up",
             "handover": "release to next grant"}


def latencies(verdict: Verdict) -> list[tuple[str, Percentiles]]:
    """Returns the measured latencies in the order of a client's operations."""
    names = [*LATENCIES, *(name for name in verdict.latency if name not in LATENCIES)]
    return [(LATENCIES.get(name, name), verdict.latency[name]) for name in names
            if name in verdict.latency and verdict.latency[name].count]


RUN_FACTS: dict[str, Callable[[Verdict], str]] = {
    "orders per second": lambda v: per_second(v.orders, v),
    "grants per second": lambda v: per_second(v.grants, v),
    "lease": lambda v: duration(v.lease_ns),
    "clients, lock nodes": lambda v: f"{v.clients}, {v.nodes}",
    "workload": lambda v: f"{v.workload}, {v.write}",
    "seed": lambda v: str(v.seed),
}


def is_partly_described(claim: Claim) -> bool:
    return sum(violation.count for violation in claim.violations) < claim.count


def count_described(claim: Claim) -> str:
    """Returns "held twice 104 times, 50 of them described"."""
    count = f"{claim.title} {plural(claim.count, 'time')}"
    if not is_partly_described(claim):
        return count
    return f"{count}, {number(sum(v.count for v in claim.violations))} of them described"


def target(episode: Episode) -> str:
    """Returns the name of a fault's target."""
    parts = [f"client {episode.client}"] if episode.client > 0 else []
    if episode.node >= 0:
        parts.append("the store" if episode.node == 0 else f"node {episode.node}")
    return ", ".join(parts) or "\N{EN DASH}"


def fault_key(faults: list[Fault]) -> dict[str, list[str]]:
    """Returns the kinds of fault that each colour stands for, for a picture's legend."""
    kinds: dict[str, dict[str, None]] = {}
    for fault in faults:
        if fault.episodes:
            kinds.setdefault(fault_role(fault), {})[fault.kind] = None
    return {role: list(names) for role, names in kinds.items()}
