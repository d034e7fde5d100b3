"""Clearing up: if one thing cannot be removed, all others are, and another try follows."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import cast

import pytest

from airmile import OutputError, _capabilities
from airmile.cli import run as cli_run
from airmile.testbed.hosts import leftovers, offloads, orphans, owner, strays, unfinished
from airmile.testbed.hosts.owner import RECORD, Owner
from airmile.testbed.hosts.signals import endable, undisturbed


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty state folder, and no removers."""
    monkeypatch.setattr(leftovers, "STATE", tmp_path / "state")
    monkeypatch.setattr(leftovers, "_removers", [])
    monkeypatch.setattr(leftovers, "_finders", [])
    monkeypatch.setattr(strays, "NAMESPACES", tmp_path / "netns")
    monkeypatch.setattr(strays, "_processes", lambda: iter(()))
    monkeypatch.setattr(_capabilities, "effective", lambda: -1)
    return tmp_path / "state"


@pytest.fixture
def ended(state: Path) -> Owner:
    """Give a run that was killed."""
    killed = Owner.new()
    os.close(leftovers._made(killed))
    return killed


def kill_while_writing(part: Path, killed: Owner) -> None:
    """Leave the folder of a run as SIGKILL does."""
    os.close(unfinished._begin(part, killed))


def fails(_: Owner) -> Iterator[str]:
    """Remove one thing, and fail at the next one."""
    yield "the first"
    raise ValueError("no second")


def works(_: Owner) -> Iterator[str]:
    """Remove something."""
    yield "another"


def test_a_remover_that_fails_keeps_the_notes_and_not_the_others(
    state: Path, ended: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "_removers", [fails, works])
    leftovers.note(ended.mark, "x", "noted")
    cleaned = leftovers.clean()
    assert cleaned.removed == ["the first", "another"]
    assert cleaned.left == ["test_leftovers.fails: no second"]
    assert leftovers.noted(ended.mark, "x") == "noted"
    monkeypatch.setattr(leftovers, "_removers", [works])
    assert leftovers.clean() == leftovers.Removal(["another"], [])
    assert list(state.iterdir()) == []


