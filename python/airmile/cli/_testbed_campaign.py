"""`airmile testbed campaign`: make the runs of a paper's experiment and its result page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from airmile._errors import AirmileError
from airmile._words import counted, quoted, seconds
from airmile.cli import _campaign_plan, _output, _progress
from airmile.cli._exit_codes import PARTLY_FAILED
from airmile.cli._options import option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from airmile.campaign.drive import Drive

ALL = "all"
"""The name that means all campaigns."""

MARGIN = 0.25
"""The default margin, repeated here so that `--help` loads no library; a test compares both."""


@click.command()
@click.argument("name", required=False)
@click.option(
    "--quick", is_flag=True,
    help="What ten minutes can decide: fewer runs, of some campaigns also fewer arms or shorter "
    "transfers, which the plan and the page say.",
)  # fmt: skip
@click.option("--plan", "only_plan", is_flag=True, help="Print the plan and run nothing.")
@option("out", metavar="DIR", help="Folder of the campaign [campaign-NAME, or -quick after it].")
@click.option(
    "--margin", type=click.FloatRange(0, 1, min_open=True), default=MARGIN, metavar="RATIO",
    help=f"Margin around a published value, as a fraction of the value [{MARGIN}].",
)  # fmt: skip
@click.option(
    "--wait", type=click.IntRange(1, 1440), metavar="MINUTES",
    help="Before each run wait up to this long until others use at most 10 % of the cores.",
)  # fmt: skip
@click.option(
    "--side-by-side", type=click.IntRange(2, 8), metavar="N",
    help="Make N runs at a time, if a trial shows that their links are as punctual as alone.",
)  # fmt: skip
@option("quiet", help="No progress.")
def campaign(
    name: str | None,
    quick: bool,
    only_plan: bool,
    out: Path | None,
    margin: float,
    wait: int | None,
    side_by_side: int | None,
    quiet: bool,
) -> int:
    """Run the experiment of a paper, and compare the results with the paper's statements.

    NAME is a campaign, or "all". Without NAME the command lists the campaigns, with the number of
    their runs and the time that the runs take. Before the first run it checks all that the runs
    need (root, programs, free disk space), and prints and keeps a plan: which statements are tested
    together, with how many seeds, and how many each needs. If a campaign is interrupted, the same
    command continues it without repeating finished runs. If a run cannot be trusted, all arms of
    its seed are run again once; a run that cannot be trusted then is left out. Runs need a machine
    that does nothing else: its load is measured first, and --wait waits until it is quiet.

    At the end DIR holds index.html, a page that opens without a network connection. It shows each
    published value beside ours, our interval, whether the statement is reproduced, and the figures.
    results.csv and results.json hold the same results. The runs are datasets in DIR/runs. Each
    campaign of "all" has a folder of its own in DIR, campaign-NAME or campaign-NAME-quick.

    Example: sudo airmile testbed campaign hwy18 --quick

    Exit codes: 0 done; 1 done, but runs were left out; 2 usage; 5 environment, or something that
    the runs need is missing.
    """
    from airmile.campaign import drive, names

    if name is None:
        _output.say("\n".join(_listed(names())))
        return 0
    drives = list(_drives(name, quick, out, margin))
    if not only_plan:
        drive.check(drives)
    if name == ALL and quick:
        drives = list(_deciding(drives))
    if only_plan:
        return _planned(drives)
    how = How(wait, side_by_side or 1, quiet)
    try:
        if name != ALL:
            return _conducted(drives[0], how)
        return max([_conducted_or_told(each, how) for each in drives], default=0)
    except KeyboardInterrupt as error:
        return _output.interrupted(error, _again(name, quick, out, margin, how))


class How(NamedTuple):
    """How runs are made: the minutes to wait for quiet, the number at a time, and how silently."""

    wait: int | None
    side_by_side: int
    quiet: bool


def _drives(name: str, quick: bool, out: Path | None, margin: float) -> Iterator[Drive]:
    """Yield the named campaign with its folder, or every campaign."""
    from airmile.campaign import find, names
    from airmile.campaign.drive import Drive
    from airmile.campaign.folder import Place

    form = "-quick" * quick
    if name != ALL:
        yield Drive(Place(name, out or Path(f"campaign-{name}{form}")), find(name), quick, margin)
        return
    for each in names():
        place = Place(each, (out or Path()) / f"campaign-{each}{form}")
        yield Drive(place, find(each), quick, margin)


def _deciding(drives: list[Drive]) -> Iterator[Drive]:
    """Yield the campaigns that can decide a statement, and say which cannot."""
    for drive in drives:
        if drive.plan.family:
            yield drive
        else:
            _output.say(
                f"{drive.place.name}: left out, because ten minutes decide none of its statements; "
                f"`airmile testbed campaign {drive.place.name} --quick` runs it all the same"
            )


def _planned(drives: list[Drive]) -> int:
    """Print the plans of campaigns."""
    for drive in drives:
        for line in _campaign_plan.lines(drive):
            _output.say(line)
    return 0


def _conducted(drive: Drive, how: How) -> int:
    """Make the missing runs of a campaign and its page, and return the exit code."""
    from airmile.campaign.folder import held

    with held(drive.place):
        for line in (*_campaign_plan.lines(drive), *_campaign_plan.another(drive.keep())):
            _output.say(line)
        if drive.missing:
            _measured(drive, how.wait)
        if drive.missing and how.side_by_side > 1:
            for line in drive.rehearse(how.side_by_side):
                _output.say(f"  {line}")
        at_once = drive.at_once(how.side_by_side)
        with _progress.steps(not how.quiet) as show:
            for line in drive.run(show, lambda: _waited(how.wait), at_once):
                _output.say(line)
        return _report(drive)


def _measured(drive: Drive, wait: int | None) -> None:
    """Measure the load of the machine before the first run, say it, and keep it for the page."""
    from airmile.campaign import load

    for line in _waited(wait):
        _output.say(line)
    found = load.measure()
    load.note(drive.place, found)
    if advice := load.advice(found):
        _output.warn(advice)
    else:
        _output.say(f"  {found}")


def _waited(wait: int | None) -> Iterator[str]:
    """Wait until the machine is quiet, if that is wanted, and yield lines about it."""
    from airmile.campaign import load

    if wait is not None:
        yield from load.wait(60.0 * wait)


def _conducted_or_told(drive: Drive, how: How) -> int:
    """Make a campaign and return the exit code; an error is printed and ends only this campaign."""
    try:
        return _conducted(drive, how)
    except AirmileError as error:
        _output.complain(error.message, error.hint)
        return error.exit_code


def _listed(names: list[str]) -> list[str]:
    from airmile.campaign import find
    from airmile.campaign.design import expected_s

    lines = []
    for name in names:
        found = find(name)
        whole, quick = found.trials(), found.trials(quick=True)
        counts = f"{len(whole):4} runs {_campaign_plan.long(expected_s(whole)):>7}"
        short = f"quick {len(quick):2} {_campaign_plan.long(expected_s(quick)):>6}"
        lines.append(f"{name:18} {counts}  {short}  {found.title}")
    return lines


def _again(name: str, quick: bool, out: Path | None, margin: float, how: How) -> str:
    options = " --quick" * quick
    options += "" if margin == MARGIN else f" --margin {margin:g}"
    options += f" --wait {how.wait}" if how.wait else ""
    options += f" --side-by-side {how.side_by_side}" if how.side_by_side > 1 else ""
    options += f" -o {quoted(out)}" if out else ""
    return f"airmile testbed campaign {name}{options}"


def _report(drive: Drive) -> int:
    """Write the page, print the outcomes, and return the exit code."""
    from airmile.campaign import statements

    found = drive.report()
    for line in statements.ordered(found):
        why = f": {line.reason}" if line.outcome in ("too few", "no value") else ""
        statement = line.statement
        _output.say(f"{line.outcome:15} {statement.quantity} ({statement.section}){why}")
    left = len(found.tally.left_out)
    _output.say(
        f"{statements.counts(found)}; {counted(len(found.tally.finished), 'run')} in "
        f"{seconds(found.took_s)}, {left} left out"
    )
    _output.note(f"page: {drive.place.out / 'index.html'}")
    return PARTLY_FAILED if left else 0
