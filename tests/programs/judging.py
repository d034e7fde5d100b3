"""Judges what is said of the time of a connection, its headline, waits and findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tests.programs.labels import RESTS, fitting
from tests.programs.program import Traits
from tests.recorded.spans import Span, length, union, within
from tests.recorded.tally import NONE, UNDETERMINED
from tests.taps.said import SURE, Claim, Slices

RIGHT, OPEN, WRONG, WRONG_SURE = "right", "open", "wrong", "wrong and sure"
JUDGEMENTS = (RIGHT, OPEN, WRONG, WRONG_SURE)


@dataclass(frozen=True)
class Judged:
    """The judgement of a part of the scored time."""

    span: Span
    label: str
    claim: Claim
    judgement: str


def judged(truth: Sequence[tuple[Span, str]], slices: Slices) -> Iterator[Judged]:
    """Judge all scored time of a connection, by the slices of both directions."""
    for (start, end), label in truth:
        near = [(s, c) for s, c in slices if s[0] < end and s[1] > start]
        borders = {start, end, *(at for s, _ in near for at in s if start < at < end)}
        at = sorted(borders)
        for a, b in pairwise(at):
            claims = [c for s, c in near if s[0] <= a and s[1] >= b] or [Claim(NONE)]
            every = [Judged((a, b), label, each, _judgement(each, label)) for each in claims]
            yield max(every, key=lambda each: JUDGEMENTS.index(each.judgement))


def _judgement(claim: Claim, label: str) -> str:
    right = fitting(label)
    if claim.cause in right:
        return RIGHT
    if claim.is_open or claim.cause == NONE:
        # Nothing is said, or no cause is preferred.
        return OPEN
    if claim.certainty == SURE:
        return WRONG_SURE
    return OPEN if "?" in label else WRONG


def cut(truth: Iterable[tuple[Span, str]], span: Span) -> list[tuple[Span, str]]:
    """Give the parts of labelled spans within a span."""
    return [(part, label) for each, label in truth for part in within([each], span)]


def headline(
    truth: Iterable[tuple[Span, str]], counted: Iterable[Span], claim: Claim | None
) -> str:
    """Judge a headline: wrong if some other limit lasted longer than its cause possibly did.

    Parameters
    ----------
    truth : iterable of (Span, str)
        The scored spans within the transfers that count.
    counted : iterable of Span
        These transfers; the cause is possible in what is not scored of them.
    claim : Claim, optional
        The headline.
    """
    if claim is None or claim.is_open:
        return OPEN
    lengths: Counter[str] = Counter()
    for (start, end), label in truth:
        lengths[label] += end - start
    possible = length(union(counted)) - sum(lengths.values())
    possible += sum(ns for label, ns in lengths.items() if claim.cause in fitting(label))
    against = [ns for label, ns in lengths.items() if _against(label, claim.cause)]
    if max(against, default=0) <= possible:
        return RIGHT
    return WRONG_SURE if claim.certainty == SURE else WRONG


def _against(label: str, cause: str) -> bool:
    right = fitting(label)
    return label not in RESTS and cause not in right and UNDETERMINED not in right


def wait_errors(
    waits: Iterable[Mapping[str, str]], transfers: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[float, float | None]]:
    """Give the true wait, and `server_wait_ms`, of each transfer with exactly one wait, in ms."""
    every = [(int(w["request_end_ns"]), int(w["server_wait_ns"]) / 1e6) for w in waits]
    for each in transfers:
        since, until = each["request_ns"], each["end_ns"]
        if since is None:
            continue
        mine = [true for at, true in every if since <= at <= until]
        if len(mine) == 1:
            yield mine[0], each["server_wait_ms"]


def findings(
    tap: str, traits: Traits, found: Iterable[tuple[str, str]]
) -> tuple[set[str], set[str], set[tuple[str, str]]]:
    """Give the mechanisms that had to be found, those of them that were, and the false ones."""
    wanted = set(traits.findings) if tap in traits.shown_at else set()
    names = {name for name, _ in found}
    # An open finding names a twin that looks the same.
    false = {
        (name, sure)
        for name, sure in found
        if name not in {*traits.findings, *traits.allowed} and sure != "open"
    }
    return wanted, wanted & names, false
