"""The command line: one file for each verb; here are the list of them and the exit codes.

0 done; 1 done, but a part of the input failed; 2 usage; 3 nothing readable; 4 ``--fail-if`` holds;
5 environment; 130 interrupted.
"""

from __future__ import annotations

import os
import sys

import click

from airmile.cli import _output
from airmile.cli._group import Verbs
from airmile.cli.align import align
from airmile.cli.analyze import analyze
from airmile.cli.completion import completion
from airmile.cli.demo import demo
from airmile.cli.doctor import doctor
from airmile.cli.flows import flows
from airmile.cli.help import help_
from airmile.cli.info import info
from airmile.cli.live import live
from airmile.cli.man import man
from airmile.cli.model import model
from airmile.cli.plot import plot
from airmile.cli.query import query
from airmile.cli.radio import radio
from airmile.cli.schema import schema
from airmile.cli.study import study
from airmile.cli.testbed import testbed

VERBS = (
    analyze,
    info,
    flows,
    query,
    schema,
    plot,
    radio,
    live,
    study,
    model,
    align,
    doctor,
    testbed,
    demo,
    help_,
    man,
    completion,
)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(None, "-V", "--version", package_name="airmile", prog_name="airmile")
def airmile() -> None:
    """Find what limits TCP over a cellular link.

    `airmile CAPTURE` is short for `airmile analyze CAPTURE`. Try `airmile demo` first.
    """


for _verb in VERBS:
    airmile.add_command(_verb)


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    if os.environ.get("_AIRMILE_COMPLETE"):
        from airmile.cli import _completion

        _completion.register()
    return _output.guarded(lambda: airmile.main(arguments, "airmile", standalone_mode=False))
