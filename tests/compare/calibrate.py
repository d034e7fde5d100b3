"""Do the statistics of `airmile compare` hold? `python -m tests.compare.calibrate`.

First each is compared with other programs on 1,000 random samples; then intervals and tests are
run on made samples with a known truth, 20,000 of each kind. What is done is kept in a file, so that
the same command goes on after it was stopped. Exit code 1 where a figure misses its range.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from tests.compare import oracles
from tests.compare.scenarios import SCENARIOS, Scenario

SEED = 19
KEPT = Path("target") / "calibrate.json"
CLOSE = 1e-9
"""The largest relative error against another program."""

NONCENTRAL = 1e-4
"""The same for tails of the noncentral t distribution, which scipy inverts by a search."""

ERRORS = 5.0
"""The largest error of random sign flips, in standard errors; 1,000 samples stay below."""

Line = tuple[str, str, float, float, float]
"""A line of the table: name, quantity, value, and the range in which the value must lie."""


def main() -> int:
    """Run all checks, and print them as a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=20_000)
    parser.add_argument("--samples", type=int, default=1_000)
    parser.add_argument("-o", "--out", type=Path, default=KEPT, help=f"what is done [{KEPT}]")
    asked = parser.parse_args()
    begun, missed = time.monotonic(), 0
    for name, quantity, found, low, high in lines(asked.out, asked.samples, asked.repetitions):
        good = low <= found <= high
        missed += not good
        digits = ".1e" if high <= NONCENTRAL else ".4f"
        wanted = f"{low:g} to {high:g}" if np.isfinite(high) else "reported"
        print(
            f"{'' if good else 'MISSED':7}{name:64} {quantity:24} {found:9{digits}}  {wanted}",
            flush=True,
        )
    print(f"{missed} missed; {time.monotonic() - begun:.0f} s")
    return 1 if missed else 0


def lines(kept: Path, samples: int, repetitions: int) -> Iterator[Line]:
    """Yield the lines of the table, new ones or those kept from an earlier run."""
    yield from _remembered(kept, f"scipy {samples}", lambda: list(beside_scipy(samples)))
    yield from _remembered(kept, f"R {samples}", lambda: list(beside_r(samples)))
    for number, scenario in enumerate(SCENARIOS):
        compute = partial(_listed, scenario, number, repetitions)
        yield from _remembered(kept, f"{scenario.name} {repetitions}", compute)


def _remembered(kept: Path, name: str, compute: Callable[[], list[Line]]) -> list[Line]:
    """Return lines from the file; compute those that it lacks, and add them."""
    known = json.loads(kept.read_text()) if kept.exists() else {}
    if name not in known:
        known[name] = compute()
        kept.parent.mkdir(parents=True, exist_ok=True)
        written = kept.with_suffix(".part")
        written.write_text(json.dumps(known))
        written.replace(kept)
    return [(*line[:2], *line[2:]) for line in known[name]]


def beside_scipy(samples: int) -> Iterator[Line]:
    """Yield the largest errors against scipy and plain loops."""
    pairs = list(oracles.samples(samples))
    for name, error in oracles.scipys().items():
        worst = max(map(error, pairs))
        limit = ERRORS if "random" in name else NONCENTRAL if "nct)" in name else CLOSE
        yield name, f"of {len(pairs)}", float(worst), 0.0, limit


def beside_r(samples: int) -> Iterator[Line]:
    """Yield the largest errors against R, or against its recorded answers without R."""
    answers = oracles.ask_r(samples) or oracles.read(oracles.RECORDED)
    for name, worst in oracles.rs(answers).items():
        yield f"{name} (R)", f"of {len(answers)}", worst, 0.0, CLOSE


def _listed(scenario: Scenario, number: int, repetitions: int) -> list[Line]:
    return list(of(scenario, number, repetitions))


def of(scenario: Scenario, number: int, repetitions: int) -> Iterator[Line]:
    """Yield the shares of a scenario, with the range in which each share must lie."""
    found = scenario.run(np.random.default_rng([SEED, number]), repetitions)
    for quantity, share in found.items():
        low, high = scenario.wanted.get(quantity, (0.0, float("inf")))
        yield scenario.name, quantity, share, low, high


if __name__ == "__main__":
    raise SystemExit(main())
