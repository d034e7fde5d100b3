"""`airmile study`: make the figures and tables of papers from datasets or samples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from airmile._errors import UsageError
from airmile._words import printable, quoted
from airmile.cli import _answer, _output, _study_output
from airmile.cli._options import option

if TYPE_CHECKING:
    from airmile.study import Exhibit
    from airmile.study._several import Result
    from airmile.study._source import Source

STUDIES = ("bt19", "eff14", "hwy18", "lte13", "up16")
"""Names that `airmile.study` defines, repeated here so that `--help` loads no library."""

EVERY = "all"
"""The name that means all studies."""

BURST_RULE = "bursttracker"
"""The default of `--estimator`, repeated here so that `--help` loads no library."""

PICTURES = (".png", ".svg", ".pdf")
PAGES = (".html", ".htm")


@dataclass(frozen=True)
class _Given:
    """Options that only some exhibits (figures and tables) accept."""

    estimator: str
    ss: Path | None
    arm: str | None = None

    def options(self, exhibit: Exhibit) -> dict[str, Any]:
        """Return the options that an exhibit accepts, as keyword arguments."""
        estimator = {"estimator": self.estimator} if exhibit.estimators else {}
        return {**estimator, **({"sender": self.sender} if exhibit.senders else {})}

    def words(self, exhibit: Exhibit) -> str:
        """Return these options as on the command line, with a space before each."""
        chosen = exhibit.estimators and self.estimator != BURST_RULE
        estimator = f" --estimator {self.estimator}" if chosen else ""
        return estimator + (f" --ss {quoted(self.ss)}" if exhibit.senders and self.ss else "")

    @cached_property
    def sender(self) -> Any:
        """The table read from the `--ss` file; None without a file."""
        from airmile.uplink import read_ss

        return read_ss(self.ss) if self.ss else None


@dataclass(frozen=True)
class _Wanted:
    """The output files and the format of the answer."""

    out: Path | None
    page: Path | None
    form: str


@click.command()
@click.argument("name", metavar="NAME", type=click.Choice((*STUDIES, EVERY)))
@click.argument("sources", metavar="SOURCE...", nargs=-1, required=True, type=Path)
@click.option(
    "--figure",
    "only",
    metavar="FIG",
    help="Make only this figure or table, such as fig4 or table1 [all].",
)
@option(
    "label",
    help="Label of a SOURCE in pictures and columns; repeat it once per SOURCE [its file name].",
)  # fmt: skip
@click.option(
    "--page", type=Path, metavar="FILE.html",
    help="Write all figures and tables to one page, which opens without a network connection.",
)  # fmt: skip
@click.option(
    "--arm", metavar="NAME",
    help="Of a folder of runs, only those of this arm; without it each arm has a column [all].",
)  # fmt: skip
@option(
    "out", metavar="FILE",
    help="A page (HTML); with --figure a picture (PNG, SVG, PDF); else a folder for pictures and "
    "CSV tables.",
)  # fmt: skip
@option(
    "estimator", default=BURST_RULE,
    help="Estimator of throughput time, for figures that use one [bursttracker, the paper's].",
)  # fmt: skip
@click.option(
    "--ss", type=Path, metavar="FILE",
    help="up16: repeated output of `ss -ti` on the phone, each after a line with its time.",
)  # fmt: skip
@option(
    "format", help="text: your numbers beside the paper's; other formats: the table of --figure."
)
def study(
    name: str,
    sources: tuple[Path, ...],
    only: str | None,
    given_labels: tuple[str, ...],
    page: Path | None,
    arm: str | None,
    out: Path | None,
    estimator: str,
    ss: Path | None,
    form: str,
) -> None:
    """Make the figures and tables of a paper from your own dataset.

    NAME is the paper: bt19 (BurstTracker, MobiCom 2019), eff14 (efficiency of short flows, 2014),
    hwy18 (CUBIC and BBR on the highway, PAM 2018; the figures of the radio), lte13 (an LTE
    network's traffic, SIGCOMM 2013), up16 (buffers of uploads, IMC 2016), or all. For each figure
    the command prints your numbers beside the paper's. -o also draws the figures, and --page puts
    everything on one page (pictures need pip install 'airmile[study]'). Figures that the data
    cannot give are listed with the missing data and how to get it.

    SOURCE is a dataset; several datasets appear side by side, with a colour and a column for each.
    For eff14, SOURCE may also be a CSV file (columns rate_mbps, rtt_ms, loaded_rtt_ms) or published
    percentiles: eff14 (its 3.5G and 4G), eff14-3g, eff14-3.5g, eff14-4g, lte13.

    Example: airmile study lte13 a.airmile b.airmile --label A --label B --page lte13.html

    Exit codes: 0 done, even if the data cannot give some of the figures; 2 usage, or the data give
    no figure (--page is written all the same, because it says what is missing); 3 no dataset;
    5 environment.
    """
    from airmile.study import EXHIBITS
    from airmile.study._several import labels

    if name == EVERY and only is not None:
        raise UsageError(f"--figure {only} of all papers", "name the paper: airmile study lte13")
    names = STUDIES if name == EVERY else (name,)
    exhibits = {study: _chosen(EXHIBITS[study], study, only) for study in names}
    wanted = _wanted(out, page, form)
    _check(wanted, exhibits, only, len(sources))
    _check_sources(sources, exhibits)
    labelled = dict(
        zip(labels([str(path) for path in sources], given_labels), sources, strict=True)
    )
    given = _Given(estimator, ss, arm)
    if only is not None and wanted.page is None:
        _one(name, labelled, exhibits[name][0], given, wanted)
    else:
        _all(labelled, exhibits, given, wanted)


def _wanted(out: Path | None, page: Path | None, form: str) -> _Wanted:
    """Return the outputs; ``-o FILE.html`` is a page, as ``--page`` makes it."""
    if out is None or out.suffix.lower() not in PAGES:
        return _Wanted(out, page, form)
    if page is not None:
        raise UsageError(f"-o {out} and --page {page}: two pages", "give one of them")
    return _Wanted(None, out, form)


def _chosen(exhibits: dict[str, Exhibit], study: str, only: str | None) -> list[Exhibit]:
    if only is None:
        return list(exhibits.values())
    if only not in exhibits:
        raise UsageError(
            f"{study} has no figure or table {only!r}", f"it has {', '.join(exhibits)}"
        )
    return [exhibits[only]]


def _check(
    wanted: _Wanted, exhibits: dict[str, list[Exhibit]], only: str | None, sources: int
) -> None:
    """Raise an error for options that contradict each other."""
    out, form = wanted.out, wanted.form
    if form != "text" and (only is None or sources > 1):
        raise UsageError(
            f"--format {form} prints only one table of one dataset", "name it: --figure fig4"
        )
    if only is None and out is not None and out.suffix in PICTURES:
        raise UsageError(f"-o {out}: one picture for all figures", "add --figure, or name a folder")
    if only is not None and out is not None:
        _check_picture(next(iter(exhibits.values()))[0], out)


def _check_sources(sources: tuple[Path, ...], exhibits: dict[str, list[Exhibit]]) -> None:
    """Raise an error for the name of a figure where a dataset is expected."""
    names = {exhibit.name for several in exhibits.values() for exhibit in several}
    for source in sources:
        if str(source) in names and not source.exists():
            raise UsageError(f"{source} is no dataset", f"choose the figure by --figure {source}")


def _check_picture(exhibit: Exhibit, out: Path) -> None:
    if out.suffix not in PICTURES:
        raise UsageError(
            f"-o {out}: no picture format {out.suffix!r}", f"name it with {', '.join(PICTURES)}"
        )
    if exhibit.picture is None:
        raise UsageError(f"{exhibit.name} is a table", f"--figure {exhibit.name} --format csv")


def _opened(name: str, sources: dict[str, Path], arm: str | None) -> dict[str, Source]:
    """Open the sources of a study's exhibits."""
    import airmile
    from airmile.study import _arms, eff14

    def open_(path: Path) -> Source:
        if name == "eff14" and not path.is_dir():
            return eff14.read(path)
        dataset = airmile.open(path)
        return dataset if arm is None else _arms.only(dataset, arm)

    return {label: open_(path) for label, path in sources.items()}


def _one(
    name: str, labelled: dict[str, Path], exhibit: Exhibit, given: _Given, wanted: _Wanted
) -> None:
    from airmile.study._several import results

    sources = _opened(name, labelled, given.arm)
    (result,) = results([exhibit], sources, given.options, arms=True)
    _check_one(wanted, result)
    if not result.tables:
        raise next(iter(result.missing.values()))
    _answer.show(
        wanted.form, text=lambda: _text(result), table=lambda: next(iter(result.tables.values()))
    )
    if wanted.out is not None:
        _study_output.draw(result, wanted.out)


def _check_one(wanted: _Wanted, result: Result) -> None:
    """Raise an error where the arms of runs have tables of their own, and one is to be printed."""
    if wanted.form != "text" and len(result.tables) > 1:
        arms = ", ".join(part.arm for part in result.parts.values())
        raise UsageError(
            f"--format {wanted.form} prints only one table, and the runs have several arms: {arms}",
            "choose one: --arm NAME",
        )


def _text(result: Result) -> str:
    from airmile.render import study as words

    width = _output.width()
    below = ["", words.notes(result.notes, width)] if result.notes else []
    missing = [(result.exhibit, why) for why in result.missing.values()]
    lacking = ["", words.lacking(missing, width)] if missing else []
    return "\n".join([words.result(result), *below, *lacking])


def _all(
    labelled: dict[str, Path],
    exhibits: dict[str, list[Exhibit]],
    given: _Given,
    wanted: _Wanted,
) -> None:
    from airmile.study import PAPERS
    from airmile.study._several import results

    made: dict[str, list[Result]] = {}
    for name, each in exhibits.items():
        found = results(each, _opened(name, labelled, given.arm), given.options, arms=True)
        if wanted.page is None:
            paths = " ".join(str(path) for path in labelled.values())
            _output.say(printable(f"{paths}  {PAPERS[name]}"))
            made[name] = _study_output.paper(found)
        else:
            made[name] = list(found)
        if wanted.out is not None:
            _keep(made[name], wanted.out / name if len(exhibits) > 1 else wanted.out)
    if wanted.page is not None:
        _study_output.page(wanted.page, made, labelled, given.words)
    _study_output.check(made)


def _keep(results: list[Result], out: Path) -> None:
    """Write a picture of one figure, or a folder with pictures and tables of all."""
    if out.suffix not in PICTURES:
        _study_output.keep(results, out)
        return
    for result in results:
        _study_output.draw(result, out)