def test_the_command_says_what_is_gone_and_fails_with_what_is_left(
    ended: Owner, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(leftovers, "_removers", [fails])
    assert cli_run(["testbed", "clean"]) == 5
    said = capsys.readouterr()
    assert said.out == "removed the first\n"
    assert "could not be removed: test_leftovers.fails: no second" in said.err


def test_without_the_rights_it_says_so(monkeypatch: pytest.MonkeyPatch, state: Path) -> None:
    with monkeypatch.context() as user:
        user.setattr(_capabilities, "effective", lambda: 0)
        assert leftovers.clean() == leftovers.Removal()
        with pytest.raises(OutputError, match="a run needs CAP_"), leftovers.begun():
            pass
    os.close(leftovers._made(Owner.new()))
    monkeypatch.setattr(_capabilities, "effective", lambda: 0)
    with pytest.raises(OutputError, match="needs CAP_"):
        leftovers.clean()


def test_what_is_not_proven_to_be_over_is_named_with_what_there_is_of_it(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (state / "4711-2").mkdir(parents=True)
    (state / "4711-2" / "part").write_text(str(state / "x"))
    (state / "x").mkdir()
    (strays.NAMESPACES).mkdir()
    (strays.NAMESPACES / "airmile-4711-2-core").touch()
    monkeypatch.setattr(leftovers, "_finders", [lambda: [("4711-2", f"thing {n}") for n in "123"]])
    state.chmod(0o711)
    assert cli_run(["testbed", "clean"]) == 0
    said = capsys.readouterr().out
    kept = f"{state / '4711-2'}, namespace airmile-4711-2-core, thing 1, thing 2 and 1 more"
    assert f"left alone: run 4711-2 ({kept}): its lock is not to be seen" in said
    assert (strays.NAMESPACES / "airmile-4711-2-core").exists() and (state / "x").exists()


def test_a_running_run_is_not_touched_and_its_end_leaves_nothing(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "_removers", [unfinished.remove])
    part = tmp_path / ".x.airmile.part"
    with (
        pytest.raises(KeyError),
        leftovers.begun() as running,
        unfinished.begun(part, running),
    ):
        leftovers.note(running.mark, "x", "noted")
        assert leftovers.clean() == leftovers.Removal()
        assert leftovers.noted(running.mark, "x") == "noted"
        raise KeyError("its own")
    assert not part.exists()
    assert list(state.iterdir()) == []


def test_two_runs_of_one_process_are_two(state: Path) -> None:
    with leftovers.begun() as one:
        with leftovers.begun() as other:
            assert one.mark != other.mark
            assert len(list(state.iterdir())) == 2
        assert [folder.name for folder in state.iterdir()] == [one.mark]


def test_the_error_of_a_run_is_not_covered_by_one_of_clearing_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(leftovers, "_removers", [fails])
    with pytest.raises(KeyError) as raised, leftovers.begun():
        raise KeyError("its own")
    assert raised.value.__notes__ == ["could not be removed: test_leftovers.fails: no second"]
    with pytest.raises(OutputError, match="could not be removed"), leftovers.begun():
        pass


def test_the_folder_of_an_ended_run_is_replaced(tmp_path: Path, ended: Owner) -> None:
    part = tmp_path / ".x.airmile.part"
    kill_while_writing(part, ended)
    (part / "old").touch()
    with unfinished.begun(part, Owner.new()):
        assert [file.name for file in part.iterdir()] == [RECORD]


@pytest.mark.parametrize("text", ["", "what?", "\u00b2", "1" * 5000, "4711-2"])
def test_a_folder_of_which_nothing_proves_the_end_is_kept(tmp_path: Path, text: str) -> None:
    part = tmp_path / ".x.airmile.part"
    part.mkdir()
    (part / RECORD).write_text(text)
    with pytest.raises(OutputError, match="nothing proves"), unfinished.begun(part, Owner.new()):
        pass
    assert (part / RECORD).read_text() == text


def test_a_copied_campaign_is_not_taken_over(tmp_path: Path, ended: Owner) -> None:
    part, copied = tmp_path / "a" / ".x.airmile.part", tmp_path / "b" / ".x.airmile.part"
    kill_while_writing(part, ended)
    shutil.copytree(part.parent, copied.parent)
    with pytest.raises(OutputError, match="is a copy") as raised:
        unfinished._begin(copied, Owner.new())
    assert raised.value.hint == "remove the folder if no run is writing it"
    leftovers.note(ended.mark, "part", str(copied))
    assert list(unfinished.remove(ended)) == []
    assert copied.exists()


def test_an_owner_that_lives_keeps_its_folder(tmp_path: Path, state: Path) -> None:
    part = tmp_path / ".x.airmile.part"
    with (
        unfinished.begun(part, Owner.new()),
        pytest.raises(OutputError, match="another run is writing it"),
        unfinished.begun(part, Owner.new()),
    ):
        pass


def removed_by_another(part: Path) -> None:
    """Do what a run does that finds the folder without a record."""
    part.rmdir()


def recorded_by_another(part: Path) -> None:
    """Do what a run does that began in the same folder."""
    os.close(owner.hold(part, Owner.new()))


@pytest.mark.parametrize("meanwhile", [removed_by_another, recorded_by_another])
def test_of_two_runs_that_begin_at_once_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[Path], None]
) -> None:
    part = tmp_path / ".x.airmile.part"
    monkeypatch.setattr(leftovers, "note", lambda *_: meanwhile(part))
    with pytest.raises(OutputError, match="another run is writing it"):
        unfinished._begin(part, Owner.new())


def test_a_folder_that_another_run_makes_meanwhile_is_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = tmp_path / ".x.airmile.part"
    part.mkdir()
    monkeypatch.setattr(unfinished, "_take_over", lambda _: None)
    with pytest.raises(OutputError, match="another run is writing it"):
        unfinished._begin(part, Owner.new())
    assert part.exists()


def test_a_state_folder_without_its_name_is_removed_only_after_the_end_of_its_run(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "_removers", [fails])
    killed, running, unknown = (state / name for name in (".killed", ".running", ".unknown"))
    for folder in (killed, running, unknown):
        folder.mkdir(mode=0o755, parents=True)
    os.close(owner.hold(killed, Owner.new()))
    lock = owner.hold(running, Owner.new())
    cleaned = leftovers.clean()
    os.close(lock)
    assert cleaned.removed == [f"state folder {killed}"] and cleaned.left == []
    assert {*state.iterdir()} == {running, unknown}


def test_a_signal_that_another_thread_takes_waits_for_the_end_of_clearing_up() -> None:
    begun, done = threading.Event(), []

    def take() -> None:
        begun.wait()
        signal.raise_signal(signal.SIGTERM)

    thread = threading.Thread(target=take)
    thread.start()
    with pytest.raises(SystemExit) as ended, endable():
        with undisturbed():
            begun.set()
            thread.join()
            done.append("clearing up")
        done.append("more")
    assert (ended.value.code, done) == (128 + signal.SIGTERM, ["clearing up"])


