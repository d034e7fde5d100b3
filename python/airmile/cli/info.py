"""`airmile info`: what is in a capture, before anything is analysed."""

from __future__ import annotations

import json
from typing import Any

import click

from airmile.cli import _output


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def info(files: tuple[str, ...], form: str) -> int:
    """Tell what captures hold: format, link type, packets, times, and what is wrong with them."""
    from airmile import _engine
    from airmile._errors import engine_errors

    with engine_errors():
        document: dict[str, Any] = json.loads(_engine.info(list(files)))
    if form == "json":
        _output.say(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        from airmile.render import info as text

        _output.say(text.render(document))
    return 1 if any(source.get("problems") for source in document.get("inputs", [])) else 0
