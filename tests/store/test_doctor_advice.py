"""Advice is safe to follow, that of `airmile doctor` above all, and works when it is pasted."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile.doctor import leftovers, machine
from airmile.store import _folders
from tests.cli.conftest import LINK

UNSAFE = (
    *("setcap", "chmod", "rm -", "--force", "--break-system-packages", "sudo pip", "disable"),
    *("--privileged", "curl", "ulimit -c", "sysctl", "setenforce"),
)
"""Words of commands that give rights to everybody, delete, or run what comes from elsewhere."""


def test_no_advice_gives_away_rights_or_deletes() -> None:
    folder = Path(machine.__file__).parent
    text = "".join(file.read_text() for file in folder.glob("*.py"))
    assert [word for word in UNSAFE if word in text] == []


def left(folder: Path, within: str, target: str) -> str:
    """Leave what a killed run of the engine leaves, and return the advice about it."""
    place = folder / f".{target}.12.partial"
    (place / within).mkdir(parents=True)
    (place / within / "manifest.json").write_text("finished")
    (place / _folders.MARK).write_bytes(b"made by a run of airmile")
    (found,) = (each for each in leftovers.findings(folder) if target in each.found)
    assert found.advice
    return found.advice


@pytest.mark.parametrize(
    "target", ["one.airmile", "a b.airmile", "$(touch x).airmile", "'.airmile"]
)
@pytest.mark.parametrize("exists", [False, True])
def test_a_dataset_that_was_not_moved_is_moved_and_nothing_else(
    tmp_path: Path, target: str, exists: bool
) -> None:
    if exists:
        (tmp_path / target).mkdir()
        (tmp_path / target / "manifest.json").write_text("older")
    command, _, rest = left(tmp_path, "new", target).partition(" keeps it")
    assert rest.startswith("; or remove ")
    before = {path.name for path in tmp_path.iterdir()}
    assert subprocess.run(["sh", "-c", command], cwd=tmp_path).returncode == 0
    (made,) = {path.name for path in tmp_path.iterdir()} - before
    assert (made == target) is not exists
    assert (tmp_path / made / "manifest.json").read_text() == "finished"
    if exists:
        assert (tmp_path / target / "manifest.json").read_text() == "older"
        assert [path.name for path in (tmp_path / target).iterdir()] == ["manifest.json"]


@pytest.mark.parametrize("suffix", ["", ".png", ".x; touch PWNED", ".$(touch PWNED)", ".a b"])
def test_a_picture_that_was_not_finished_is_removed_and_nothing_else(
    tmp_path: Path, suffix: str
) -> None:
    names = [f".airmile-0123456789ab{suffix}", "picture.png", f"x{suffix}"]
    # None of these is a name that airmile gives to a file that it has not finished.
    names += [_folders.MARK, ".airmile-x; touch PWNED", ".airmile-0123456789AB", ".airmile-notes"]
    for name in names:
        (tmp_path / name).touch()
    (found,) = (each for each in leftovers.findings(tmp_path) if "picture" in each.found)
    command = (found.advice or "").removeprefix("if no airmile is running here: ")
    assert subprocess.run(["sh", "-c", command], cwd=tmp_path).returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == set(names[1:])


def test_a_folder_that_no_run_marked_is_named_as_one_word(tmp_path: Path) -> None:
    folder = tmp_path / ".x; touch PWNED.1.partial"
    folder.mkdir()
    (found,) = (each for each in leftovers.findings(tmp_path) if folder.name in each.found)
    assert folder.name in shlex.split((found.advice or "").replace(",", " "))


def without(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    version = metadata.version

    def missing(name: str) -> str:
        if name in names:
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", missing)


def test_missing_packages_are_installed_for_this_python_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without(monkeypatch, "duckdb", "scipy")
    monkeypatch.setattr(sys, "executable", "/opt/my python/bin/python")
    found = {each.topic: each for each in machine.findings()}
    for topic, name in (("packages", "duckdb"), ("extra study", "scipy")):
        command = (found[topic].advice or "").removeprefix("if you want it: ")
        python, _, _, install, wanted = shlex.split(command)
        assert (python, install) == ("/opt/my python/bin/python", "install")
        # The command has the versions that airmile needs; `airmile` itself is in no index.
        assert re.fullmatch(rf"{name}>=\d.*", wanted)


@pytest.mark.parametrize("root", [True, False])
def test_how_to_record(monkeypatch: pytest.MonkeyPatch, root: bool) -> None:
    monkeypatch.setattr(machine, "_may_record", lambda path: False)
    monkeypatch.setattr("os.geteuid", lambda: 0 if root else 1000)
    monkeypatch.setattr("shutil.which", lambda name: sys.executable)
    advice = machine._tcpdump().advice or ""
    assert ("sudo" in advice) is not root
    if not root:
        command = advice.partition(" (Ctrl-C")[0].replace("sudo ", "printf '%s\\n' ")
        said: Any = subprocess.run(["sh", "-c", command], capture_output=True, text=True).stdout
        assert said.split()[1:] == ["-Z", _name(), "-s", "128", "-w", "phone.pcap"]


def _name() -> str:
    return subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()


def test_the_command_that_computes_a_table_has_its_dataset_as_one_word(tmp_path: Path) -> None:
    dataset = airmile.analyze(LINK, out=tmp_path / "x; touch PWNED.airmile")
    with pytest.raises(airmile.UsageError) as caught:
        dataset.table("periodic")
    words = shlex.split((caught.value.hint or "").partition(": ")[2])
    assert words == ["airmile", "table", str(dataset.path), "periodic"]
