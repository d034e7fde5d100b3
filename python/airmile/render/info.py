"""The report of `airmile info`: what a capture contains, as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from airmile._words import count, counted, moment, seconds, size
from airmile.answers.verdict._headline import clock_steps
from airmile.render.layout import PLAIN_WIDTH, Paragraph, lay_out

Source = dict[str, Any]


def render(document: dict[str, Any], width: int = PLAIN_WIDTH) -> str:
    """Return one block for each input."""
    paragraphs = [part for source in document["inputs"] for part in _block(source)]
    if more := document.get("unlisted_inputs"):
        paragraphs.append(Paragraph("", f"{count(more)} more inputs gave no data"))
    return lay_out(paragraphs, width)


def _block(source: Source) -> Iterator[Paragraph]:
    yield Paragraph("File", source["name"], hang=2)
    for text in (*_format(source), *_times(source), *_counts(source), *_skipped(source)):
        yield Paragraph("", text, hang=2)
    for problem in source["problems"]:
        place = "" if problem["offset"] is None else f"at byte {count(problem['offset'])}: "
        hint = f" ({problem['hint']})" if problem.get("hint") else ""
        yield Paragraph("", f"problem: {place}{problem['text']}{hint}", hang=2)
    if source["unlisted_problems"]:
        yield Paragraph("", f"problem: {count(source['unlisted_problems'])} more like these")
    for warning in source["warnings"]:
        yield Paragraph("", f"warning: {warning}", hang=2)


def _format(source: Source) -> Iterator[str]:
    if source["format"] is not None:
        yield f"{source['format']}, {size(source['size_bytes'] or 0)}"
    for interface in source["interfaces"]:
        link, snap = interface["link_type"], interface["snap_length"]
        name = f"{interface['name']}: " if interface["name"] else ""
        kept = f", {count(snap)} bytes of each frame kept" if snap else ""
        yield f"{name}link type {link['number']} ({link['name']}){kept}"
    if source.get("unlisted_interfaces"):
        yield f"{counted(source['unlisted_interfaces'], 'more interface')}"


def _times(source: Source) -> Iterator[str]:
    first, last = source["first_ns"], source["last_ns"]
    if first is not None and last is not None:
        recorded = source.get("recorded_ns")
        span = seconds((last - first if recorded is None else recorded) / 1e9)
        counts = source["counts"]
        without = ", clock steps left out" if clock_steps(counts) else ""
        yield f"{moment(first)} to {moment(last)} UTC ({span}{without})"


def _counts(source: Source) -> Iterator[str]:
    counts = source["counts"]
    if source["format"] is not None:
        first = ("packets", "ip_packets", "tcp_packets", "udp_packets")
        names = [*first, *(name for name in counts if name not in first)]
        yield ", ".join(
            f"{count(counts[name])} {_spoken(name)}"
            for name in names
            if counts[name] or name == "packets"
        )


def _skipped(source: Source) -> Iterator[str]:
    for reason, number in source["skipped"].items():
        yield f"without IP: {count(number)} ({reason})"


def _spoken(name: str) -> str:
    words = name.split("_")
    return " ".join(word.upper() if word in ("ip", "tcp", "udp") else word for word in words)
