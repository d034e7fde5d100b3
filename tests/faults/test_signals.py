"""Ctrl-C, SIGTERM and SIGHUP end a run that waits, which keeps what is finished."""

from __future__ import annotations

import gzip
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from signal import SIGHUP, SIGINT, SIGKILL, SIGTERM, Signals

import pytest

import airmile
from tests.faults.runs import LINK, Ended, begin, debris, ended, is_whole, run

CODES = {SIGINT: 130, SIGTERM: 143, SIGHUP: 129}


@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_silent_pipe_ends_and_what_came_is_kept(
    tmp_path: Path, number: Signals, pack: Callable[[bytes], bytes]
) -> None:
    process = begin(tmp_path, "-", "-o", "x.airmile", stdin=subprocess.PIPE)
    assert process.stdin
    # Random bytes do not compress, so the data exceed the buffer of the decompressor.
    process.stdin.write(pack(gzip.decompress(LINK.read_bytes()))[:500_000])
    process.stdin.flush()
    _wait_for(lambda: bool(debris(tmp_path)))
    time.sleep(0.3)
    process.send_signal(number)
    # No more data arrive, and the pipe stays open.
    code, err = process.wait(30), process.stderr.read().decode() if process.stderr else ""
    process.stdin.close()
    assert code == CODES[number]
    assert err.startswith("error: ")
    assert "x.partial.airmile" in err
    dataset = airmile.open(tmp_path / "x.partial.airmile")
    assert dataset.manifest["interrupted"] is True
    assert dataset.manifest["inputs"][0]["counts"]["packets"] > 100
    assert is_whole(dataset.path)
    assert not (tmp_path / "x.airmile").exists()
    assert not debris(tmp_path)


@pytest.mark.parametrize("words", [("analyze", "pipe"), ("radio", "pipe"), ("info", "pipe")])
def test_a_pipe_that_nobody_opens_for_writing(tmp_path: Path, words: tuple[str, ...]) -> None:
    os.mkfifo(tmp_path / "pipe")
    process = begin(tmp_path, *words)
    _wait_for(lambda: _has_open(process.pid, tmp_path / "pipe"))
    process.send_signal(SIGINT)
    said = ended(process)
    assert (said.code, said.err.strip()) == (130, "error: interrupted")
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]


