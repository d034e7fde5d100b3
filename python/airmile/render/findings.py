"""The mechanisms that were found, in sentences and as plain values (methods T10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airmile import mechanisms
from airmile._words import NBSP, count, counted
from airmile.mechanisms import Finding

if TYPE_CHECKING:
    from airmile.answers.verdict._judge import Verdict

SHOWN = 3
"""So many mechanisms are shown; the table has the others."""


_SURE = {"sure": "", "likely": "likely ", "open": "perhaps "}


def findings(verdict: Verdict) -> Iterator[str]:
    """Yield a sentence for each mechanism: what shows it in the flow with most of its time."""
    for name, found in list(mechanisms.of_verdict(verdict.dataset).items())[:SHOWN]:
        longest = max(found, key=lambda finding: finding.end_ns - finding.start_ns)
        others = "" if len(found) == 1 else f" ({counted(len(found), 'connection')})"
        named = f"{_SURE[longest.certainty]}{mechanisms.mechanism(name).words}{others}"
        yield f"{named}: {longest.evidence}{_frames(longest)}. {_sentence(longest.advice)}"


def documents(verdict: Verdict) -> list[dict[str, Any]]:
    """Return the findings as plain values."""
    return [
        {
            "mechanism": name,
            "certainty": each.certainty,
            "uid": each.uid,
            "transfer_id": each.transfer_id,
            "start_ns": each.start_ns,
            "end_ns": each.end_ns,
            "first_frame": each.first_frame,
            "last_frame": each.last_frame,
            "evidence": each.evidence.replace(NBSP, " "),
            "advice": each.advice.replace(NBSP, " "),
        }
        for name, found in mechanisms.of_verdict(verdict.dataset).items()
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
