"""What a campaign is: arms, trials in their order, exhibits, and published statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from airmile.testbed.experiment import sweep, toml_file
from airmile.testbed.experiment.toml_file import Experiment

if TYPE_CHECKING:
    from airmile.dataset import Dataset

AROUND_S = 12.0
"""The duration of a run beside its workload, in seconds: hosts, probe, captures and analysis."""

DERIVED = "derived"
"""The folder of a dataset that a campaign makes of its runs, beside them."""

Estimator = Literal["mean", "share", "median", "p5", "p95", "difference", "ratio", "change"]
"""How the samples of a statement become one figure with an interval (methods H7)."""


Rows = Callable[["Dataset"], "str | Iterable[Mapping[str, Any]]"]
"""Gives SQL over a dataset of runs, or rows, with the columns `run` and `value`."""


@dataclass(frozen=True)
class Arm:
    """One of the things that a campaign compares: an experiment, with settings of its own.

    Attributes
    ----------
    name : str
        Its name in those of the runs.
    experiment : str
        A bundled experiment; its `[sweep]` is left out.
    settings : mapping
        What is set instead of the experiment's values, by dotted paths as in a sweep.
    expected_s : float
        How long its workload takes, in seconds, as far as that is known beforehand.
    megabytes : float
        The disk space that a run needs, in MB.
    first_seed : int
        The seed of the first iteration. Arms that are compared have the same; one with another
        has links of its own.
    group : str
        The folder and the dataset of its runs, where a campaign has several.
    """

    name: str
    experiment: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    expected_s: float = 30
    megabytes: float = 20
    first_seed: int = 1
    group: str = ""


@dataclass(frozen=True)
class Trial:
    """One run: an arm with a seed. Trials of one seed meet the same link and competitors."""

    arm: Arm
    seed: int

    @property
    def name(self) -> str:
        """The name of the run."""
        return f"{self.arm.name}-{self.seed}"

    def experiment(self) -> Experiment:
        """Return the experiment that the trial runs."""
        file = sweep.BUNDLED / f"{self.arm.experiment}.toml"
        table = {key: value for key, value in toml_file.read(file).items() if key != "sweep"}
        for path, value in {**self.arm.settings, "seed": self.seed}.items():
            sweep.change(table, path, value)
        return toml_file.parse_file(file, self.name, table)


@dataclass(frozen=True)
class Statement:
    """A number or a direction that a paper states, and how ours is computed.

    Attributes
    ----------
    quantity : str
        What it is, in words.
    section : str
        Where the paper states it.
    published : str
        The paper's words or numbers.
    value : float or None
        The published value, in the unit of the rows; None where only a direction is published.
    unit : str
        The unit, as it is printed.
    estimator : str
        How the samples become one figure (methods H7).
    rows : str or callable
        SQL over the tables with the columns `run` and `value`, or what gives it or its rows.
        Rows with the same seed are one sample, their mean.
    arms : str
        The arms that are measured, with `*` for anything.
    against : str
        The arms that they are compared with by seed, for paired estimators.
    side : int
        1 where the paper states that the value is above `no_effect`, -1 below, 0 no direction.
    no_effect : float or None
        The value that means no effect: 0 of a difference, 1 of a ratio.
    bound : int
        1 where the value is published as the least, -1 as the most; 0: as the value.
    truth : str or callable
        The same from the link's truth, where `rows` are airmile's estimates; empty: none.
    because : str
        Why ours may differ: what cannot be had, and what replaces it.
    group : str
        The dataset that is asked, where a campaign has several.
    """

    quantity: str
    section: str
    published: str
    value: float | None
    unit: str
    estimator: Estimator
    rows: str | Rows
    arms: str = "*"
    against: str = ""
    side: int = 0
    no_effect: float | None = None
    bound: int = 0
    truth: str | Rows = ""
    because: str = ""
    group: str = ""


Order = Callable[[Sequence[Arm], int], Iterable[Trial]]
"""Gives the trials of arms, for a number of iterations, in the order in which they are run."""


def interleaved(arms: Sequence[Arm], iterations: int) -> Iterator[Trial]:
    """Give a trial of each arm for each seed, so that compared runs are minutes apart.

    The arm that begins changes with each seed, so that none is always the first.

    >>> arms = [Arm("a", "ping"), Arm("b", "ping")]
    >>> [trial.name for trial in interleaved(arms, 3)]
    ['a-1', 'b-1', 'b-2', 'a-2', 'a-3', 'b-3']
    """
    for number in range(iterations):
        first = number % len(arms)
        yield from (Trial(arm, arm.first_seed + number) for arm in (*arms[first:], *arms[:first]))


@dataclass(frozen=True)
class Campaign:
    """A published experiment: what is run, in which order, what is shown, what is checked.

    Attributes
    ----------
    study : str
        Short name of the paper.
    section : str
        Where the paper describes the experiment.
    title : str
        What it asks.
    arms : sequence of Arm
        What is compared.
    whole, quick : int
        Iterations as the paper ran it, and with `--quick`: fewer, with the same settings.
    exhibits : sequence of str
        Figures and tables on the page: ``fig6``.
    statements : sequence of Statement
        What the paper states.
    notes : sequence of str
        What is not as in the paper, whatever comes out.
    order : callable
        The order of the trials.
    in_quick : callable
        Whether `--quick` runs a trial of its iterations.
    derived : callable
        Makes a dataset from the folder of the runs, in its own place, which the exhibits show that
        cannot show the runs themselves.
    """

    study: str
    section: str
    title: str
    arms: Sequence[Arm]
    whole: int
    quick: int
    exhibits: Sequence[str]
    statements: Sequence[Statement]
    notes: Sequence[str] = ()
    order: Order = interleaved
    in_quick: Callable[[Trial], bool] = lambda _: True
    derived: Callable[[Path, Path], None] | None = None

    def trials(self, *, quick: bool = False) -> list[Trial]:
        """Return the trials in the order in which they are run."""
        if not quick:
            return list(self.order(self.arms, self.whole))
        return [trial for trial in self.order(self.arms, self.quick) if self.in_quick(trial)]

    @property
    def groups(self) -> list[str]:
        """The datasets of its runs, in the order of the arms."""
        return list(dict.fromkeys(arm.group for arm in self.arms))


def expected_s(trials: Iterable[Trial]) -> float:
    """Return how long trials take together, in seconds."""
    return sum(trial.arm.expected_s + AROUND_S for trial in trials)


def expected_bytes(trials: Iterable[Trial]) -> int:
    """Return the disk space that trials need."""
    return int(sum(trial.arm.megabytes for trial in trials) * 1e6)
