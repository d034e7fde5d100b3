"""One control compared with itself in real transfers: `python -m tests.compare.self_comparison`.

How often does `airmile compare` claim a difference that is not there? The calibration beside this
file draws its samples. Here CUBIC is compared with CUBIC, under the labels `first` and `second`,
over the link of the campaign `hwy18`. As in the campaign each pair has a seed, its two runs meet
the same link, and the label that begins alternates. No run is in two pairs.

The command needs root. It makes the runs that its folder lacks, `--runs` at most, and prints a
table of the comparisons that lack none. Exit code 1 where more comparisons of the throughput, which
was chosen beforehand, claim a difference than may.

A run downloads 3 MB, which takes some seconds, where one of the campaign downloads 20 MB after
three pings. So that the runs meet all that the drive has, cell edges and handovers too, each seed
begins at a place of its own.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import airmile
from airmile._errors import UsageError
from airmile.campaign import conduct, folder
from airmile.campaign.design import Arm, Trial
from airmile.campaign.folder import Place
from airmile.campaign.known import find

KEPT = Path("target") / "self_comparison"
COMPARISONS, PAIRS = 20, 6
"""Six pairs are those of `hwy18 --quick`, and the fewest whose sign flips reach 5 %."""

MOST_CLAIMS = 3
"""Of 20 tests at 5 % as many or fewer claim a difference in 98 % of all cases (binomial)."""

BYTES = 3_000_000
SPACING_M = 1200
"""The distance of two cells in `hwy18_drive`: a drive of this length meets everything once."""

LABELS = ("first", "second")

MAIN = ("trials", "rate_bps")
"""The metric that decides: HWY18 section 5.2."""

OTHERS = (
    ("flows", "first_bps"),
    ("flows", "self_inflicted_delay_ms"),
    ("flows", "first_self_inflicted_ms"),
    ("flows", "dl_duplicate_acks"),
    ("flows", "dl_retransmissions"),
)
"""Other metrics that HWY18 compares (sections 5.7 and 5.8); each is reported by itself."""


@dataclass
class Tally:
    """What the comparisons of one metric said."""

    p_values: list[float] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)
    none: list[str] = field(default_factory=list)


def main() -> int:
    """Make the runs that are missing; then compare, and print what came out."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, help="make this many runs at most [all]")
    parser.add_argument("-o", "--out", type=Path, default=KEPT, help=f"the runs [{KEPT}]")
    asked = parser.parse_args()
    place, trials = Place("self-comparison", asked.out), list(planned())
    with folder.held(place):
        wanted = folder.missing(place, trials)[: asked.runs]
        for line in conduct.conduct(place, wanted) if wanted else ():
            print(line, file=sys.stderr, flush=True)
        left = folder.missing(place, trials)
    if left:
        print(f"{len(left)} of {len(trials)} runs are missing: give the same command again")
    return report(place, complete(left))


def planned() -> Iterator[Trial]:
    """Yield all runs in their order: two for each seed, the label that begins in turn."""
    for seed in range(1, COMPARISONS * PAIRS + 1):
        ordered = LABELS if seed % 2 else LABELS[::-1]
        yield from (Trial(_arm(label, seed), seed) for label in ordered)


def _arm(label: str, seed: int) -> Arm:
    """Return the campaign's arm `cubic`, with a short download at a place of the drive."""
    cubic = next(arm for arm in find("hwy18").arms if arm.name == "cubic")
    settings = {
        **cubic.settings,
        "workload": {
            "name": "sequence",
            "steps": [{"name": "bulk_download", "bytes": BYTES}],
        },
        "link.downlink.rate.sinr.offset_m": round(random.Random(seed).uniform(0, SPACING_M)),
    }
    return Arm(
        label, cubic.experiment, settings, expected_s=5, group=_group((seed - 1) // PAIRS, label)
    )


def _group(comparison: int, label: str) -> str:
    return f"{comparison + 1:02}-{label}"


def complete(missing: Sequence[Trial]) -> list[int]:
    """Return the numbers of the comparisons that lack no run, from 0."""
    groups = {trial.arm.group for trial in missing}
    return [n for n in range(COMPARISONS) if not groups & {_group(n, label) for label in LABELS}]


def report(place: Place, comparisons: Sequence[int]) -> int:
    """Print a line for each metric, and return the exit code that the main one gives."""
    print(
        f"{len(comparisons)} of {COMPARISONS} comparisons of CUBIC with itself, {PAIRS} pairs each"
    )
    for metric in (MAIN, *OTHERS):
        found = tally(place, comparisons, *metric)
        print("\n".join(lines(metric, found)))
        if metric == MAIN:
            missed = len(found.claims) > MOST_CLAIMS
    return 1 if missed else 0


def tally(place: Place, comparisons: Sequence[int], table: str, metric: str) -> Tally:
    """Compare one metric of groups of pairs, as `airmile compare` does by default."""
    found = Tally()
    for comparison in comparisons:
        sources = {label: place.runs(_group(comparison, label)) for label in LABELS}
        try:
            (result,) = airmile.compare(sources, metric=metric, table=table).results
        except UsageError as error:
            found.none.append(error.message)
            continue
        found.p_values.append(result.difference.p_value)
        if result.shown:
            found.claims.append(f"{comparison + 1}: {result.sentence}")
    return found


def lines(metric: Sequence[str], found: Tally) -> Iterator[str]:
    """Yield how many comparisons of a metric claim a difference, and what these say."""
    wanted = f", at most {MOST_CLAIMS} may" if metric == MAIN else ""
    below = sum(p <= 0.5 for p in found.p_values)
    yield (
        f"{'.'.join(metric):30} {len(found.claims)} of {len(found.p_values)} claim a difference"
        f"{wanted}; p <= 0.5 in {below}"
    )
    yield from (f"    {each}" for each in found.claims)
    yield from (
        f"    {found.none.count(each)} cannot be compared: {each}"
        for each in dict.fromkeys(found.none)
    )


if __name__ == "__main__":
    raise SystemExit(main())
