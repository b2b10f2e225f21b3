"""The page of an exploration: the outcome of each lock, and the shortest violated executions."""

from dataclasses import dataclass, field

from answer import NAMES_SHOWN, NO_LOCK
from cells import DATA_CLAIMS, GRAVITY, CellLine
from exploration import Exploration, Place, Row
from page import render
from words import listed, number, plural


@dataclass(frozen=True, slots=True)
class ExploredCell:
    """A cell with the attributes that the macros of the matrix use."""

    place: Place
    anchor: str
    causes: tuple[str, ...] = ()
    odd: bool = False

    @property
    def outcome(self) -> str:
        return self.place.outcome

    @property
    def weight(self) -> str:
        if self.outcome != "violated":
            return ""
        if set(self.place.violated) & set(DATA_CLAIMS):
            return "lost"
        judged = {claim for claim in DATA_CLAIMS if self.place.judged(claim)}
        return "kept" if judged.difference(self.place.undecided) == judged != set() else ""

    @property
    def gravity(self) -> int:
        return GRAVITY.index(self.outcome) + (self.weight == "lost")

    @property
    def lines(self) -> list[CellLine]:
        place, undecided = self.place, self.place.undecided
        violated = sorted(zip(place.violated, place.claims), key=lambda c: c[0] not in DATA_CLAIMS)
        lines = [CellLine("violated", ", ".join(text for _, text in violated))] if violated else []
        if self.weight == "kept":
            lines.append(CellLine("valid", "stock kept"))
        if undecided:
            titles = ", ".join(map(place.title, undecided))
            lines.append(CellLine("unknown", f"undecided: {titles}"))
        lines = lines or [CellLine("valid", "no violation")]
        counted = f"{plural(place.executions, 'execution')}"
        return [*lines[:-1], CellLine(lines[-1].outcome, lines[-1].word, counted)]


@dataclass(slots=True)
class Story:
    """The shortest violated execution of one or several cells, and these cells."""

    claims: list[str]  # titles
    sentence: str
    replay: str
    depth: int
    seen: list[str] = field(default_factory=list)  # "pause, 2 clients"


def exploration_page(found: Exploration) -> str:
    rows = sorted(found.rows, key=lambda row: row.lock == NO_LOCK)
    locks = list(dict.fromkeys(row.lock for row in rows))
    cells = {(_key(row), place.fault): ExploredCell(place, f"lock-{locks.index(row.lock)}")
             for row in rows for place in row.places}
    stories = {lock: _stories([row for row in rows if row.lock == lock]) for lock in locks}
    return render("explore.html.j2", found=found, cells=cells, headline=_headline(rows),
                  which=_which(rows), heads=[(_key(row), _key(row)) for row in rows],
                  stories=stories)


def _key(row: Row) -> str:
    return f"{row.lock}, {plural(row.clients, 'client')}"


def _locks(rows: list[Row]) -> dict[str, str]:
    """Returns the gravest outcome of each lock. Leaves out `none`, unless it is the only lock."""
    names = list(dict.fromkeys(row.lock for row in rows))
    return {name: max((place.outcome for row in rows if row.lock == name for place in row.places),
                      key=GRAVITY.index)
            for name in ([n for n in names if n != NO_LOCK] or names)}


def _headline(rows: list[Row]) -> str:
    outcomes = _locks(rows)
    count = {outcome: list(outcomes.values()).count(outcome) for outcome in GRAVITY}
    parts = [f"{number(count['violated'])} of {plural(len(outcomes), 'lock')} broke"]
    if count["valid"]:
        parts.append(f"{number(count['valid'])} held in every execution")
    if count["unknown"]:
        parts.append(f"{number(count['unknown'])} undecided in part")
    return ", ".join(parts)


def _which(rows: list[Row]) -> str:
    outcomes = _locks(rows)
    said = {"valid": "No violation", "unknown": "Undecided in part, without a violation",
            "violated": "Broke"}
    lost = {row.lock for row in rows for place in row.places
            if set(place.violated) & set(DATA_CLAIMS)}
    groups = {text: [name for name, found in outcomes.items() if found == outcome]
              for outcome, text in said.items()}
    broke = groups.pop("Broke")
    groups |= {"Broke a promise, no loss of data seen": [n for n in broke if n not in lost],
               "Lost data": [name for name in broke if name in lost]}
    return " ".join(f"{text}: {_few(names)}." for text, names in groups.items() if names)


def _few(names: list[str]) -> str:
    more = len(names) - 2 * NAMES_SHOWN
    if more <= 0:
        return listed(names)
    return f"{', '.join(names[:2 * NAMES_SHOWN])} and {more} more"


def _stories(rows: list[Row]) -> list[Story]:
    """Returns the stories of a lock, each once: few faults first, then many cells first."""
    stories: dict[str, Story] = {}
    for row in rows:
        for place in row.places:
            where = f"{place.fault} ({plural(row.clients, 'client')})"
            for search in place.searches:
                for claim, sentence, replay in search.violated:
                    story = stories.setdefault(
                        sentence, Story([], sentence, replay, search.depth))
                    if place.title(claim) not in story.claims:
                        story.claims.append(place.title(claim))
                    if where not in story.seen:
                        story.seen.append(where)
    return sorted(stories.values(), key=lambda story: (story.depth, -len(story.seen)))
