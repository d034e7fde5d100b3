"""Clearing up: if one thing cannot be removed, all others are, and another try follows."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import cast

import pytest

from airmile import OutputError
from airmile.cli import run as cli_run
from airmile.testbed.hosts import leftovers, offloads, orphans, strays
from airmile.testbed.hosts.owner import Owner

ENDED = f"{os.getpid()}-1"
"""The mark of a process with this number that began at another time."""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty state folder, and no removers."""
    monkeypatch.setattr(leftovers, "STATE", tmp_path / "state")
    monkeypatch.setattr(leftovers, "_removers", [])
    monkeypatch.setattr(strays, "NAMESPACES", tmp_path / "netns")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return tmp_path / "state"


def fails(_: str) -> Iterator[str]:
    """Remove one thing, and fail at the next one."""
    yield "the first"
    raise ValueError("no second")


def works(_: str) -> Iterator[str]:
    """Remove something."""
    yield "another"


def test_a_remover_that_fails_keeps_the_notes_and_not_the_others(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "_removers", [fails, works])
    leftovers.note(ENDED, "x", "noted")
    cleaned = leftovers.clean()
    assert cleaned.removed == ["the first", "another"]
    assert cleaned.left == ["test_leftovers.fails: no second"]
    assert leftovers.noted(ENDED, "x") == "noted"
    monkeypatch.setattr(leftovers, "_removers", [works])
    assert leftovers.clean() == leftovers.Removal(["another"], [])
    assert list(state.iterdir()) == []


def test_the_command_says_what_is_gone_and_fails_with_what_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(leftovers, "_removers", [fails])
    leftovers.note(ENDED, "x", "noted")
    assert cli_run(["testbed", "clean"]) == 5
    said = capsys.readouterr()
    assert said.out == "removed the first\n"
    assert "could not be removed: test_leftovers.fails: no second" in said.err


def test_without_the_rights_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert leftovers.clean() == leftovers.Removal()
    leftovers.note(ENDED, "x", "noted")
    with pytest.raises(OutputError, match="belongs to root") as raised:
        leftovers.clean()
    assert raised.value.hint == "sudo airmile testbed clean"


def test_the_error_of_a_run_is_not_covered_by_one_of_clearing_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(leftovers, "_removers", [fails])
    with pytest.raises(KeyError) as raised, leftovers.removed_after(ENDED):
        raise KeyError("its own")
    assert raised.value.__notes__ == ["could not be removed: test_leftovers.fails: no second"]
    with pytest.raises(OutputError, match="could not be removed"), leftovers.removed_after(ENDED):
        pass


@pytest.mark.parametrize(
    "mark", ["", "what?", "\u00b2", "1" * 5000, pytest.param(ENDED, id="another time")]
)
def test_an_owner_that_cannot_be_read_has_ended(tmp_path: Path, mark: str) -> None:
    part = tmp_path / ".x.airmile.part"
    part.mkdir()
    (part / leftovers.OWNER).write_text(mark)
    leftovers.begin_part(part, "1-2")
    assert (part / leftovers.OWNER).read_text() == "1-2"


def test_an_owner_that_lives_keeps_its_folder(tmp_path: Path) -> None:
    part = tmp_path / ".x.airmile.part"
    part.mkdir()
    (part / leftovers.OWNER).write_text(Owner.me().mark)
    with pytest.raises(OutputError, match="another run is writing it"):
        leftovers.begin_part(part, "1-2")