def test_a_signal_that_a_process_ignores_stays_ignored(tmp_path: Path) -> None:
    nohup = f"trap '' HUP; exec airmile - -o x.airmile < '{tmp_path}/pipe'"
    os.mkfifo(tmp_path / "pipe")
    process = subprocess.Popen(
        ["sh", "-c", nohup.replace("airmile -", f"{_python()} -m airmile -")],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    with (tmp_path / "pipe").open("wb") as pipe:
        pipe.write(gzip.decompress(LINK.read_bytes())[:100_000])
        pipe.flush()
        _wait_for(lambda: bool(debris(tmp_path)))
        process.send_signal(SIGHUP)
    assert ended(process).code in (0, 1)


ENDLESS = "(SELECT count(*) FROM range(10000000000000))"


@pytest.mark.parametrize(
    "words",
    [
        ("query", "x.airmile", f"FROM {ENDLESS}"),
        ("analyze", "x.airmile", "--where", f"uid <> {ENDLESS}"),
        ("analyze", "x.airmile", "--fail-if", f"flows <> {ENDLESS}"),
        ("analyze", LINK, "-o", "y.airmile", "--where", f"uid <> {ENDLESS}"),
    ],
    ids=lambda words: " ".join(map(str, words[:3:2])),
)
def test_a_query_that_would_never_end(tmp_path: Path, words: tuple[str | Path, ...]) -> None:
    airmile.analyze(LINK, out=tmp_path / "x.airmile")
    process = begin(tmp_path, *words)
    _wait_for(lambda: any("duckdb" in line for line in _maps(process.pid)))
    # Conditions are checked before the capture is read, and evaluated after that.
    _wait_for(lambda: words[1] != LINK or (tmp_path / "y.airmile").exists())
    time.sleep(0.5)
    process.send_signal(SIGINT)
    said = ended(process)
    assert (said.code, said.err.strip().splitlines()[-1]) == (130, "error: interrupted")


def test_a_part_of_many_tebibytes_is_left(tmp_path: Path) -> None:
    part = tmp_path / "part-0.parquet"
    part.touch()
    # A sparse file, which takes an hour to read.
    os.truncate(part, 1 << 43)
    process = subprocess.Popen([_python(), "-c", _DIGESTS, part], stdout=subprocess.PIPE, text=True)
    _wait_for(lambda: _has_open(process.pid, part))
    process.send_signal(SIGINT)
    try:
        assert process.communicate(timeout=60)[0] == "interrupted\n"
    finally:
        process.kill()


_DIGESTS = """
import signal, sys
from airmile import _engine
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    _engine.digest_file(sys.argv[1])
except KeyboardInterrupt:
    print("interrupted")
"""


CLEARS_UP = """
import time
from airmile import _signals
with _signals.heard():
    with _signals.forced():
        pass
    try:
        print("waits", flush=True)
        time.sleep(60)
    except _signals.Ended:
        time.sleep(2 * _signals.PATIENCE_S)
        print("cleared up", flush=True)
"""


_LOST = """
import gc, os, signal, weakref
from airmile import _signals
from airmile.live.stream import Log

class Silent:
    def read(self, timeout_s, silent_s):
        return "{}"

class Watched: pass

def killed(_):
    os.kill(os.getpid(), signal.SIGTERM)

with _signals.heard():
    watched = Watched()
    seen = weakref.ref(watched, killed)
    del watched
    try:
        while True:
            Log(Silent()).read(0.0, 0.0)
    except KeyboardInterrupt as error:
        raise SystemExit(_signals.described(error)[1])
"""


def test_a_signal_that_python_drops_ends_live_all_the_same() -> None:
    done = subprocess.run([_python(), "-c", _LOST], capture_output=True, timeout=60)
    assert b"Exception ignored" in done.stderr
    assert done.returncode == 143


def test_what_holds_something_to_keep_has_time_to_clear_up() -> None:
    process = subprocess.Popen([_python(), "-c", CLEARS_UP], stdout=subprocess.PIPE, text=True)
    assert process.stdout and process.stdout.readline() == "waits\n"
    process.send_signal(SIGTERM)
    assert process.communicate(timeout=60)[0] == "cleared up\n"
    assert process.returncode == 0


def test_what_a_killed_run_left_goes_with_the_next_one(tmp_path: Path) -> None:
    _killed(tmp_path)
    assert debris(tmp_path)
    assert run(tmp_path, LINK, "-o", "y.airmile").code == 0
    assert not debris(tmp_path)


def test_what_a_killed_run_left_is_named_by_the_doctor(tmp_path: Path) -> None:
    _killed(tmp_path)
    (name,) = debris(tmp_path)
    said = run(tmp_path, "doctor")
    assert name in " ".join(said.out.split())


def test_what_only_looks_like_it_is_kept_and_named(tmp_path: Path) -> None:
    names = [".x.airmile.2024.old", ".x.airmile.2024.partial"]
    mine = [tmp_path / name / "flows" / "part-0.parquet" for name in names]
    for part in mine:
        part.parent.mkdir(parents=True)
        part.write_text("mine")
    assert run(tmp_path, LINK, "-o", "x.airmile").code == 0
    assert all(part.read_text() == "mine" for part in mine)
    said = " ".join(run(tmp_path, "doctor").out.split())
    assert all(name in said for name in names)


def test_a_run_that_goes_on_loses_nothing_to_another(tmp_path: Path) -> None:
    process = begin(tmp_path, "-", "-o", "x.airmile", stdin=subprocess.PIPE)
    assert process.stdin
    process.stdin.write(gzip.decompress(LINK.read_bytes()))
    process.stdin.flush()
    _wait_for(lambda: bool(debris(tmp_path)))
    assert run(tmp_path, LINK, "-o", "y.airmile").code == 0
    assert debris(tmp_path)
    assert ended(process).code == 0
    assert is_whole(tmp_path / "x.airmile")


def _killed(folder: Path) -> Ended:
    process = begin(folder, "-", "-o", "x.airmile", stdin=subprocess.PIPE)
    assert process.stdin
    process.stdin.write(gzip.decompress(LINK.read_bytes())[:200_000])
    process.stdin.flush()
    _wait_for(lambda: bool(debris(folder)))
    process.send_signal(SIGKILL)
    return ended(process)


def _wait_for(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _has_open(pid: int, path: Path) -> bool:
    try:
        return any(each.samefile(path) for each in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


def _maps(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/maps").read_text().splitlines()


def _python() -> str:
    import sys

    return sys.executable
