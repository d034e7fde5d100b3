"""`airmile demo`: the verdicts of two bundled captures, and commands for your own capture."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import click

from airmile.cli import _output, _style
from airmile.cli._options import option
from airmile.cli.analyze import show
from airmile.store import _scratch

CAPTURES = {
    "link": "A download that fills the LTE downlink: the link is the bottleneck.",
    "window": "A download that its own receive window holds back: the link has room to spare.",
}
"""The bundled captures and their true causes; both were recorded on an emulated link."""


@click.command()
@option("out", help="Keep the datasets in this directory.")
def demo(out: Path | None) -> None:
    """Analyse two bundled captures and say what limited them."""
    with _scratch.folder() as scratch:
        for name, truth in CAPTURES.items():
            _analyse(name, truth, out or scratch, kept=out is not None)
    _output.say(_next(out), _style.styled)


def _analyse(name: str, truth: str, folder: Path, *, kept: bool) -> None:
    import airmile

    heading = f"{name}.pcap.gz: {truth}"
    _output.say(heading, lambda text: click.style(text, bold=True))
    _output.say("")
    with resources.as_file(resources.files("airmile") / "demo" / f"{name}.pcap.gz") as capture:
        airmile.analyze(capture, out=folder / f"{name}.airmile", overwrite=True)
    show(airmile.open(folder / f"{name}.airmile"), "text", kept=kept)
    _output.say("")


def _next(out: Path | None) -> str:
    from airmile.render.text import EXAMPLE

    kept = "" if out else "  airmile demo -o demo          keeps the tables of these two\n"
    return (
        "Next, with your own capture (tcpdump -s 128 -w phone.pcap):\n"
        "  airmile phone.pcap            the verdict, and the tables in phone.airmile/\n"
        f'  airmile query phone.airmile "{EXAMPLE}"\n'
        f"{kept}"
        "  airmile analyze --help        every option"
    )
