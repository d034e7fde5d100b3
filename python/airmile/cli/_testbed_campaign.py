"""`airmile testbed campaign`: a paper's experiment from its runs to its page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from airmile._words import counted, quoted, seconds, size
from airmile.cli import _output, _progress
from airmile.cli._exit_codes import PARTLY_FAILED
from airmile.cli._options import option

if TYPE_CHECKING:
    from airmile.campaign.design import Trial
    from airmile.campaign.drive import Drive

MARGIN = 0.25
"""The default margin, repeated so that `--help` loads no library; a test holds both equal."""


@click.command()
@click.argument("name", required=False)
@click.option("--quick", is_flag=True, help="Ten minutes at most: fewer trials, the same settings.")
@option("out", metavar="DIR", help="Folder of the campaign [campaign-NAME].")
@click.option(
    "--margin", type=click.FloatRange(0, 1, min_open=True), default=MARGIN, metavar="RATIO",
    help=f"Margin around a published value, as a share of it [{MARGIN}].",
)  # fmt: skip
@option("quiet", help="No progress.")
def campaign(name: str | None, quick: bool, out: Path | None, margin: float, quiet: bool) -> int:
    """Run the experiment of a paper, and hold what comes out against what it states.

    NAME is a campaign; without one they are listed, with the number of their runs and the time
    that these take. Everything that the runs need (root, programs, free disk) is checked before the
    first. The same command again goes on where a killed one was; no finished run is made again. A
    run that cannot be trusted is repeated once, and then left out.

    At its end DIR holds index.html, a page that opens from the file and requests nothing, with
    each published statement beside ours, its interval and whether it is reproduced, and the
    figures; results.csv and results.json hold the same. The runs are datasets in DIR/runs.

    Example: sudo airmile testbed campaign hwy18 --quick

    Exit codes: 0 done; 1 done, with runs left out; 2 usage; 5 environment, or something that the
    runs need is missing.
    """
    from airmile.campaign import find, names
    from airmile.campaign.drive import Drive
    from airmile.campaign.folder import Place, held

    if name is None:
        _output.say("\n".join(_listed(names())))
        return 0
    chosen = find(name)
    drive = Drive(Place(name, out or Path(f"campaign-{name}")), chosen, quick, margin)
    missing = drive.check()
    with held(drive.place):
        _output.say(_expected(drive, missing))
        try:
            with _progress.steps(not quiet) as show:
                for line in drive.run(show):
                    _output.say(line)
        except KeyboardInterrupt as error:
            return _output.interrupted(error, _again(drive))
        return _report(drive)


def _listed(names: list[str]) -> list[str]:
    from airmile.campaign import find
    from airmile.campaign.design import expected_s

    lines = []
    for name in names:
        found = find(name)
        whole, quick = found.trials(), found.trials(quick=True)
        counts = f"{len(whole):4} runs {_long(expected_s(whole)):>7}"
        short = f"quick {len(quick):2} {_long(expected_s(quick)):>6}"
        lines.append(f"{name:18} {counts}  {short}  {found.title}")
    return lines


def _long(spent_s: float) -> str:
    """Return a long time, in minutes or hours.

    >>> _long(540), _long(7200)
    ('9 min', '2.0 h')
    """
    return f"{spent_s / 60:.0f} min" if spent_s < 5400 else f"{spent_s / 3600:.1f} h"


def _expected(drive: Drive, missing: list[Trial]) -> str:
    from airmile.campaign.design import expected_bytes, expected_s

    return (
        f"{drive.place.name}: {counted(len(missing), 'run')} to make, which take some "
        f"{_long(expected_s(missing))} and {size(expected_bytes(missing))}, in {drive.place.out}"
    )


def _again(drive: Drive) -> str:
    options = " --quick" * drive.quick
    options += "" if drive.margin == MARGIN else f" --margin {drive.margin:g}"
    return f"airmile testbed campaign {drive.place.name}{options} -o {quoted(drive.place.out)}"


def _report(drive: Drive) -> int:
    found = drive.report()
    outcomes = [line.outcome for line in found.lines]
    for line in found.lines:
        _output.say(f"{line.outcome:15} {line.statement.quantity} ({line.statement.section})")
    counts = ", ".join(f"{outcomes.count(each)} {each}" for each in dict.fromkeys(outcomes))
    left = len(found.tally.left_out)
    _output.say(
        f"{counts}; {counted(len(found.tally.finished), 'run')} in {seconds(found.took_s)}, "
        f"{left} left out"
    )
    _output.note(f"page: {drive.place.out / 'index.html'}")
    return PARTLY_FAILED if left else 0
