"""The rounds of a seed: if one of its runs cannot be trusted, all its arms are run again.

Arms of one seed are compared, and so they should meet the machine in the same state. A run that was
made again alone, later, would be compared with runs of another time. So the whole seed is repeated,
in an order that is drawn from its name, and what the first round gave is moved to `left-out`.

A seed is closed before its runs are moved, and its next round opened when all are: what is killed
in between is finished by the next process. While a seed is open, a finished run belongs to its
round.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby
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
    _open: dict[str, int] = field(default_factory=dict)
    _closing: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.place.rounds.exists():
            self._open, self._closing = _read(self.place)
        for trials in self.seeds():
            if _name(trials[0]) in self._closing:
                self._finish(trials)

    def seeds(self) -> list[list[Trial]]:
        """Return the trials of each seed, by group and seed."""
        ordered = sorted(self.trials, key=lambda trial: trial.block)
        return [list(own) for _, own in groupby(ordered, lambda trial: trial.block)]

    def of(self, trial: Trial) -> int:
        """Return the round in which the seed of a trial is, from 1."""
        return self._open.get(_name(trial), 1)

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
        self._closing.append(_name(trial))
        self._write()
        self._finish(self.together(trial))
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

    def _finish(self, trials: Sequence[Trial]) -> None:
        """Move all runs of a closed seed, and open its next round."""
        for trial in trials:
            if self.place.run(trial).exists():
                self.aside(trial)
        name = _name(trials[0])
        self._open[name] = self._open.get(name, 1) + 1
        self._closing.remove(name)
        self._write()

    def _write(self) -> None:
        part = self.place.rounds.with_suffix(".part")
        part.write_text(json.dumps({"open": self._open, "closing": self._closing}) + "\n")
        part.replace(self.place.rounds)


def _name(trial: Trial) -> str:
    """Return the name of a seed: its group and its number."""
    return ":".join(map(str, trial.block))


def _read(place: Place) -> tuple[dict[str, int], list[str]]:
    try:
        found = json.loads(place.rounds.read_text())
        rounds, closing = dict(found["open"]), list(found["closing"])
    except (ValueError, KeyError, TypeError):
        rounds, closing = {"": 0}, []
    fits = all(isinstance(each, int) and 1 <= each <= ATTEMPTS for each in rounds.values())
    if not fits or not all(isinstance(each, str) for each in closing):
        raise InputError(
            f"{place.rounds}: not the rounds of a campaign", "name another folder with -o"
        )
    return rounds, closing
