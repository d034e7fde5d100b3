"""`airmile info`: the content of a capture, without an analysis."""

from __future__ import annotations

import json
from typing import Any

import click

from airmile.cli import _answer, _output
from airmile.cli._exit_codes import NOTHING_READABLE, PARTLY_FAILED, is_empty
from airmile.cli._options import option

EXIT_CODES = {"ok": 0, "partial": PARTLY_FAILED, "nothing_readable": NOTHING_READABLE}


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@option("format", type=click.Choice(("text", "json")), help="Format of the answer.")
def info(files: tuple[str, ...], form: str) -> int:
    """Show what captures hold: format, link type, packets, times, and problems."""
    from airmile import _engine
    from airmile._errors import InputError, engine_errors
    from airmile.render import info as text
    from airmile.render.json import written

    with engine_errors():
        document: dict[str, Any] = json.loads(_engine.info(list(files)))
    _answer.show(
        form,
        text=lambda: text.render(document, _output.width()),
        json=lambda: written(document),
    )
    if not document["inputs"]:
        raise InputError(
            f"{', '.join(files)}: contains no capture",
            "name a capture; of a dataset `airmile DATASET` gives the verdict",
        )
    return NOTHING_READABLE if is_empty(document) else EXIT_CODES[document["status"]]
