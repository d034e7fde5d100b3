"""The part of a study's page about the datasets: what they are, and what limited them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from airmile._errors import AirmileError
from airmile._words import NBSP
from airmile.answers.verdict import _quality
from airmile.answers.verdict._headline import headline
from airmile.answers.verdict._judge import judge
from airmile.render.cause_shares import limited_by
from airmile.render.study_page_parts import text
from airmile.render.text import link_sentence, render

if TYPE_CHECKING:
    from airmile.store import Tables

SHOWN = 3
"""The most inputs of a dataset without a verdict whose names are shown."""


def inputs(sources: Mapping[str, Tables | str]) -> Iterator[str]:
    """Yield for each dataset what was captured, and its verdict in short and in full.

    For a source that is not a dataset, such as published numbers, only the name is shown.
    """
    for label, source in sources.items():
        name = f"<b>{text(label)}</b> " if len(sources) > 1 else ""
        if isinstance(source, str):
            yield f"<section class=input><p>{name}{text(source)}</p></section>"
            continue
        head, body = _capture(source)
        folded = f"<details><summary>{name}{head}</summary>{body}</details>"
        yield f"<section class=input>{folded}</section>"


def caveats(sources: Mapping[str, Tables | str]) -> Iterator[str]:
    """Yield what affects every exhibit: doubts about the quality of the inputs."""
    for source in sources.values():
        if not isinstance(source, str):
            yield from _quality.caveats(source)


def _capture(dataset: Tables) -> tuple[str, str]:
    """Return what was captured, in a line, and the verdict below it."""
    try:
        verdict = dataset.once(judge)
        lines = [f"Limited by: {limited_by(verdict)}", *link_sentence(verdict)]
        whole = render(verdict, kept=False)
    except AirmileError as lacking:
        names = ", ".join(
            Path(each["name"]).name for each in dataset.manifest.get("inputs", [])[:SHOWN]
        )
        return text(names or dataset.path.name), f"<p>No verdict: {text(lacking.message)}.</p>"
    shown = "".join(f"<p>{_parts(line)}</p>" for line in lines)
    whole = "\n".join(map(text, whole.split("\n")))
    return _parts(headline(dataset)), f"{shown}<pre>{whole}</pre>"


def _parts(line: str) -> str:
    """Return a line with its parts separated: two spaces separate them, which HTML would join.

    A part may break between words, but not between a number and its unit.
    """
    parts = line.replace("\n", "  ").split("  ")
    return " · ".join(text(re.sub(rf"(?<!\d){NBSP}", " ", part)) for part in parts if part)
