"""Manifests as somebody else could write them: of any shape, with a digest that matches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from airmile.store import _manifest


def put(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write a manifest with its digest, even one that airmile would not open."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_manifest, "fault", lambda _: None)
        _manifest.put(folder, manifest)


def write(dataset: Path, manifest: Mapping[str, Any]) -> None:
    """Write a manifest with its digest and those of all parts, as :func:`put` does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_manifest, "fault", lambda _: None)
        _manifest.write(dataset, manifest)
