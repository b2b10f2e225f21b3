"""The first lines of a run's page: what broke, why, and how sure that is."""

from collections import Counter
from dataclasses import replace

from blind_spots import BlindSpots
from lost_updates import LostUpdates
from rates import ClaimRate
from reading import Claim, Margin, Verdict
from words import (QUOTED, amount, amount_of, bound, counted, interval, listed, number, percent,
                   plural)

CAUSES_SHOWN = 3

Answers = list[tuple[str, str]]  # a question in two words, and a sentence


def answers(verdict: Verdict, simulated: bool) -> Answers:
    sure = "How sure", _simulated(verdict) if simulated else how_sure(verdict)
    whole = [("Cut short", f"{_sentence(verdict.cut_short)}.")] if verdict.cut_short else []
    return [*whole, *_outcome(verdict), sure]


def _outcome(verdict: Verdict) -> Answers:
    if verdict.overall == "violated":
        return [("What broke", _what_broke(verdict)), ("Why", _why(verdict))]
    if verdict.overall == "unknown":
        undecided = [claim for claim in verdict.claims if claim.outcome == "unknown"]
        names = listed([claim.name for claim in undecided] or ["something"])
        reasons = dict.fromkeys(claim.reason for claim in undecided if claim.reason)
        return [("What broke", f"Not known: {names} could not be decided, so nothing here counts "
                               "as passed."),
                ("Why", f"{_sentence('; '.join(reasons)) or 'The verdict has no reason'}.")]
    judged = plural(len(verdict.claims), "claim")
    return [("What broke", f"Nothing: the history breaks none of the {judged} below."),
            ("How near", _how_near(verdict))]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _what_broke(verdict: Verdict) -> str:
    broken = [claim for claim in verdict.claims if claim.outcome == "violated"]
    broken_texts = [f"{QUOTED.format(claim.title)}: {claim.reason or share(claim)}"
                    for claim in broken]
    return f"{'; '.join(broken_texts)}." if broken_texts else "The verdict names no claim."


def _why(verdict: Verdict) -> str:
    described = verdict.violations
    causes = Counter(v.cause for v in described if v.cause)
    if not causes:
        return "The verdict has no cause: it is of a version that determined no cause."
    parts = []
    for cause, count in causes.most_common(CAUSES_SHOWN):
        because = next((v.because for v in described if v.cause == cause and v.because), "")
        example = f", for example when {because}" if because else ""
        of = "all described violations" if count == len(described) else \
            f"{count} of {len(described)} described violations"
        parts.append(f"{QUOTED.format(cause)} ({of}){example}")
    more = len(causes) - CAUSES_SHOWN
    rest = f"; and {plural(more, 'further cause')}" if more > 0 else ""
    return f"The cause is {'; '.join(parts)}{rest}."


def _how_near(verdict: Verdict) -> str:
    missed = min((margin for claim in verdict.claims for margin in claim.margins
                  if margin.unit == "ns" and margin.value < 0), key=lambda m: m.value, default=None)
    if missed:
        exclusion = next((c.outcome for c in verdict.claims if c.name == "exclusion"), None)
        alone = "; no other client held the lock meanwhile" if exclusion == "valid" else ""
        missed_by = amount_of(-missed.value, missed.unit)
        return f"{_sentence(missed.what)}: missed by {missed_by}{alone}."
    sentences = [miss.sentence for claim in verdict.claims for margin in claim.margins
                 for miss in margin.nearest[:1]]
    return f"The nearest miss: {sentences[0]}." if sentences else "No claim has a margin."


def _simulated(verdict: Verdict) -> str:
    says = {"violated": "It shows that a violation can happen, but not how often.",
            "valid": "It shows one execution without a violation, not how often there is one.",
            "unknown": "It decides nothing."}[verdict.overall]
    return f"This is one simulated execution, the same in each replay. {says}"


def how_sure(verdict: Verdict) -> str:
    if verdict.trials is None:
        return ("How often is not known: the verdict is of a version that did not count fault "
                "episodes.")
    trials = verdict.trials.trials
    stalled = sum(v.by_stall for v in verdict.violations)
    text = "The history proves each violation. How often: " if verdict.violations else ""
    share_of_such = f"with 95\N{NO-BREAK SPACE}% confidence {_range(verdict.trials)} of such"
    if _has_no_information(verdict.trials):
        share_of_such = "it is not known how many such"
    text += f"{counted(trials)} violated, so {share_of_such} {trials.unit}s are"
    if verdict.overall != "violated" and verdict.blind_spots:
        text += hidden(verdict.blind_spots)
    if stalled:
        text += f"; only a machine stall caused {number(stalled)} of the described violations"
    return f"{text}."


def hidden(spots: BlindSpots) -> str:
    if not spots.could_hide:
        return "; no call of unknown outcome could hide a violation"
    return f"; {plural(spots.could_hide, 'call')} of unknown outcome could hide one"


def often(rate: ClaimRate) -> str:
    """Returns "29-100 % (95 % interval)", or, without a violation, "below 71 % (...)"."""
    if _has_no_information(rate):
        return "too little to say more"
    return f"{_range(rate)} (95\N{NO-BREAK SPACE}% interval)"


def _has_no_information(rate: ClaimRate) -> bool:
    return rate.exact_95 == (0.0, 1.0)


def _range(rate: ClaimRate) -> str:
    return interval(rate.exact_95) if rate.trials.violated else bound(rate.exact_95[1])


def share(claim: Claim) -> str:
    """Returns "77 of 288 holds". Violations cluster, so this share has no interval."""
    return f"{number(claim.count)} of {number(claim.opportunities)} {claim.unit}"


def lost_updates(updates: LostUpdates, trial_unit: str) -> str:
    """Returns "Lost updates: 11 of 51 confirmed writes, 22 % (14-30 %, ...)." and, if the store
    can refuse a stale write, how often it did."""
    text = f"Lost updates: {number(updates.count)} of {number(updates.of)} confirmed writes"
    if updates.share is not None and updates.count and updates.interval_95 != (0.0, 1.0):
        text += (f", {percent(updates.share)} ({interval(updates.interval_95)}, "
                 f"95\N{NO-BREAK SPACE}% interval over {trial_unit}s)")
    if updates.refused_writes is not None:
        text += f". Stale writes refused by the store: {number(updates.refused_writes)}"
    return f"{text}."


def nearness(margin: Margin) -> str:
    """Returns "shortest gap between two holds: 210 us". A negative margin was not kept."""
    if margin.value >= 0:
        return f"{margin.what}: {amount(margin)}"
    missed = f"{margin.what}: missed, by {amount(replace(margin, value=-margin.value))}"
    others = sum(count for _, count in margin.histogram)
    if not margin.below_zero or not others:
        return missed
    return (f"{missed} at most in {number(margin.below_zero)} of "
            f"{number(margin.below_zero + others)} cases. The nearest of the others")
