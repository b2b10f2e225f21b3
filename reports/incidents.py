"""Groups violations into incidents: violations of one key with a common hold, or at one time."""

from dataclasses import dataclass, field

from reading import HoldRef, Violation


@dataclass(frozen=True, slots=True)
class Description:
    """A sentence, and the claims whose violation it describes: one overlap can violate several."""

    claims: list[str]
    sentence: str
    by_stall: bool
    cause: str | None = None
    because: str = ""
    steps: tuple[tuple[int, str], ...] = ()


def list_descriptions(violations: list[Violation]) -> list[Description]:
    """Returns each sentence once, in time order."""
    descriptions: dict[str, Description] = {}
    for v in sorted(violations, key=lambda v: v.span):
        description = Description([], v.sentence, v.by_stall, v.cause, v.because, v.steps)
        descriptions.setdefault(v.sentence, description).claims.append(v.claim)
    return list(descriptions.values())


@dataclass(slots=True)
class Incident:
    violations: list[Violation] = field(default_factory=list)  # in time order

    @property
    def main(self) -> Violation:
        """The violation that the picture shows: the first with lanes, if possible of two holds."""
        return max(self.violations, key=lambda v: (bool(v.lanes), bool(v.first and v.second)))

    @property
    def holds(self) -> set[int]:
        return {hold.hold for violation in self.violations for hold in _holds(violation)}

    def choose_descriptions(self, most: int) -> list[Description]:
        """Returns a sentence for each claim, and others until there are `most`. They are in time
        order."""
        descriptions = list_descriptions(self.violations)
        claims = dict.fromkeys(claim for found in descriptions for claim in found.claims)
        firsts = [next(t for t in descriptions if claim in t.claims) for claim in claims]
        rest = [t for t in descriptions if t not in firsts]
        chosen = [*dict.fromkeys(map(descriptions.index, firsts)), *map(descriptions.index, rest)]
        return [descriptions[i] for i in sorted(chosen[:max(most, len(firsts))])]


def group_incidents(violations: list[Violation]) -> list[Incident]:
    """Adds each violation to the first incident of its key that has one of its holds, or during
    which the violation begins."""
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
