"""The part of a study's page about the datasets: what they are, and what limited them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from airmile._errors import AirmileError
from airmile._words import NBSP
from airmile.answers.verdict import _quality
from airmile.answers.verdict._summary import headline
from airmile.render.cause_shares import limited_by
from airmile.render.study_page_parts import prose, text
from airmile.render.text import link_sentence, render

if TYPE_CHECKING:
    from airmile.dataset import Dataset


def inputs(sources: Mapping[str, Dataset | str]) -> Iterator[str]:
    """Yield for each dataset what was captured, and its verdict in short and in full.

    For a source that is not a dataset, such as published numbers, only the name is shown.
    """
    for label, source in sources.items():
        name = f"<h2>{text(label)}</h2>" if len(sources) > 1 else ""
        body = f"<p>{text(source)}</p>" if isinstance(source, str) else _capture(source)
        yield f"<section class=input>{name}{body}</section>"


def caveats(sources: Mapping[str, Dataset | str]) -> Iterator[str]:
    """Yield what affects every exhibit: doubts about the quality of the inputs."""
    for source in sources.values():
        if not isinstance(source, str):
            yield from _quality.caveats(source)


def _capture(dataset: Dataset) -> str:
    try:
        verdict = dataset.verdict
        lines = [headline(dataset), f"Limited by: {limited_by(verdict)}", *link_sentence(verdict)]
        whole = render(verdict, kept=False)
        limits = "".join(f"<li>{prose(each)}.</li>" for each in _quality.caveats(dataset))
    except AirmileError as lacking:
        names = ", ".join(each["name"] for each in dataset.manifest.get("inputs", []))
        why = f"<p>No verdict: {text(lacking.message)}.</p>"
        return f"<p>{text(names or str(dataset.path))}</p>{why}"
    shown = "".join(f"<p>{_parts(line)}</p>" for line in lines)
    whole = "\n".join(map(text, whole.split("\n")))
    limits = f"<p>This holds for every exhibit:</p><ul>{limits}</ul>" if limits else ""
    whole = f"<details><summary>The whole verdict</summary><pre>{whole}</pre></details>"
    return shown + limits + whole


def _parts(line: str) -> str:
    """Return a line with its parts separated: two spaces separate them, which HTML would join.

    A part may break between words, but not between a number and its unit.
    """
    parts = line.replace("\n", "  ").split("  ")
    return " · ".join(text(re.sub(rf"(?<!\d){NBSP}", " ", part)) for part in parts if part)
