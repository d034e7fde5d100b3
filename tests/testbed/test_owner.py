"""Whether a run has ended: only a free lock on its own record proves it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from airmile import OutputError, _capabilities, _engine
from airmile.testbed.hosts import leftovers, owner, proc, rights, strays
from airmile.testbed.hosts.owner import RECORD, VARIABLE, Owner, RunningError, UnprovenError

HOLDS = """
import subprocess, sys, time
from pathlib import Path
from airmile.testbed.hosts import owner
held = owner.hold(Path(sys.argv[1]), owner.Owner.new())
child = subprocess.Popen(["sleep", "60"])
print(child.pid, flush=True)
time.sleep(60)
"""

CONTAINER = ["unshare", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"]
"""The command for a PID namespace of its own, as a container has; --map-root-user needs no root."""


@contextmanager
def holder(folder: Path, *within: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Let a process hold a folder, and give the process and its child's number there."""
    words = [*within, sys.executable, "-c", HOLDS, str(folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


def contained() -> None:
    """Skip the test where no PID namespace can be made."""
    if subprocess.run([*CONTAINER, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine allows no namespaces of users and processes")


def left(folder: Path) -> Owner:
    """Make the record of a run that has ended."""
    folder.mkdir(parents=True, exist_ok=True)
    ended = Owner.new()
    os.close(owner.hold(folder, ended))
    return ended


def test_a_run_is_running_until_its_process_has_ended(tmp_path: Path) -> None:
    with holder(tmp_path) as (process, child):
        with pytest.raises(RunningError), owner.after_end(tmp_path):
            pass
        process.kill()
        process.wait()
        # The child lives on, but the lock was not its own.
        os.kill(child, 0)
        with owner.after_end(tmp_path) as ended:
            assert json.loads((tmp_path / RECORD).read_text())["mark"] == ended.mark
            with pytest.raises(RunningError), owner.after_end(tmp_path):
                pass
        os.kill(child, signal.SIGKILL)


def test_a_run_in_another_pid_namespace_is_running(tmp_path: Path) -> None:
    contained()
    with holder(tmp_path, *CONTAINER) as (process, _):
        record = json.loads((tmp_path / RECORD).read_text())
        assert record["pid_namespace"] != proc.namespace()
        with pytest.raises(RunningError), owner.after_end(tmp_path):
            pass
        # The kernel ends all processes of the namespace.
        process.kill()
        assert _ended_in_time(tmp_path).mark == record["mark"]


def _ended_in_time(folder: Path) -> Owner:
    until = time.monotonic() + 20
    while True:
        try:
            with owner.after_end(folder) as ended:
                return ended
        except RunningError:
            assert time.monotonic() < until, "the run does not end"
            time.sleep(0.02)


def change(folder: Path, **entries: object) -> None:
    record = json.loads((folder / RECORD).read_text())
    (folder / RECORD).write_text(json.dumps({**record, **entries}))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "another version"),
        ("1234-5678", "another version"),
        ("[" * 4096, "another version"),
        ('{"mark": "../../etc", "version": 1}', "another version"),
        ('{"mark": 3, "version": 1}', "another version"),
    ],
)
def test_a_record_that_no_run_of_this_version_wrote_proves_nothing(
    tmp_path: Path, content: str, why: str
) -> None:
    (tmp_path / RECORD).write_text(content)
    with pytest.raises(UnprovenError, match=why), owner.after_end(tmp_path):
        pass


def test_another_version_and_another_boot_prove_nothing(tmp_path: Path) -> None:
    left(tmp_path)
    for entries, why in (
        ({"version": 2}, "another version"),
        ({"version": 1, "boot": "0"}, "another machine"),
        ({"boot": None}, "another machine"),
        ({"boot": owner.boot(), "file": [0, 0]}, "copy"),
    ):
        change(tmp_path, **entries)
        with pytest.raises(UnprovenError, match=why), owner.after_end(tmp_path):
            pass


def test_a_copy_of_a_record_and_a_removed_record_prove_nothing(tmp_path: Path) -> None:
    with holder(tmp_path):
        copied = tmp_path / "copied"
        copied.mkdir()
        shutil.copy2(tmp_path / RECORD, copied)
        with pytest.raises(UnprovenError, match="copy"), owner.after_end(copied):
            pass
        (tmp_path / RECORD).unlink()
        with pytest.raises(UnprovenError, match="not to be seen"), owner.after_end(tmp_path):
            pass
        (tmp_path / RECORD).symlink_to(copied / RECORD)
        with pytest.raises(UnprovenError, match="cannot be opened"), owner.after_end(tmp_path):
            pass
        (tmp_path / RECORD).unlink()
        os.mkfifo(tmp_path / RECORD)
        with pytest.raises(UnprovenError, match="another version"), owner.after_end(tmp_path):
            pass


def test_a_file_system_that_other_machines_may_share_proves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = left(tmp_path)
    monkeypatch.setattr(_engine, "free_locks_prove", lambda _: False)
    with pytest.raises(UnprovenError, match="shared"), owner.after_end(tmp_path):
        pass
    with owner.made_by(ended, tmp_path) as its:
        assert its
    with owner.made_by(Owner.new(), tmp_path) as its:
        assert not its


def test_marks_differ_and_fit_into_the_name_of_a_congestion_control() -> None:
    marks = {Owner.new().mark for _ in range(1000)}
    assert len(marks) == 1000
    assert {len(mark) for mark in marks} == {owner.MARK_LENGTH}
    assert all(mark.isalnum() and mark[0].isalpha() for mark in marks)


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty state folder, and none of the removers that need root."""
    monkeypatch.setattr(leftovers, "STATE", tmp_path / "state")
    monkeypatch.setattr(leftovers, "_removers", [])
    monkeypatch.setattr(leftovers, "_finders", [])
    monkeypatch.setattr(strays, "NAMESPACES", tmp_path / "netns")
    monkeypatch.setattr(strays, "PATIENCE_S", 0.2)
    monkeypatch.setattr(_capabilities, "effective", lambda: -1)
    return tmp_path / "state"


@contextmanager
def marked(mark: str, *within: str) -> Iterator[subprocess.Popen[str]]:
    """Start a process as a run with this mark does, and give it once it runs."""
    # The shell waits itself: while another program takes its place, its environment is empty.
    words = [*within, "env", f"{VARIABLE}={mark}", "sh", "-c", "echo; read _"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


def test_the_processes_of_a_run_without_a_visible_lock_are_named_and_not_ended(
    state: Path,
) -> None:
    hidden = Owner.new()
    with marked(hidden.mark) as process:
        cleaned = leftovers.clean()
        assert process.poll() is None
    (named,) = [line for line in cleaned.unproven if hidden.mark in line]
    assert f"process {process.pid} (" in named and "not to be seen" in named
    assert cleaned.removed == []


def test_the_processes_of_an_ended_run_are_ended(state: Path) -> None:
    ended = Owner.new()
    os.close(leftovers._made(ended))
    with marked(ended.mark) as process:
        cleaned = leftovers.clean()
        assert process.wait(10) == -signal.SIGTERM
    # It may have been a shell still.
    assert cleaned.removed in [[f"process {process.pid} ({name})"] for name in ("sh", "sleep")]
    assert not (state / ended.mark).exists()


def test_a_process_in_another_pid_namespace_gets_no_signal(state: Path) -> None:
    contained()
    ended = Owner.new()
    os.close(leftovers._made(ended))
    with marked(ended.mark, *CONTAINER[:-1]) as process:
        cleaned = leftovers.clean()
        inner = [line for line in cleaned.left if "in another PID namespace" in line]
        # It may have been a shell still.
        assert len(inner) == 1 and inner[0].split()[-5] in ("(sh)", "(sleep)")
        # The state folder stays until the next try.
        assert (state / ended.mark).exists()
        process.kill()


def test_a_run_of_another_pid_namespace_has_no_process_here(state: Path) -> None:
    owner_there = Owner(Owner.new().mark, owner.boot(), 1)
    os.close(leftovers._made(owner_there))
    with marked(owner_there.mark) as process:
        assert "in another PID namespace" in leftovers.clean().left[0]
        assert process.poll() is None


def test_only_the_user_of_runs_makes_a_process_in_their_namespaces_theirs() -> None:
    inside = {strays._identity(Path("/proc/self/ns/net")): "x"}
    assert strays._mark(Path("/proc/self"), inside) is None
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rights, "USER", os.getuid())
        assert strays._mark(Path("/proc/self"), inside) == "x"


def test_a_renamed_state_folder_proves_nothing(state: Path) -> None:
    ended = Owner.new()
    os.close(leftovers._made(ended))
    other = Owner.new().mark
    (state / ended.mark).rename(state / other)
    cleaned = leftovers.clean()
    assert [line for line in cleaned.unproven if other in line and "another run" in line]
    assert (state / other).exists()


def test_a_state_folder_that_others_can_write_to_is_refused(state: Path) -> None:
    ended = Owner.new()
    os.close(leftovers._made(ended))
    state.chmod(0o777)
    for act in (leftovers.clean, lambda: leftovers._made(Owner.new())):
        with pytest.raises(OutputError, match="only this user can write"):
            act()
    assert (state / ended.mark).exists()


def test_a_proc_of_another_pid_namespace_is_refused() -> None:
    contained()
    words = "from airmile.testbed.hosts import proc; proc.check()"
    for options, code in ((CONTAINER, 0), (CONTAINER[:-1], 1)):
        command = [*options, sys.executable, "-c", words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
    assert "another PID namespace" in done.stderr
