"""`airmile testbed`: real TCP over an emulated link, with known truth."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from airmile._errors import InputError, UsageError
from airmile.cli import _output

BUNDLED = Path(__file__).parent.parent / "testbed" / "experiments"
NOTHING = "nothing was left behind"


@click.group()
def testbed() -> None:
    """Run real kernel TCP over an emulated LTE link, with known truth.

    Running needs Linux, root, tcpdump and `pip install 'airmile[testbed]'`; nothing that a run
    makes is left behind.
    """


@testbed.command("list")
def list_() -> None:
    """List the experiments that come along."""
    from airmile.testbed import load

    files = sorted(BUNDLED.glob("*.toml"))
    width = max(len(file.stem) for file in files)
    for file in files:
        _output.say(f"{file.stem:{width}}  {load(file).description}")


@testbed.command()
@click.argument("experiment")
def show(experiment: str) -> None:
    """Show an EXPERIMENT (a name from the list, or a file) with every setting, as JSON."""
    from airmile.testbed import load

    _output.say(json.dumps(asdict(load(_file(experiment))), indent=2))


@testbed.command()
@click.argument("experiments", nargs=-1, required=True)
@click.option("-o", "--out", type=Path, default=Path("runs"), help="Folder of the runs [runs].")
@click.option("--seed", type=int, help="Of the link, instead of the experiment's own.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def run(experiments: tuple[str, ...], out: Path, seed: int | None, quiet: bool) -> None:
    """Run EXPERIMENTS (names from the list, or files), each into a folder of its own.

    Runs that are there already are kept: say the same again to go on with what is missing.
    """
    from airmile.testbed import load
    from airmile.testbed.campaign import run_all

    loaded = [load(_file(name)) for name in experiments]
    if seed is not None:
        loaded = [experiment.seeded(seed) for experiment in loaded]
    for told in run_all(loaded, out):
        if not quiet:
            _output.say(told)


@testbed.command()
@click.argument("runs", type=Path)
def score(runs: Path) -> None:
    """Score what `airmile analyze` says of the captures in RUNS against the truth."""
    from airmile.testbed.campaign import scores

    for line in scores(runs):
        _output.say(line)


@testbed.command()
def clean() -> None:
    """Remove what killed runs have left: processes, namespaces, devices, unfinished folders.

    Runs that go on, and finished ones, stay as they are.
    """
    # Whatever a run may make has its remover registered once the runner is imported.
    from airmile.testbed import leftovers, run  # noqa: F401

    _output.say("\n".join(f"removed {name}" for name in leftovers.clean()) or NOTHING)


def _file(name: str) -> Path:
    """Find an experiment by its file or its name."""
    for file in (Path(name), BUNDLED / f"{name}.toml"):
        if file.is_file():
            return file
    if name.endswith(".toml"):
        raise InputError(f"{name}: no such file")
    raise UsageError(f"no experiment is called {name!r}", "airmile testbed list")
