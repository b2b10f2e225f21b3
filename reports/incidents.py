"""Groups violations into incidents: violations with the same holds, or at the same time."""

from dataclasses import dataclass, field

from reading import HoldRef, Violation


@dataclass(frozen=True, slots=True)
class Telling:
    """A sentence with its claims: one overlap can violate several claims."""

    claims: list[str]
    sentence: str
    by_stall: bool
    cause: str | None = None
    because: str = ""
    steps: tuple[tuple[int, str], ...] = ()


def told(violations: list[Violation]) -> list[Telling]:
    """Returns each sentence once, in time order."""
    tellings: dict[str, Telling] = {}
    for v in sorted(violations, key=lambda v: v.span):
        telling = Telling([], v.sentence, v.by_stall, v.cause, v.because, v.steps)
        tellings.setdefault(v.sentence, telling).claims.append(v.claim)
    return list(tellings.values())


@dataclass(slots=True)
class Incident:
    violations: list[Violation] = field(default_factory=list)  # in time order

    @property
    def main(self) -> Violation:
        """The violation that the picture shows: the first that has lanes, best of two holds."""
        return max(self.violations, key=lambda v: (bool(v.lanes), bool(v.first and v.second)))

    @property
    def holds(self) -> set[int]:
        return {hold.hold for violation in self.violations for hold in _holds(violation)}

    def told(self, most: int) -> list[Telling]:
        """Returns at most `most` sentences in time order: first one for every claim, then
        others."""
        tellings = told(self.violations)
        claims = dict.fromkeys(claim for telling in tellings for claim in telling.claims)
        firsts = [next(t for t in tellings if claim in t.claims) for claim in claims]
        rest = [t for t in tellings if t not in firsts]
        chosen = [*dict.fromkeys(map(tellings.index, firsts)), *map(tellings.index, rest)]
        return [tellings[i] for i in sorted(chosen[:max(most, len(firsts))])]


def incidents_of(violations: list[Violation]) -> list[Incident]:
    """Joins a violation to the incident that shares its longest hold, or in whose time it falls."""
    found: list[Incident] = []
    for violation in sorted(violations, key=lambda v: v.span):
        home = next((i for i in found if _belongs(violation, i)), None)
        if home is None:
            home = Incident()
            found.append(home)
        home.violations.append(violation)
    return found


def _belongs(violation: Violation, incident: Incident) -> bool:
    if any(violation.key != other.key for other in incident.violations[:1]):
        return False
    if any(hold.hold in incident.holds for hold in _holds(violation)):
        return True
    return any(begin <= violation.span[0] <= end for begin, end in map(_span, incident.violations))


def _holds(violation: Violation) -> list[HoldRef]:
    return [hold for hold in (violation.first, violation.second) if hold is not None]


def _span(violation: Violation) -> tuple[int, int]:
    holds = _holds(violation)
    begin, end = violation.span
    return (min([begin, *(hold.from_ns for hold in holds)]),
            max([end, *(hold.to_ns for hold in holds)]))
