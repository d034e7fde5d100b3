"""Runs testbeds of a host and of two containers at once; none may disturb another (root).

::

    sudo python -m tests.testbed.neighbours [--rounds 20] [FOLDER]

One container shares the host's /run, the other has a /run of its own; both have PID and mount
namespaces of their own. In each round the three make a run each, one of them makes a second run
that is killed midway, and all call `airmile testbed clean` again and again. It ends with 1 if a run
did not end with its result, if a call of `clean` failed or removed something of a run that was not
killed, or if something of a killed run is left.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from airmile._errors import InputError
from airmile.testbed.hosts import leftovers, strays
from airmile.testbed.hosts.owner import RECORD
from airmile.testbed.record.outcome import manifest_of

COMMAND = [sys.executable, "-m", "airmile", "testbed"]

UNSHARED = ["unshare", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc"]
OWN_RUN = ["sh", "-c", 'mount -t tmpfs tmpfs /run && exec "$@"', "sh"]

SITES = {"host": [], "shared /run": UNSHARED, "own /run": [*UNSHARED, *OWN_RUN]}
"""The command that starts a program at each site."""

EXPERIMENTS = {
    "kept": '[workload]\nname = "bulk_download"\nbytes = 200_000\n',
    "killed": '[workload]\nname = "bulk_download"\nbytes = 1_000_000_000\nseconds = 60\n',
}

PAUSE_S = 0.5
"""The time between two calls of `clean`, in seconds."""

LEAST_BYTES = 500
"""The size of the file of senders from which on a run counts as being in its middle."""


@dataclass
class Seen:
    """What a site has seen in a round.

    Attributes
    ----------
    code : int
        The exit code of the run that was kept.
    kept, killed : str, optional
        The marks of the run that was kept, if a call of `clean` ended in its middle, and of the
        one that was killed.
    cleaned : list
        The exit code and the lines of each call of `clean`.
    """

    code: int = -1
    kept: str | None = None
    killed: str | None = None
    cleaned: list[tuple[int, list[str]]] = field(default_factory=list)


def main(rounds: int, folder: Path) -> int:
    """Make the rounds, and print what went wrong and a line about all of them."""
    began, calls, alone, wrong = time.monotonic(), 0, 0, 0
    for number in range(rounds):
        seen = one_round(folder / str(number), list(SITES)[number % len(SITES)])
        lines = [line for each in seen.values() for _, said in each.cleaned for line in said]
        calls += sum(len(each.cleaned) for each in seen.values())
        alone += sum(line.startswith("left alone") for line in lines)
        found = list(faults(folder / str(number), seen))
        wrong += len(found)
        for fault in found:
            print(f"round {number + 1}: {fault}", flush=True)
    print(
        f"{rounds} rounds, {rounds * len(SITES)} runs beside {rounds} killed ones, {calls} calls "
        f"of clean ({alone} lines about runs left alone), {time.monotonic() - began:.0f} s: "
        f"{wrong or 'nothing'} went wrong"
    )
    return int(wrong > 0)


def one_round(folder: Path, kills: str) -> dict[str, Seen]:
    """Let all sites make their runs at once; `kills` is the site that kills one."""
    running = {}
    for name, within in SITES.items():
        own = folder / name.replace("/", "")
        own.mkdir(parents=True)
        words = [sys.executable, "-m", "tests.testbed.neighbours", "--site", str(own)]
        command = [*within, *words, *(["--kill"] if name == kills else [])]
        running[name] = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    said = {name: each.communicate()[0] for name, each in running.items()}
    return {name: Seen(**json.loads(text)) if text else Seen() for name, text in said.items()}


def faults(folder: Path, seen: dict[str, Seen]) -> Iterator[str]:
    """Yield what went wrong in a round."""
    killed = next((each.killed for each in seen.values() if each.killed), None)
    kept = [each.kept for each in seen.values() if each.kept]
    if killed is None:
        yield "no run was killed"
    for name, each in seen.items():
        out = folder / name.replace("/", "") / "runs" / "kept.airmile"
        if each.code or not _is_complete(out):
            yield f"{name}: the run ended with {each.code}"
        for code, lines in each.cleaned:
            if code:
                yield f"{name}: clean ended with {code}: {lines}"
            if "Traceback" in "".join(lines):
                yield f"{name}: {lines}"
            yield from (
                f"{name}: {line}"
                for line in lines
                if line.startswith("removed") and any(mark in line for mark in (*kept, "kept.airm"))
            )
    code, lines = clean()
    if code or (leftovers.STATE / str(killed)).exists():
        yield f"at the end clean ended with {code}: {lines}"
    yield from (
        f"{name} is left of a killed run" for mark, name in strays.found() if mark == killed
    )
    parts = folder.glob("*/runs/.*.part")
    yield from (f"{part} is left" for part in parts)


def _is_complete(run: Path) -> bool:
    try:
        return bool(manifest_of(run)["workload_ended"] == "complete")
    except InputError:
        return False


def site(folder: Path, kill: bool) -> Seen:
    """Make a run at this site, and kill a second one; call `clean` until the first one ends."""
    seen = Seen()
    kept = _start(folder, "kept")
    killed = _start(folder, "killed") if kill else None
    while kept.poll() is None or (killed and killed.poll() is None):
        seen.cleaned.append(clean())
        seen.kept = seen.kept or _in_mid_run(folder, "kept")
        if killed and killed.poll() is None and (mark := _in_mid_run(folder, "killed")):
            seen.killed = mark
            killed.kill()
            killed.wait()
        time.sleep(PAUSE_S)
    seen.cleaned.append(clean())
    seen.code = kept.returncode
    return seen


def clean() -> tuple[int, list[str]]:
    """Call `airmile testbed clean`, and return its exit code and its lines."""
    done = subprocess.run(
        [*COMMAND, "clean"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()


def _start(folder: Path, name: str) -> subprocess.Popen[bytes]:
    file = folder / f"{name}.toml"
    file.write_text(EXPERIMENTS[name])
    words = [*COMMAND, "run", "-q", str(file), "-o", str(folder / "runs")]
    with (folder / f"{name}.txt").open("w") as said:
        return subprocess.Popen(words, stdout=said, stderr=said)


def _in_mid_run(folder: Path, name: str) -> str | None:
    """Return the mark of a run that is going on, once senders of it have been seen."""
    part = folder / "runs" / f".{name}.airmile.part"
    try:
        if (part / "senders_server.csv").stat().st_size > LEAST_BYTES:
            return str(json.loads((part / RECORD).read_text())["mark"])
    except FileNotFoundError:
        # The run has not begun, or it has just ended.
        pass
    return None


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path, nargs="?")
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--site", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--kill", action="store_true", help=argparse.SUPPRESS)
    return options.parse_args()


if __name__ == "__main__":
    chosen = _options()
    if chosen.site:
        print(json.dumps(asdict(site(chosen.site, chosen.kill))))
    elif chosen.folder:
        sys.exit(main(chosen.rounds, chosen.folder))
    else:
        with tempfile.TemporaryDirectory(prefix="airmile-neighbours-") as scratch:
            sys.exit(main(chosen.rounds, Path(scratch)))