@pytest.mark.parametrize("link_to", [".x.airmile.part", ".owner"])
def test_what_a_link_leads_to_is_neither_taken_over_nor_removed(
    tmp_path: Path, link_to: str
) -> None:
    mine, part = tmp_path / "mine", tmp_path / ".x.airmile.part"
    mine.mkdir()
    (mine / leftovers.OWNER).write_text(ENDED)
    (mine / "thesis.tex").write_text("mine")
    if link_to == part.name:
        part.symlink_to(mine)
    else:
        part.mkdir()
        (part / "theirs").touch()
        (part / leftovers.OWNER).symlink_to(mine / leftovers.OWNER)
    with pytest.raises(OutputError):
        leftovers.begin_part(part, "1-2")
    assert leftovers.noted("1-2", "part") is None
    leftovers.note(ENDED, "part", str(part))
    assert leftovers.clean() == leftovers.Removal()
    assert (mine / "thesis.tex").exists() and os.path.lexists(part)


def test_a_folder_without_a_mark_is_not_removed(tmp_path: Path) -> None:
    part = tmp_path / ".x.airmile.part"
    part.mkdir()
    (part / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match="was not begun by a run of the testbed"):
        leftovers.begin_part(part, "1-2")
    leftovers.note(ENDED, "part", str(part))
    assert leftovers.clean() == leftovers.Removal()
    assert (part / "thesis.tex").exists()


def test_an_unfinished_folder_is_removed_and_a_finished_one_stays(tmp_path: Path) -> None:
    part, out = tmp_path / ".x.airmile.part", tmp_path / "x.airmile"
    leftovers.begin_part(part, ENDED)
    assert leftovers.clean().removed == [f"unfinished run {part}"]
    assert not part.exists()
    leftovers.begin_part(part, ENDED)
    leftovers.finish_part(part, out)
    assert leftovers.clean() == leftovers.Removal()
    assert list(out.iterdir()) == []


def test_every_interface_is_restored_but_the_one_that_refuses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wished = []

    def wish(device: str, bits: list[int]) -> None:
        if device == "a0":
            raise OSError(errno.EBUSY, "busy")
        wished.append((device, bits))

    monkeypatch.setattr(leftovers, "_removers", [offloads.restore])
    monkeypatch.setattr(offloads, "features", lambda _: [0])
    monkeypatch.setattr(offloads, "_wish", wish)
    leftovers.note(ENDED, "offloads.json", json.dumps({"a0": [1], "b0": [2]}))
    tried = leftovers.remove(ENDED)
    assert tried.removed == ["the ban on offloads of b0"]
    assert tried.left == ["offloads of a0: [Errno 16] busy"]
    assert wished == [("b0", [2])]


def test_large_receive_offload_is_turned_off_and_other_flags_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Flags of a card with only LRO and VLAN tags (ETH_FLAG_RXVLAN) on.
    card = {0x25: 1 << 15 | 1 << 8}
    shown = []

    def ethtool(_: str, command: int, data: int) -> int:
        if command == 0x26:
            shown.append(data)
        return card.get(command, 0)

    monkeypatch.setattr(offloads, "_ethtool", ethtool)
    monkeypatch.setattr(offloads, "features", lambda _: [0])
    assert offloads.read("a0") == {"tso": False, "gso": False, "gro": False, "lro": True}
    offloads.turn_off(ENDED, ["a0"])
    assert shown == [1 << 8]


def test_a_namespace_is_left_again_and_the_next_one_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    (tmp_path / "netns").mkdir()
    names = [f"airmile-{ENDED}-{place}" for place in ("core", "server")]
    for name in names:
        (tmp_path / "netns" / name).touch()

    def destroy() -> int:
        raise OSError("no answer")

    netns = SimpleNamespace(
        pushns=lambda name: calls.append(f"into {name}"),
        popns=lambda: calls.append("out"),
        remove=lambda name: calls.append(f"remove {name}"),
    )
    monkeypatch.setitem(sys.modules, "pyroute2", cast(ModuleType, SimpleNamespace(netns=netns)))
    monkeypatch.setattr(orphans, "destroy", destroy)
    tried = leftovers.remove(ENDED)
    assert calls == [each for n in names for each in (f"into {n}", "out", f"remove {n}")]
    assert tried.removed == [f"namespace {name}" for name in names]
    assert tried.left == ["; ".join(f"connections in {name}: no answer" for name in names)]
