"""`airmile testbed`: run real TCP over an emulated link that records what really happened."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from airmile._errors import UsageError
from airmile._words import printable, quoted
from airmile.cli import _output, _progress, _testbed_campaign
from airmile.cli._group import Listed
from airmile.cli._options import option

if TYPE_CHECKING:
    from airmile.testbed.experiment.toml_file import Experiment

PAPERS = ("LTE13", "EFF14", "UP16", "HWY18", "BT19")
"""Papers; the description of an experiment that follows a paper begins with its name."""

NOTHING = "nothing was left behind"


@click.group(cls=Listed)
def testbed() -> None:
    """Run the kernel's TCP over an emulated LTE link that records what really happened (truth).

    A run needs Linux, root (`sudo .venv/bin/airmile` in a clone), tcpdump, util-linux and
    pyroute2 (`.venv/bin/pip install 'pyroute2>=0.7,<1'`, the extra `testbed`). At its end a run
    removes everything that it made on the machine. `list`, `show` and `score` do not need root.
    """


@testbed.command("list")
def list_() -> None:
    """List the included experiments, grouped by the paper that they follow.

    `x72` means that the experiment is a sweep of 72 runs; a pattern such as `eff14_b-lte-*` names
    a part of them.
    """
    from airmile.testbed.experiment.sweep import bundled

    known = bundled()
    width = max(len(name) for name, _, _ in known)
    papers: dict[str, list[str]] = {paper: [] for paper in ("", *PAPERS)}
    for name, description, runs in known:
        paper, _, rest = description.partition(" ")
        about, text = (paper, rest) if paper in PAPERS else ("", description)
        count = f"x{runs}" if runs > 1 else ""
        papers[about].append(f"  {name:{width}} {count:>4}  {text}")
    groups = [[paper or "Single questions", *lines] for paper, lines in papers.items() if lines]
    _output.say("\n\n".join("\n".join(group) for group in groups))


@testbed.command()
@click.argument("experiment")
def show(experiment: str) -> None:
    """Show an EXPERIMENT (a name from the list, or a file) with every setting, as JSON.

    For a sweep the command shows the names of its runs; name one of them to see its settings.
    """
    from airmile.testbed.experiment.sweep import find

    found = find(experiment)
    if len(found) > 1:
        _output.say("\n".join(one.name for one in found))
    else:
        _output.say(json.dumps(asdict(_filled(found[0])), indent=2))


def _filled(experiment: Experiment) -> Experiment:
    """Add the defaults of the workloads' options."""
    from airmile.testbed.experiment.activity import filled

    return replace(
        experiment,
        options=filled(experiment.workload, experiment.options),
        background=[
            replace(each, options=filled(each.name, each.options)) for each in experiment.background
        ],
    )


@testbed.command()
@click.argument("experiments", nargs=-1, required=True)
@option("out", metavar=None, default=Path("runs"), help="Folder to write the runs into [runs].")
@click.option("--seed", type=int, help="Seed of the link, instead of the experiment's own.")
@click.option(
    "--seeds", type=int, help="Run each experiment with every seed from 1 to this number."
)
@option("quiet", help="No progress.")
def run(
    experiments: tuple[str, ...], out: Path, seed: int | None, seeds: int | None, quiet: bool
) -> int:
    """Run EXPERIMENTS (names from the list, or files), each in its own folder.

    Existing runs are kept and not repeated. If a run fails, the command still makes the others and
    ends with exit code 1; `resume` tries the failed run again. The folder of the runs is a dataset
    of all of them: `airmile query runs "SELECT run, limited_by FROM flows"`.
    """
    from airmile.testbed.experiment.sweep import find
    from airmile.testbed.run.campaign import run_all

    if seed is not None and seeds is not None:
        raise UsageError("--seed and --seeds exclude each other", "--seed is one, --seeds are many")
    wanted = seeds if seed is None else [seed]
    loaded = [one for name in experiments for one in find(name, wanted)]
    with _progress.steps(not quiet) as show:
        code = _report(run_all(loaded, out, show), out)
    if code == 0 and not quiet:
        real = all(one.interface for one in loaded)
        next_step = (
            "" if real else f": `airmile testbed score {quoted(out)}` compares them with the truth"
        )
        _output.note(f"the runs are in {out}{next_step}")
    return code


@testbed.command()
@click.argument("runs", type=Path, default=Path("runs"))
@option("quiet", help="No progress.")
def resume(runs: Path, quiet: bool) -> int:
    """Make the planned runs that are missing in the folder RUNS [runs].

    The exit code is 1 if a run failed.
    """
    from airmile.testbed.run.campaign import resume as go_on

    with _progress.steps(not quiet) as show:
        return _report(go_on(runs, show), runs)


def _report(lines: Iterable[str], out: Path) -> int:
    """Print the state of each run, and return 1 if one failed."""
    from airmile.testbed.run.campaign import Failed

    failed = 0
    try:
        for line in lines:
            _output.say(line)
            failed += isinstance(line, Failed)
    except KeyboardInterrupt as error:
        return _output.interrupted(error, f"airmile testbed resume {quoted(out)}")
    return int(failed > 0)


@testbed.command()
@click.argument("runs", type=Path, default=Path("runs"))
@click.option("--capture", type=click.Choice(["monitor", "server", "ue"]), default="monitor")
@option("format", type=click.Choice(("text", "json", "csv")))
def score(runs: Path, capture: str, form: str) -> None:
    """Compare the verdicts of `airmile analyze` on the captures in RUNS [runs] with the truth."""
    from airmile.testbed.scoring import scores

    for name in scores.unscored(runs):
        _output.warn(f"{name}: not scored, a real interface has no truth")
    for name in scores.lacking(runs, capture):
        _output.warn(f"{name}: not scored, it has no {capture}.pcap")
    found = scores.of(runs, capture)
    write = {"text": scores.text, "json": scores.as_json, "csv": scores.as_csv}[form]
    for part in write(found):
        _output.say(part)


@testbed.command()
def clean() -> None:
    """Remove what killed runs left: processes, namespaces, devices and unfinished folders.

    Running and finished runs are not touched. What belongs to a run that is not proven to have
    ended, such as one in a container with a /run of its own, is named and left alone.
    """
    # Importing the runner registers a remover for everything that a run may make.
    from airmile.testbed.hosts import leftovers
    from airmile.testbed.run import emulated_run  # noqa: F401

    cleaned = leftovers.clean()
    for name in cleaned.removed:
        _output.say(printable(f"removed {name}"))
    for name in cleaned.unproven:
        _output.say(printable(f"left alone: {name}"))
    cleaned.check()
    if not cleaned.removed and not cleaned.unproven:
        _output.say(NOTHING)


testbed.add_command(_testbed_campaign.campaign)
