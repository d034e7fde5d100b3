"""The mechanisms that were found, in sentences and as plain values (methods T10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airmile import mechanisms
from airmile._words import NBSP, count, counted
from airmile.mechanisms import Finding

if TYPE_CHECKING:
    from airmile.answers.verdict._judge import VerdictValues

_SURE = {"sure": "", "likely": "likely ", "open": "perhaps "}


def findings(verdict: VerdictValues) -> Iterator[str]:
    """Yield a sentence for each mechanism: what shows it in the flow with most of its time."""
    for name, found in mechanisms.of_verdict(verdict.dataset, verdict.sums).items():
        best = max(found, key=_weight)
        flows = len({(each.run, each.uid) for each in found})
        others = "" if flows == 1 else f" ({counted(flows, 'connection')}; one of them)"
        named = f"{_SURE[best.certainty]}{mechanisms.mechanism(name).words}{others}"
        yield f"{named}: {best.evidence}{_frames(best)}. {_sentence(best.advice)}"


def _weight(finding: Finding) -> tuple[int, int]:
    """Return what makes a finding the one to tell: the surest, then the longest."""
    return -list(_SURE).index(finding.certainty), finding.end_ns - finding.start_ns


def documents(verdict: VerdictValues) -> list[dict[str, Any]]:
    """Return the findings as plain values."""
    return [
        {
            "mechanism": name,
            "run": each.run,
            "direction": each.direction,
            "certainty": each.certainty,
            # Programs that read JSON numbers as doubles lose digits of 64 bits.
            "uid": str(each.uid),
            "transfer_id": None if each.transfer_id is None else str(each.transfer_id),
            "start_ns": each.start_ns,
            "end_ns": each.end_ns,
            "first_frame": each.first_frame,
            "last_frame": each.last_frame,
            "evidence": each.evidence.replace(NBSP, " "),
            "advice": each.advice.replace(NBSP, " "),
        }
        for name, found in mechanisms.of_verdict(verdict.dataset, verdict.sums).items()
        for each in found
    ]


def _frames(finding: Finding) -> str:
    first, last = finding.first_frame, finding.last_frame
    if first is None or last is None:
        return ""
    if first == last:
        return f"; frame {count(first)}"
    return f"; frames {count(first)}-{count(last)}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
