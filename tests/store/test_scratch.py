"""The temporary files that runs leave, and which of them the next run removes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from airmile import _engine
from airmile.doctor import leftovers
from airmile.store import _folders, _scratch

KILLED = """
import os, signal
from airmile.store import _scratch
with _scratch.folder() as made:
    (made / "x.airmile").mkdir()
    (_scratch.fresh()).mkdir()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_killed_run_s_scratch_goes_with_the_next_one(place: Path) -> None:
    killed = {**os.environ, "TMPDIR": str(place)}
    subprocess.run([sys.executable, "-c", KILLED], check=False, timeout=60, env=killed)
    assert len(list(place.iterdir())) == 2
    assert sum("was killed" in found.found for found in leftovers.findings(place)) == 2
    with _scratch.folder() as made:
        assert list(place.iterdir()) == [made]
        with _scratch.folder():
            assert made.exists()
        assert not list(leftovers.findings(place))
    assert not list(place.iterdir())


def test_a_folder_of_another_program_is_not_named(place: Path) -> None:
    (place / "airmile-score-0kb5ts9j").mkdir()
    assert not list(leftovers.findings(place))


def test_where_another_machine_may_hold_a_lock_nothing_is_removed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_engine, "free_locks_prove", lambda _: False)
    killed = {**os.environ, "TMPDIR": str(place)}
    subprocess.run([sys.executable, "-c", KILLED], check=False, timeout=60, env=killed)
    left = sorted(place.iterdir())
    with _scratch.folder() as made:
        assert sorted(place.iterdir()) == sorted([*left, made])
    (place / ".x.airmile.1.partial" / "new").mkdir(parents=True)
    os.close(_folders.mark(place / ".x.airmile.1.partial"))
    named = [found.found for found in leftovers.findings(place)]
    assert sum("at another machine" in text for text in named) == len(left) + 1 == 3


def test_what_has_no_mark_of_a_run_is_kept_and_named(place: Path) -> None:
    names = ["airmile-mine_own", "airmile-of_1_run", "airmile-a_link_0"]
    kept = [place / name for name in names]
    for folder in kept:
        (folder / "x.airmile").mkdir(parents=True)
    (kept[1] / _folders.MARK).write_text("mine")
    (kept[2] / _folders.MARK).symlink_to(__file__)
    with _scratch.folder():
        pass
    assert all((folder / "x.airmile").exists() for folder in kept)
    named = [found.found for found in leftovers.findings(place)]
    assert all(any(name in text for text in named) for name in names)


def test_what_a_query_may_need_is_gone_with_its_process(place: Path) -> None:
    query = "from airmile.store import _sql; _sql.connect().sql('SELECT 1').fetchall()"
    ended = {**os.environ, "TMPDIR": str(place)}
    subprocess.run([sys.executable, "-c", query], check=True, timeout=60, env=ended)
    assert not list(place.iterdir())
