"""Groups the incidents of one run into stories. Incidents with the same claims, causes and fault
are one story."""

from dataclasses import dataclass

import words
from incidents import Description, Incident, list_descriptions

STORIES_DRAWN = 3
# A stale hold can overlap hundreds of others, so a story shows only the first few sentences.
SENTENCES_A_STORY = 4
TIMES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Story:
    """Incidents of the same kind. The page draws the first."""

    number: int
    incidents: list[Incident]

    @property
    def first(self) -> Incident:
        return self.incidents[0]

    @property
    def claims(self) -> list[str]:
        return [violation.claim for violation in self.first.violations]

    @property
    def main(self) -> Description:
        return list_descriptions([self.first.main])[0]

    @property
    def has_tokens(self) -> bool:
        """Whether a grant of the first incident has a fencing token."""
        return any(mark.shows_token for violation in self.first.violations
                   for lane in violation.lanes for mark in lane.marks)

    @property
    def others(self) -> list[Description]:
        """Further sentences about the first incident."""
        some = [t for t in self.first.choose_descriptions(SENTENCES_A_STORY)
                if t.sentence != self.main.sentence]
        return some[:SENTENCES_A_STORY - 1]

    @property
    def left(self) -> int:
        """The number of sentences about the first incident that are left out."""
        return len(list_descriptions(self.first.violations)) - 1 - len(self.others)

    @property
    def again(self) -> str:
        """Returns "2.631 s, 4.336 s and 3 more times", or "" if there is only one incident."""
        at = [words.instant(incident.main.span[0]) for incident in self.incidents[1:]]
        more = len(at) - TIMES_SHOWN
        return ", ".join(at[:TIMES_SHOWN]) + (f" and {words.plural(more, 'more time')}"
                                              if more > 0 else "")

    @property
    def sentences(self) -> set[str]:
        return {self.main.sentence, *(description.sentence for description in self.others)}


def group_stories(incidents: list[Incident]) -> list[Story]:
    same: dict[tuple[frozenset[str], frozenset[str | None], str | None], list[Incident]] = {}
    for incident in incidents:
        kind = (frozenset(v.claim for v in incident.violations),
                frozenset(v.cause for v in incident.violations), incident.main.fault)
        same.setdefault(kind, []).append(incident)
    return [Story(number, some) for number, some in enumerate(same.values(), 1)]
