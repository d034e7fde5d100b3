"""The figures of moments and headlines: sums that add up over runs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from tests.recorded.tally import NONE
from tests.taps.distance import distance
from tests.taps.labels import fitting, narrowest
from tests.taps.moments import Moment, Moments
from tests.taps.runs import Scored
from tests.taps.said import SURE, Claim
from tests.taps.visible import shows

SECOND = 1e9


@dataclass
class Sums:
    """Seconds of a run's moments, and counts of its headlines.

    Attributes
    ----------
    time, right, exact, open, named : float
        All time; where the cause fits, or exactly fits, a label within the tolerance; where none
        is preferred; and where the truth is among those that are named then.
    strict : float
        Where the cause fits the label of the moment itself.
    shown, shown_right : float
        Where the tap can show the label (`visible`), and where the cause fits it, too.
    steady, steady_right, steady_open : float
        The same away from changes of state.
    brier : float
        The squared distance of the stated probability of a fitting cause from 1.
    apart : float
        The distance of the shares, times their time.
    headlines, headlines_right, headlines_open, headlines_named, headlines_silent : float
        Counts of connections; of those without a headline only the last.
    sure_headlines, sure_right : float
        Counts of connections whose headline is sure.
    """

    time: float = 0.0
    right: float = 0.0
    exact: float = 0.0
    open: float = 0.0
    named: float = 0.0
    strict: float = 0.0
    shown: float = 0.0
    shown_right: float = 0.0
    steady: float = 0.0
    steady_right: float = 0.0
    steady_open: float = 0.0
    brier: float = 0.0
    apart: float = 0.0
    headlines: float = 0.0
    headlines_right: float = 0.0
    headlines_open: float = 0.0
    headlines_named: float = 0.0
    headlines_silent: float = 0.0
    sure_headlines: float = 0.0
    sure_right: float = 0.0

    def __add__(self, other: Sums) -> Sums:
        return Sums(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Sums)))

    def add(
        self, moment: Moment, time_ns: int, direction: str | None, *, shown: bool = True
    ) -> None:
        """Add a moment; `shown`: whether its tap can show it."""
        time, claim = time_ns / SECOND, moment.claim
        right, named = fits(claim, moment.near), bool(claim.is_open and stated(claim, moment.near))
        # To be silent of what goes on is no answer, and no wrong one.
        unanswered = claim.is_open or (claim.cause == NONE and not right)
        self.time += time
        self.right += time * right
        self.exact += time * (right and fits(claim, moment.near, direction, narrow=True))
        self.open += time * unanswered
        self.named += time * named
        self.strict += time * fits(claim, (moment.label,))
        self.shown += time * shown
        self.shown_right += time * (shown and right)
        self.brier += time * (1 - stated(claim, moment.near)) ** 2
        if moment.steady:
            self.steady += time
            self.steady_right += time * right
            self.steady_open += time * unanswered

    def headline(self, label: str, claim: Claim | None) -> None:
        """Add the headline of a connection; None: it has none, such as small calls alone."""
        if claim is None:
            self.headlines_silent += 1
            return
        right = fits(claim, (label,))
        self.headlines += 1
        self.headlines_right += right
        self.sure_headlines += claim.certainty == SURE
        self.sure_right += claim.certainty == SURE and right
        self.headlines_open += claim.is_open
        self.headlines_named += claim.is_open and stated(claim, (label,)) > 0


def fits(
    claim: Claim, labels: Iterable[str], direction: str | None = None, *, narrow: bool = False
) -> bool:
    """Say whether a cause is preferred that fits one of some labels."""
    if claim.is_open:
        return False
    return any(
        claim.cause in (narrowest(label, direction) if narrow else fitting(label))
        for label in labels
    )


def stated(claim: Claim, labels: Iterable[str]) -> float:
    """Give the probability that is stated for the causes that fit one of some labels."""
    wanted = {cause for label in labels for cause in fitting(label)}
    return sum(share for cause, share in claim.stated().items() if cause in wanted)


def sums(scored: Scored) -> Sums:
    """Add up the moments and headlines of a capture."""
    found = Sums()
    for moment, time_ns in scored.moments.items():
        shown = shows(
            scored.tap,
            moment.label,
            scored.direction,
            timestamps=scored.run.kind != "no timestamps",
        )
        found.add(moment, time_ns, scored.direction, shown=shown)
    found.apart = (_distance(scored.moments) or 0.0) * found.time
    for label, claim in scored.headlines:
        found.headline(label, claim)
    return found


def _distance(moments: Moments) -> float | None:
    true: Counter[str] = Counter()
    said: Counter[str] = Counter()
    for moment, time_ns in moments.items():
        true[moment.label] += time_ns
        said[moment.claim.cause] += time_ns
    return distance(true, said)


SEED, TIMES = 36, 400
"""How runs are drawn for an interval: so often, by this seed."""


def interval(runs: Sequence[Sums], part: str, whole: str) -> tuple[float | None, float | None]:
    """Give the bounds within which 95 % of a share's values lie if the runs are drawn again.

    A run is one sample, because its moments depend on each other.
    """
    pairs = [(getattr(each, part), getattr(each, whole)) for each in runs]
    chance = random.Random(SEED)
    shares = []
    for _ in range(TIMES if len(pairs) > 1 else 0):
        drawn = chance.choices(pairs, k=len(pairs))
        share = ratio(sum(one for one, _ in drawn), sum(all_ for _, all_ in drawn))
        shares += [share] if share is not None else []
    if not shares:
        return None, None
    shares.sort()
    return shares[round(0.025 * (len(shares) - 1))], shares[round(0.975 * (len(shares) - 1))]


def ratio(part: float, whole: float) -> float | None:
    """Give a share with four digits; None of nothing."""
    return round(part / whole, 4) if whole else None
