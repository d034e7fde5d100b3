"""How the place of a dataset is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from airmile import UsageError
from airmile.store import _place


def test_a_partial_dataset_behind_a_link_is_not_mistaken_for_one_beside_the_link(
    tmp_path: Path,
) -> None:
    partial = tmp_path / "there" / "x.partial.airmile"
    partial.mkdir(parents=True)
    (tmp_path / "there" / "x.airmile").mkdir()
    link, unrelated = tmp_path / "x.airmile", tmp_path / "x.partial.airmile"
    link.symlink_to("there/x.airmile")
    assert _place.named(link, partial) == partial
    unrelated.mkdir()
    assert _place.named(link, partial) == partial
    unrelated.rmdir()
    unrelated.symlink_to(partial)
    assert _place.named(link, partial) == unrelated


def test_only_a_dataset_is_offered_to_be_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "captures"
    folder.mkdir()
    with pytest.raises(UsageError) as caught:
        _place.check(folder, overwrite=False)
    assert "--overwrite" not in str(caught.value.hint)
    (folder / "manifest.json").write_text("damaged")
    with pytest.raises(UsageError) as caught:
        _place.check(folder, overwrite=False)
    assert "--overwrite" in str(caught.value.hint)
