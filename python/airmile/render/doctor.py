"""The findings of `airmile doctor` as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from airmile._words import printable
from airmile.doctor import Finding
from airmile.render.layout import PLAIN_WIDTH, Paragraph, lay_out

SIGNS = {"ok": "ok", "note": "note", "warning": "WARNING", "error": "ERROR"}


def render(blocks: Iterable[tuple[str, list[Finding]]], width: int = PLAIN_WIDTH) -> str:
    """Return blocks of findings, each with its heading."""
    return lay_out([part for title, found in blocks for part in _block(title, found)], width)


def _block(title: str, found: list[Finding]) -> Iterator[Paragraph]:
    for number, finding in enumerate(found):
        sign = SIGNS[finding.status]
        heading = title if number == 0 else ""
        where = "" if finding.file is None else f"{printable(finding.file)}: "
        yield Paragraph(heading, f"{sign:8}{finding.topic}: {where}{finding.found}", hang=8)
        if finding.advice:
            yield Paragraph("", f"        -> {finding.advice}", hang=11)