@pytest.mark.parametrize("link_to", [".x.airmile.part", ".owner"])
def test_what_a_link_leads_to_is_neither_taken_over_nor_removed(
    tmp_path: Path, link_to: str, ended: Owner
) -> None:
    mine, part = tmp_path / "mine", tmp_path / ".x.airmile.part"
    mine.mkdir()
    os.close(owner.hold(mine, ended))
    (mine / "thesis.tex").write_text("mine")
    if link_to == part.name:
        part.symlink_to(mine)
    else:
        part.mkdir()
        (part / "theirs").touch()
        (part / RECORD).symlink_to(mine / RECORD)
    new = Owner.new()
    with pytest.raises(OutputError):
        unfinished._begin(part, new)
    assert leftovers.noted(new.mark, "part") is None
    leftovers.note(ended.mark, "part", str(part))
    assert list(unfinished.remove(ended)) == []
    assert (mine / "thesis.tex").exists() and os.path.lexists(part)


def test_a_folder_without_a_record_is_not_removed(tmp_path: Path, ended: Owner) -> None:
    part = tmp_path / ".x.airmile.part"
    part.mkdir()
    (part / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match="was not begun by a run of the testbed"):
        unfinished._begin(part, Owner.new())
    leftovers.note(ended.mark, "part", str(part))
    assert list(unfinished.remove(ended)) == []
    assert (part / "thesis.tex").exists()


def test_an_unfinished_folder_is_removed_and_a_finished_one_stays(
    tmp_path: Path, ended: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "_removers", [unfinished.remove])
    part, out = tmp_path / ".x.airmile.part", tmp_path / "x.airmile"
    kill_while_writing(part, ended)
    assert leftovers.clean().removed == [f"unfinished run {part}"]
    assert not part.exists()
    with leftovers.begun() as new, unfinished.begun(part, new):
        unfinished.finish(part, out)
    assert leftovers.clean() == leftovers.Removal()
    assert list(out.iterdir()) == []


def test_every_interface_is_restored_but_the_one_that_refuses(
    ended: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    wished = []

    def wish(device: str, bits: list[int]) -> None:
        if device == "a0":
            raise OSError(errno.EBUSY, "busy")
        wished.append((device, bits))

    monkeypatch.setattr(leftovers, "_removers", [offloads.restore])
    monkeypatch.setattr(offloads, "features", lambda _: [0])
    monkeypatch.setattr(offloads, "_wish", wish)
    note = {"network": offloads._network(), "devices": {"a0": [1], "b0": [2]}}
    leftovers.note(ended.mark, "offloads.json", json.dumps(note))
    tried = leftovers.remove(ended)
    assert tried.removed == ["the ban on offloads of b0"]
    assert tried.left == ["offloads of a0: [Errno 16] busy"]
    assert wished == [("b0", [2])]


def test_an_interface_of_the_same_name_in_another_network_namespace_is_left_alone(
    ended: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "_removers", [offloads.restore])
    monkeypatch.setattr(offloads, "_restored", lambda *_: pytest.fail("touched"))
    leftovers.note(ended.mark, "offloads.json", '{"network": 12345, "devices": {"lo": [1]}}')
    (left,) = leftovers.remove(ended).left
    assert "offloads of lo are off in another network namespace" in left


def test_large_receive_offload_is_turned_off_and_other_flags_stay(
    ended: Owner, monkeypatch: pytest.MonkeyPatch
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
    offloads.turn_off(ended.mark, ["a0"])
    assert shown == [1 << 8]


def test_a_namespace_is_left_again_and_the_next_one_removed(
    tmp_path: Path, ended: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    (tmp_path / "netns").mkdir()
    names = [f"airmile-{ended.mark}-{place}" for place in ("core", "server")]
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
    with monkeypatch.context() as elsewhere:
        # The namespaces of a container with the same /run are empty files outside of it.
        elsewhere.setattr(os.path, "ismount", lambda _: False)
        strays._end_connections(tmp_path / "netns" / names[0])
        assert calls == []
    monkeypatch.setattr(os.path, "ismount", lambda _: True)
    tried = leftovers.remove(ended)
    assert calls == [each for n in names for each in (f"into {n}", "out", f"remove {n}")]
    assert tried.removed == [f"namespace {name}" for name in names]
    assert tried.left == ["; ".join(f"connections in {name}: no answer" for name in names)]
