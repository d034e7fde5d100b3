"""All campaigns in an evening: those below an hour as a whole, the others in their short form.

``python -m tools.campaigns`` prints the commands as a shell script, each with the time that it
takes; the script needs root. ``python -m tools.campaigns sum FOLDER`` prints how many statements
have which outcome, by campaign, from the results in a folder of campaigns.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from airmile.campaign import find, names
from airmile.campaign.design import expected_s

LONGEST_S = 3600
"""A campaign that takes less, in seconds, is run as a whole."""

WAIT_MIN = 30
"""How long each run waits for a quiet machine, in minutes."""

OUTCOMES = (
    "reproduced",
    "direction only",
    "not",
    "undecided",
    "too few",
    "no value",
    "set",
    "not run",
)


class Form(NamedTuple):
    """The form in which a campaign is run, and the seconds that it takes."""

    name: str
    quick: bool
    takes_s: float


def forms() -> Iterator[Form]:
    """Yield each campaign in the form that an evening allows, the shortest first."""
    yield from sorted(map(_form, names()), key=lambda form: form.takes_s)


def _form(name: str) -> Form:
    campaign = find(name)
    quick = expected_s(campaign.trials()) > LONGEST_S
    return Form(name, quick, expected_s(campaign.trials(quick=quick)))


def script(out: str) -> Iterator[str]:
    """Yield the lines of a shell script that runs all campaigns into a folder."""
    every = list(forms())
    hours = sum(each.takes_s for each in every) / 3600
    yield "#!/bin/sh"
    yield f"# {len(every)} campaigns, {hours:.1f} h on a quiet machine. If it is interrupted, the"
    yield "# script continues when it is started again; a campaign that fails stops no other."
    yield 'AIRMILE="${AIRMILE:-airmile}"'
    for name, quick, takes_s in every:
        form = " --quick" * quick
        folder = f"{out}/campaign-{name}{'-quick' * quick}"
        yield (
            f'"$AIRMILE" testbed campaign {name}{form} --wait {WAIT_MIN} -q -o {folder}'
            f"  # {takes_s / 60:.0f} min"
        )


def outcomes(folder: Path) -> Iterator[str]:
    """Yield how many statements have which outcome, by campaign and in all.

    The files may be those of earlier versions, which have fewer outcomes.
    """
    width = max(map(len, names())) + len("-quick")
    yield f"{'':{width}} " + " ".join(f"{each:>14}" for each in OUTCOMES) + "  runs  left out"
    every: Counter[str] = Counter()
    for file in sorted(folder.glob("*/results.json")):
        found = json.loads(file.read_text())
        own = Counter(each["outcome"] for each in found["statements"])
        every += own
        runs = found["runs"]
        label = found["campaign"] + "-quick" * found["quick"]
        ends = f"  {runs['finished']:4}  {len(runs['left_out']):8}"
        yield f"{label:{width}} {_row(own)}{ends}"
    yield f"{'in all':{width}} {_row(every)}"


def _row(counts: Counter[str]) -> str:
    return " ".join(f"{counts[each] or '':>14}" for each in OUTCOMES)


def main() -> None:
    """Print the script, or the sum of results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=("script", "sum"), default="script")
    parser.add_argument("folder", nargs="?", default="campaigns")
    asked = parser.parse_args()
    lines = script(asked.folder) if asked.what == "script" else outcomes(Path(asked.folder))
    sys.stdout.writelines(f"{line}\n" for line in lines)


if __name__ == "__main__":
    main()
