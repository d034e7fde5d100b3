"""The verdict as one JSON document."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from airmile._words import NBSP
from airmile.answers.verdict import _vantage
from airmile.answers.verdict._certainty import joined
from airmile.render.advice import advice
from airmile.render.findings import documents

if TYPE_CHECKING:
    from airmile.answers.verdict._judge import VerdictValues

SCHEMA = 3


def render(verdict: VerdictValues) -> str:
    """Return the document as text."""
    return written(document(verdict))


def written(value: Any, indent: int | None = 2) -> str:
    r"""Return values as JSON that is safe on a terminal: control characters are escaped.

    >>> written({"name": "\x9bé\u202e"}, None)
    '{"name": "\\u009bé\\u202e"}'
    """
    text = json.dumps(plain(value), indent=indent, ensure_ascii=False, allow_nan=False, default=str)
    return "\n".join(map(_escaped, text.split("\n")))


def _escaped(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() or c == NBSP else json.dumps(c)[1:-1] for c in line)


def document(verdict: VerdictValues) -> dict[str, Any]:
    """Return the document as plain values."""
    small = verdict.small_calls
    return {
        "schema": SCHEMA,
        "scope": verdict.scope,
        "vantage": _vantage.of(verdict.dataset).value,
        "access": "cellular" if verdict.cellular else "unproven",
        "judged_s": verdict.judged_s,
        "active_s": verdict.active_s,
        "small_calls": small and _small_calls(small),
        "limited_by": verdict.limited_by,
        "certainty": verdict.certainty,
        "second": joined(verdict.second),
        "shares": dict(verdict.shares),
        "uplink_shares": dict(verdict.uplink_shares),
        "link_is_bottleneck": verdict.link_is_bottleneck,
        "used_bps": verdict.used_bps,
        "used_reason": verdict.used_reason,
        "available_bps": verdict.available_bps,
        "available_source": verdict.available_source,
        "available_reason": verdict.available_reason,
        "link_demand_ratio": verdict.link_demand_ratio,
        "source": verdict.source,
        "undetermined_reasons": dict(verdict.reasons),
        "quality": [text.replace("\u00a0", " ") for text in verdict.quality],
        "failures": [failure.to_dict() for failure in verdict.failures],
        "findings": documents(verdict),
        "next": [text.replace("\u00a0", " ") for text in advice(verdict)],
        "not_assessable": [kind.to_dict() for kind in verdict.not_assessable],
        "flows": [flow.to_dict() for flow in verdict.flows],
        "transfers": [transfer.to_dict() for transfer in verdict.transfers],
    }


def _small_calls(verdict: VerdictValues) -> dict[str, Any]:
    """Return the verdict of small calls as plain values, in the shape of the document."""
    calls = verdict.calls
    return {
        "calls": calls.calls if calls else None,
        "median_ms": calls.median_s * 1000 if calls else None,
        "judged_s": verdict.judged_s,
        "active_s": verdict.active_s,
        "limited_by": verdict.limited_by,
        "certainty": verdict.certainty,
        "second": joined(verdict.second),
        "shares": dict(verdict.shares),
        "uplink_shares": dict(verdict.uplink_shares),
        "undetermined_reasons": dict(verdict.reasons),
        "flows": [flow.to_dict() for flow in verdict.flows],
    }


def plain(value: Any) -> Any:
    """Return a value for JSON: NaN becomes null, and infinity the text ``inf``.

    >>> plain({"a": [float("inf"), float("nan"), 1.5]})
    {'a': ['inf', None, 1.5]}
    """
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
