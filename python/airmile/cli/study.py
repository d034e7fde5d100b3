"""`airmile study`: figures and tables of a paper, reproduced from a dataset or samples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from airmile._errors import OutputError, UsageError
from airmile._words import printable
from airmile.cli import _answer, _output
from airmile.cli._options import option

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.study import Exhibit
    from airmile.study._exhibit import Source

STUDIES = ("bt19", "eff14", "hwy18", "lte13", "up16")
"""Names that `airmile.study` defines, repeated so that `--help` loads no library."""

PICTURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class _Given:
    """Options that some exhibits take."""

    estimator: str
    ss: Path | None

    def options(self, exhibit: Exhibit) -> dict[str, Any]:
        """Return those that an exhibit takes."""
        estimator = {"estimator": self.estimator} if exhibit.estimators else {}
        return {**estimator, **({"sender": self.sender} if exhibit.senders else {})}

    @cached_property
    def sender(self) -> Any:
        """The table of an `ss` file; None without one."""
        from airmile.uplink import read_ss

        return read_ss(self.ss) if self.ss else None


@click.command()
@click.argument("name", metavar="NAME", type=click.Choice(STUDIES))
@click.argument("source", type=Path)
@click.option("--figure", "only", metavar="FIG", help="This one alone: fig4, table1 [all].")
@option(
    "out", metavar="FILE",
    help="With --figure a picture (PNG, SVG, PDF), else a folder for pictures and tables (CSV).",
)  # fmt: skip
@option(
    "estimator", default="bursttracker",
    help="Estimate of throughput time, where an exhibit uses it [bursttracker: the paper's].",
)  # fmt: skip
@click.option(
    "--ss", type=Path, metavar="FILE",
    help="up16: `ss -ti` text of the phone, printed again and again below times.",
)  # fmt: skip
@option("format", help="text: its numbers beside those of the paper; else the table of --figure.")
def study(
    name: str,
    source: Path,
    only: str | None,
    out: Path | None,
    estimator: str,
    ss: Path | None,
    form: str,
) -> None:
    """Make the figures and tables of a paper anew from a dataset.

    NAME is the paper: bt19 (BurstTracker, MobiCom 2019), eff14 (efficiency of short flows, 2014),
    hwy18 (CUBIC and BBR on the highway, PAM 2018; the figures of the radio), lte13 (an LTE
    network's traffic, SIGCOMM 2013) or up16 (buffers of uploads, IMC 2016). For each figure the
    numbers are printed beside those that
    the paper gives; -o draws them (pip install 'airmile[study]'). What the data cannot give is
    listed with what is lacking and how to get it.

    SOURCE is a dataset. For eff14 it may also be a CSV file (columns rate_mbps, rtt_ms,
    loaded_rtt_ms) or published percentiles: eff14 (its 3.5G and 4G), eff14-3g, eff14-3.5g,
    eff14-4g, lte13.

    Example: airmile study bt19 phone.airmile -o pictures; airmile study eff14 eff14

    Exit codes: 0 done, also where the data lack some of the figures; 2 usage, or the data give
    none; 3 no dataset; 5 environment.
    """
    from airmile.study import EXHIBITS

    exhibits = EXHIBITS[name]
    given = _Given(estimator, ss)
    if only is None:
        _refuse_one_for_all(form, out)
        _all(name, source, list(exhibits.values()), given, out)
    elif only in exhibits:
        _one(_opened(name, source), exhibits[only], given, out, form)
    else:
        raise UsageError(f"{name} has no {only!r} here", f"it has {', '.join(exhibits)}")


def _opened(name: str, source: Path) -> Source:
    """Open the source of a study's exhibits."""
    import airmile
    from airmile.study import eff14

    return eff14.read(source) if name == "eff14" else airmile.open(source)


def _refuse_one_for_all(form: str, out: Path | None) -> None:
    """Refuse options that only a single exhibit takes."""
    if form != "text":
        raise UsageError(f"--format {form} gives one table", "name it: --figure fig4")
    if out is not None and out.suffix in PICTURES:
        raise UsageError(f"-o {out}: one picture for all figures", "add --figure, or name a folder")


def _one(source: Source, exhibit: Exhibit, given: _Given, out: Path | None, form: str) -> None:
    if out is not None and out.suffix not in PICTURES:
        raise UsageError(
            f"-o {out}: no picture format {out.suffix!r}", f"name it with {', '.join(PICTURES)}"
        )
    if out is not None and exhibit.picture is None:
        raise UsageError(f"{exhibit.name} is a table", f"--figure {exhibit.name} --format csv")
    table = exhibit.table(source, **given.options(exhibit))
    _answer.show(form, text=lambda: _text(exhibit, table), table=lambda: table)
    if out is not None:
        exhibit.write(table, out)
        _output.note(f"picture: {out}")


def _text(exhibit: Exhibit, table: pa.Table) -> str:
    from airmile.render import study as words
    from airmile.study import notes_of

    notes = notes_of(table)
    below = ["", words.notes(notes, _output.width())] if notes else []
    return "\n".join([words.exhibit(exhibit, table), *below])


def _all(name: str, where: Path, exhibits: list[Exhibit], given: _Given, out: Path | None) -> None:
    from airmile.render import study as words
    from airmile.study import PAPERS, Missing, notes_of

    source = _opened(name, where)
    _output.say(printable(f"{where}  {PAPERS[name]}"))
    missing: list[tuple[Exhibit, Missing]] = []
    notes: list[str] = []
    for exhibit in exhibits:
        try:
            table = exhibit.table(source, **given.options(exhibit))
        except Missing as lacking:
            missing.append((exhibit, lacking))
            continue
        _output.say("\n" + words.exhibit(exhibit, table))
        notes += notes_of(table)
        if out is not None:
            _keep(exhibit, table, out)
    if len(missing) == len(exhibits):
        raise UsageError(
            f"{name}: none of its figures; {missing[0][1].message}", missing[0][1].hint
        )
    if notes:
        _output.say("\n" + words.notes(notes, _output.width()))
    if missing:
        _output.say("\n" + words.lacking(missing, _output.width()))
    if out is not None:
        _output.note(f"pictures and tables: {out}")


def _keep(exhibit: Exhibit, table: Any, folder: Path) -> None:
    """Write table and picture."""
    from airmile.render import tables

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OutputError(f"-o {folder} is a file", "name a folder") from None
    with (folder / f"{exhibit.name}.csv").open("wb") as file:
        tables.write(table, "csv", file)
    if exhibit.picture is not None:
        exhibit.write(table, folder / f"{exhibit.name}.png")
