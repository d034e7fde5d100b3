"""Counts how often the captures of a dataset are read again for packets."""

from __future__ import annotations

from typing import Any

import pytest

from airmile import _engine


def counted(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """Return a list that grows by the flows of each pass over the captures from now on."""
    seen: list[list[int]] = []
    trace = _engine.trace

    def counting(inputs: list[str], uids: list[int], options: Any) -> dict[int, Any]:
        seen.append(uids)
        return trace(inputs, uids, options)

    monkeypatch.setattr(_engine, "trace", counting)
    return seen
