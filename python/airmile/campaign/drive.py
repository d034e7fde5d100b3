"""Takes a campaign from the check of the machine to the page of results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from airmile._errors import OutputError
from airmile._words import quoted
from airmile.campaign import (
    conduct,
    design,
    folder,
    load,
    measured,
    page,
    plans,
    rehearsal,
    requirements,
    results,
    rule,
)
from airmile.campaign.design import Campaign, Trial
from airmile.campaign.folder import Place
from airmile.store import Tables, _files
from airmile.study import EXHIBITS
from airmile.study._several import Result
from airmile.study._several import results as exhibits_of
from airmile.testbed.experiment.toml_file import Experiment
from airmile.testbed.run.campaign import OnStep

INDEX, CSV, JSON = "index.html", "results.csv", "results.json"


@dataclass(frozen=True)
class Drive:
    """One campaign and the folder in which it is made.

    Attributes
    ----------
    place : Place
        The folder of the campaign.
    campaign : Campaign
        The campaign that is made.
    quick : bool
        Whether only the trials of `--quick` are made.
    margin : float
        The half-width of the margin around a published value, as a share of the value.
    """

    place: Place
    campaign: Campaign
    quick: bool = False
    margin: float = rule.MARGIN

    @property
    def trials(self) -> list[Trial]:
        """The trials of the campaign in their order."""
        return self.campaign.trials(quick=self.quick)

    @property
    def plan(self) -> plans.Plan:
        """The plan of the campaign: what its trials decide."""
        return plans.plan(self.campaign, self.trials, quick=self.quick, margin=self.margin)

    @property
    def missing(self) -> list[Trial]:
        """The trials that have not been run yet."""
        return folder.missing(self.place, self.trials)

    def keep(self) -> plans.Kept:
        """Write the plan into the folder before the first run, and return its place there.

        Raises
        ------
        UsageError
            A run in the folder was made with other settings.
        """
        conduct.refuse_others(self.place, self.trials)
        return plans.keep(self.place, self.plan, folder.finished(self.place, self.campaign.groups))

    def rehearse(self, number: int) -> Iterator[str]:
        """Try a number of runs side by side, and yield lines about the trial and its outcome."""
        yield from rehearsal.rehearse(self.place, self.trials, number)

    def at_once(self, number: int) -> int:
        """Return the number of runs side by side that leaves the links as punctual: all, or 1."""
        tried = number > 1 and rehearsal.found(self.place, self.trials, number).unchanged
        return number if tried else 1

    def run(
        self,
        on_step: OnStep = lambda _: None,
        before: conduct.Before = lambda: (),
        at_once: int = 1,
    ) -> Iterator[str]:
        """Make the missing runs, and yield a line about each of them."""
        yield from conduct.conduct(self.place, self.trials, on_step, before, at_once)

    def report(self) -> results.Outcome:
        """Measure the runs, write the page and the files, and return the outcome.

        Raises
        ------
        OutputError
            No run can be trusted, or the folder cannot be written.
        """
        tally = folder.tally(self.place, self.trials)
        if not tally.finished:
            raise OutputError(
                f"{self.place.out}: no run of the campaign can be trusted",
                "let the machine rest, remove the folder and run it again",
            )
        datasets = self._datasets(tally.finished)
        runs = {group or "runs": dataset for group, dataset in datasets.items()}
        derived = self._derived(runs, tally.finished)
        plan = self.plan
        found = results.Outcome(
            name=self.place.name,
            campaign=self.campaign,
            plan=plan,
            kept=plans.kept(self.place, plan),
            tally=tally,
            took_s=folder.took_s(self.place, self.trials),
            others=folder.others(self.place, self.trials),
            loads=load.noted(self.place),
            side_by_side=rehearsal.noted(self.place, self.trials),
            kernels=results.kernels(self.place, tally.finished),
            lines=measured.lines(plan, datasets, tally.finished),
            exhibits=list(self._exhibits(derived, runs)),
        )
        commands = {label: quoted(dataset.path) for label, dataset in {**runs, **derived}.items()}
        _write(self.place.out / JSON, results.as_json(found))
        _write(self.place.out / CSV, results.as_csv(found))
        _write(self.place.out / INDEX, page.page(found, commands))
        return found

    def _datasets(self, finished: list[Trial]) -> dict[str, Tables]:
        """Return the runs that count by group; the folder may hold those of the whole campaign."""
        names = {
            group: [trial.name for trial in finished if trial.arm.group == group]
            for group in self.campaign.groups
        }
        return {
            group: Tables(self.place.runs(group), runs=runs)
            for group, runs in names.items()
            if runs
        }

    def _derived(self, runs: Mapping[str, Tables], finished: list[Trial]) -> dict[str, Tables]:
        """Return the dataset that the campaign makes of its runs, if it makes one, by label."""
        if self.campaign.derived is None:
            return {}
        out = self.place.out / design.DERIVED
        for dataset in runs.values():
            self.campaign.derived(dataset, out)
        names = [trial.name for trial in finished]
        return {design.DERIVED: Tables(out, runs=names)}

    def _exhibits(self, *choices: Mapping[str, Tables]) -> Iterator[Result]:
        """Yield each exhibit from the first choice of datasets that has its data, or the last."""
        for name in self.campaign.exhibits:
            exhibit = EXHIBITS[self.campaign.study][name]
            for sources in filter(None, choices):
                (result,) = exhibits_of([exhibit], dict(sources))
                if result.tables:
                    break
            yield result


def check(drives: Sequence[Drive]) -> None:
    """Check that the machine has everything that the missing runs of campaigns need.

    Raises
    ------
    OutputError
        Something is missing; the message names everything that is.
    """
    missing = [drive.missing for drive in drives]
    if any(missing):
        needed = sum(design.expected_bytes(each) for each in missing)
        wanted = [experiment for each in missing for experiment in _one_of_each(each)]
        requirements.check(wanted, drives[0].place.out, needed)


def _one_of_each(trials: list[Trial]) -> list[Experiment]:
    """Return an experiment for each arm: all seeds of an arm need the same things."""
    arms = {trial.arm.name: trial for trial in trials}
    return [trial.experiment() for trial in arms.values()]


def _write(file: Path, text: str) -> None:
    """Write a file as a whole: an interruption leaves no part of it."""
    try:
        with _files.whole(file) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{file}: {error.strerror}", "name another folder with -o") from None
