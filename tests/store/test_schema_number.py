"""The number of a dataset's schema: one version reads one schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from airmile._errors import InputError
from airmile.dataset import Dataset
from airmile.store._manifest import SCHEMA
from tests.support.handmade import flow, write


def test_an_older_schema_is_to_be_analysed_again(tmp_path: Path) -> None:
    path = write(tmp_path / "old.airmile", {"flows": [flow(1)]}, {"schema": SCHEMA - 1})
    with pytest.raises(
        InputError, match=rf"schema {SCHEMA - 1}, this airmile reads schema {SCHEMA}"
    ) as caught:
        Dataset(path)
    assert "analyse the capture again" in (caught.value.hint or "")


def test_a_newer_schema_asks_for_a_newer_airmile(tmp_path: Path) -> None:
    path = write(tmp_path / "new.airmile", {"flows": [flow(1)]}, {"schema": SCHEMA + 1})
    with pytest.raises(InputError, match="reads up to") as caught:
        Dataset(path)
    assert "update airmile" in (caught.value.hint or "")
