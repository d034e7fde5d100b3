"""The parts of a campaign: arms, trials in their order, exhibits, and published statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from airmile.testbed.experiment import sweep, toml_file
from airmile.testbed.experiment.toml_file import Experiment

if TYPE_CHECKING:
    from airmile.store import Tables

AROUND_S = 12.0
"""How long a run takes besides its workload, in s: hosts, probe, captures and analysis."""

DERIVED = "derived"
"""The folder, beside the runs, of a dataset that a campaign makes from its runs."""

Estimator = Literal["mean", "share", "median", "p5", "p95", "difference", "ratio", "change"]
"""The ways in which the samples of a statement become one figure with an interval (methods H7)."""


Rows = Callable[["Tables"], "str | Iterable[Mapping[str, Any]]"]
"""A function that returns SQL over a dataset of runs, or rows, with columns `run` and `value`."""


@dataclass(frozen=True)
class Arm:
    """One of the alternatives that a campaign compares: an experiment with settings of its own.

    Attributes
    ----------
    name : str
        The name of the arm in the names of its runs.
    experiment : str
        The name of an experiment that comes with airmile; its `[sweep]` is ignored.
    settings : mapping
        Values that replace those of the experiment, by dotted paths as in a sweep.
    expected_s : float
        How long the workload takes, in seconds, as far as this is known in advance.
    megabytes : float
        The disk space that one run needs, in MB.
    first_seed : int
        The seed of the first iteration. Arms with the same value are compared on the same links; an
        arm with another value has links of its own.
    group : str
        The folder and the dataset of the runs of this arm, if the campaign has several.
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
    """One run: an arm with a seed; trials of one seed have the same link and competing users."""

    arm: Arm
    seed: int

    @property
    def name(self) -> str:
        """The name of the run."""
        return f"{self.arm.name}-{self.seed}"

    @property
    def block(self) -> tuple[str, int]:
        """The group and the seed: the trials that share both are repeated together."""
        return self.arm.group, self.seed

    def experiment(self) -> Experiment:
        """Return the experiment of the trial, with the settings of the arm and the seed."""
        file = sweep.BUNDLED / f"{self.arm.experiment}.toml"
        table = {key: value for key, value in toml_file.read(file).items() if key != "sweep"}
        for path, value in {**self.arm.settings, "seed": self.seed}.items():
            sweep.change(table, path, value)
        return toml_file.parse_file(file, self.name, table)


@dataclass(frozen=True)
class Statement:
    """A number or a direction that a paper states, and how the same is computed from our runs.

    Attributes
    ----------
    quantity : str
        What the paper states something about, in words.
    section : str
        Where the paper states it, such as `section 4`.
    published : str
        The words or numbers of the paper.
    value : float or None
        The published value, in the unit of the rows; None if only a direction is published.
    unit : str
        The unit as it is printed.
    estimator : str
        How the samples become one figure (methods H7).
    rows : str or callable
        SQL over the tables with the columns `run` and `value`, or a function that returns such SQL
        or such rows. Rows with the same seed are one sample: their mean.
    arms : str
        The arms that are measured; `*` matches anything.
    against : str
        The arms with which they are compared seed by seed, for estimators of pairs.
    side : int
        1 if the paper states that the value is above `no_effect`, -1 if below, 0 for no direction.
    no_effect : float or None
        The value that means no effect: 0 for a difference, 1 for a ratio.
    bound : int
        1 if the published value is a least one, -1 if it is a most one, 0 if it is the value
        itself.
    truth : str or callable
        The same as `rows` from the truth of the link, if `rows` are estimates of airmile; or empty.
    because : str
        Why our value may differ: what is not available, and what replaces it.
    group : str
        The dataset that is queried, if the campaign has several.
    set_by : str
        The settings of the experiment from which our value follows, if it does (methods H7). Such a
        statement is shown as set, and is not tested.
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
    set_by: str = ""


Order = Callable[[Sequence[Arm], int], Iterable[Trial]]
"""A function that returns the trials of arms, for some iterations, in the order of the runs."""


def interleaved(arms: Sequence[Arm], iterations: int) -> Iterator[Trial]:
    """Yield a trial of each arm for each seed, so that compared runs are minutes apart.

    Another arm begins with each seed, so that no arm is always the first.

    >>> arms = [Arm("a", "ping"), Arm("b", "ping")]
    >>> [trial.name for trial in interleaved(arms, 3)]
    ['a-1', 'b-1', 'b-2', 'a-2', 'a-3', 'b-3']
    """
    for number in range(iterations):
        first = number % len(arms)
        yield from (Trial(arm, arm.first_seed + number) for arm in (*arms[first:], *arms[:first]))


@dataclass(frozen=True)
class Short:
    """What `--quick` changes in each run, besides making fewer of them.

    Attributes
    ----------
    settings : mapping
        Values that replace those of each arm, by dotted paths as in a sweep.
    expected_s : float
        How long the workload takes with them, in seconds.
    says : str
        What is shorter, as a sentence for the page.
    """

    settings: Mapping[str, Any]
    expected_s: float
    says: str

    def arm(self, arm: Arm) -> Arm:
        """Return an arm with the shorter settings."""
        settings = {**arm.settings, **self.settings}
        return replace(arm, settings=settings, expected_s=self.expected_s)


@dataclass(frozen=True)
class Campaign:
    """A published experiment: the runs and their order, what is shown, and what is checked.

    Attributes
    ----------
    study : str
        Short name of the study, such as ``bt19``.
    section : str
        Where the paper describes the experiment.
    title : str
        The question that the experiment answers.
    arms : sequence of Arm
        The alternatives that are compared.
    whole, quick : int
        The number of iterations as in the paper, and with `--quick`.
    exhibits : sequence of str
        Names of the figures and tables on the page, such as ``fig6``.
    statements : sequence of Statement
        What the paper states.
    notes : sequence of str
        Differences from the paper that no outcome changes.
    order : callable
        A function that returns the trials in the order of the runs.
    in_quick : callable
        A function that returns whether `--quick` includes a trial.
    short : Short or None
        The settings that are shorter with `--quick`; None if they are those of the whole campaign.
    derived : callable
        A function that makes a dataset from the runs that count in a folder of its own. Exhibits
        that cannot show the runs themselves show this dataset.
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
    short: Short | None = None
    derived: Callable[[Tables, Path], None] | None = None

    def trials(self, *, quick: bool = False) -> list[Trial]:
        """Return the trials in the order of the runs."""
        if not quick:
            return list(self.order(self.arms, self.whole))
        chosen = [trial for trial in self.order(self.arms, self.quick) if self.in_quick(trial)]
        if self.short is None:
            return chosen
        return [replace(trial, arm=self.short.arm(trial.arm)) for trial in chosen]

    def shorter(self) -> str:
        """Return what `--quick` leaves out of the arms and what it shortens, as sentences."""
        arms = {trial.arm.name for trial in self.trials(quick=True)}
        fewer = f"{len(arms)} of {len(self.arms)} arms. " if len(arms) < len(self.arms) else ""
        return fewer + (self.short.says if self.short else "The settings of a run are the same.")

    @property
    def groups(self) -> list[str]:
        """The names of the datasets of the runs, in the order of the arms."""
        return list(dict.fromkeys(arm.group for arm in self.arms))


def expected_s(trials: Iterable[Trial]) -> float:
    """Return how long trials take in total, in seconds."""
    return sum(trial.arm.expected_s + AROUND_S for trial in trials)


def expected_bytes(trials: Iterable[Trial]) -> int:
    """Return the disk space that trials need, in bytes."""
    return int(sum(trial.arm.megabytes for trial in trials) * 1e6)
