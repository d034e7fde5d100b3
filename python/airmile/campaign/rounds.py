"""The rounds of a seed: if one of its runs cannot be trusted, all its arms are run again.

Arms of one seed are compared, and so they should meet the machine in the same state. A run that was
made again alone, later, would be compared with runs of another time. So the whole seed is repeated,
in an order that is drawn from its name, and what the first round gave is moved to `left-out`.

The next round of a seed begins when all its runs have been moved. What is killed in between is
finished by the next process, which finds a run of the seed in `left-out` under the number of its
round.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from airmile._errors import InputError
from airmile.campaign.design import Trial
from airmile.campaign.folder import ATTEMPTS, LEFT_OUT, Place


@dataclass
class Rounds:
    """The rounds of all seeds of a campaign, as its folder keeps them.

    Attributes
    ----------
    place : Place
        The folder of the campaign, which this process holds.
    trials : sequence of Trial
        All trials of the campaign in their order.
    """

    place: Place
    trials: Sequence[Trial]
    _numbers: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.place.rounds.exists():
            self._numbers = _read(self.place)

    def of(self, trial: Trial) -> int:
        """Return the round in which the seed of a trial is, from 1."""
        return self._numbers.get(_name(trial), 1)

    def together(self, trial: Trial) -> list[Trial]:
        """Return the trials of the seed of a trial, in the order of its round.

        The first round has the order of the campaign, and another one an order that is drawn.
        """
        own = [each for each in self.trials if each.block == trial.block]
        if self.of(trial) > 1:
            random.Random(f"{_name(trial)} {self.of(trial)}").shuffle(own)
        return own

    def waiting(self, missing: Iterable[Trial]) -> list[Trial]:
        """Return trials that are missing in the order of the runs: first those of later rounds."""
        wanted = list(missing)
        later = [each for each in wanted if self.of(each) > 1]
        blocks = dict.fromkeys(each.block for each in later)
        firsts = [next(each for each in later if each.block == block) for block in blocks]
        again = [each for first in firsts for each in self.together(first) if each in later]
        return [*again, *(each for each in wanted if self.of(each) == 1)]

    def again(self, trial: Trial) -> bool:
        """Begin the next round of the seed of a trial, and return whether there is one."""
        if self.of(trial) >= ATTEMPTS:
            return False
        for each in self.together(trial):
            if self.place.run(each).exists():
                self.aside(each)
        self._numbers[_name(trial)] = self.of(trial) + 1
        part = self.place.rounds.with_suffix(".part")
        part.write_text(json.dumps(self._numbers) + "\n")
        part.replace(self.place.rounds)
        return True

    def attempt(self, trial: Trial) -> Path:
        """Return the folder for what does not count of a trial in its round."""
        return self.place.out / LEFT_OUT / f"{trial.name}.{self.of(trial)}"

    def aside(self, trial: Trial) -> None:
        """Move the finished run of a trial to the runs that are left out."""
        numbers = count(ATTEMPTS + 1)
        to = self.attempt(trial)
        while to.exists():
            # Earlier versions repeated a run alone, and left one out where the other counts.
            to = to.with_suffix(f".{next(numbers)}")
        to.parent.mkdir(exist_ok=True)
        self.place.run(trial).rename(to)


def _name(trial: Trial) -> str:
    """Return the name of a seed: its group and its number."""
    return ":".join(map(str, trial.block))


def _read(place: Place) -> dict[str, int]:
    try:
        found = dict(json.loads(place.rounds.read_text()))
    except (ValueError, TypeError):
        found = {"": 0}
    if not all(isinstance(each, int) and 1 <= each <= ATTEMPTS for each in found.values()):
        raise InputError(
            f"{place.rounds}: not the rounds of a campaign", "name another folder with -o"
        )
    return found
