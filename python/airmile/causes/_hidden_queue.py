"""The evidence of how short a queue would have been hidden, for causes that deny a queue."""

from __future__ import annotations

from collections.abc import Iterator

from airmile.causes._declaration import Case, milliseconds


def evidence(case: Case, cause: str) -> Iterator[str]:
    """Yield the least queue that would have shown, unless some of the cause's time has none."""
    least = (case.flow["least_queue_ms"] or {}).get(cause)
    if least is not None:
        yield f"a queue of less than {milliseconds(least)} would not have shown here"
