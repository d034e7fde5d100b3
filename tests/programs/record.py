"""Records cases over the testbed's link; this needs root, and the programs."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from threading import Event, Thread
from unittest import mock

from airmile._errors import OutputError
from airmile.testbed.experiment.toml_file import Experiment, parse
from airmile.testbed.hosts.namespaces import SERVER
from airmile.testbed.hosts.processes import WORKLOAD_PRIORITY, Processes, ends_within
from airmile.testbed.record import captures
from airmile.testbed.run import clients, emulated_run
from airmile.testbed.run.listening import Server
from tests.programs import tracing, truth
from tests.programs.program import Case, Program, Step

TRIES = 4
"""The attempts at a run, which may be late on a machine with other work."""

AFTER_S = 0.3
"""How long the server may still read after the client has ended."""


def record(cases: Iterable[Case], out: Path, at_once: int) -> bool:
    """Record the cases that a folder lacks; return whether all of them can be trusted."""
    out.mkdir(parents=True, exist_ok=True)
    missing = [each for each in cases if not (out / each.run.name).exists()]
    one = partial(_record, out.resolve())
    # A run handles signals, which only the main thread of a process may.
    with ProcessPoolExecutor(at_once, mp_context=get_context("spawn")) as pool:
        return all(list(pool.map(one, missing)))


def _record(out: Path, case: Case) -> bool:
    folder = out / case.run.name
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        try:
            with _played(case.program, out / f".{case.run.name}.work") as work:
                facts = emulated_run.run(parse(case.run.name, case.run.experiment), folder)
                for trace in work.glob("*.trace*"):
                    shutil.move(trace, folder / trace.name)
                for log in work.glob("*.log"):
                    shutil.copy(log, folder / log.name)
        except (OutputError, OSError, subprocess.SubprocessError) as error:
            _say(f"{case.run.name}: {error}")
            continue
        if facts["trustworthy"]:
            truth.write(folder, case.traits)
            _say(f"{case.run.name}: recorded, {facts['workload_ended']}")
            return True
        _say(f"{case.run.name}: {facts['untrustworthy_because']}")
    return False


@contextmanager
def _played(program: Program, work: Path) -> Iterator[Path]:
    """Have the testbed run the programs in place of its workloads, while the block runs."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    work.chmod(0o755)
    every = partial(captures.start, only="ip or ip6")
    with (
        mock.patch.object(captures, "start", every),
        mock.patch.multiple(
            clients,
            needs=lambda _: {"strace", program.server[0], program.client[0]},
            serve=partial(_serve, program, work),
            run=partial(_run, program, work),
        ),
    ):
        yield work
    shutil.rmtree(work, ignore_errors=True)


def _serve(
    program: Program, work: Path, _: Experiment, processes: Processes, __: Path, ___: Path
) -> list[Server]:
    for name, text in program.files.items():
        file = work / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("{work}", str(work)).replace("{server}", SERVER))
    for command in program.prepare:
        subprocess.run(program.placed(command, work), check=True, capture_output=True)
    if program.user:
        work.chmod(0o777)
    words = tracing.command(
        program.placed(program.server, work), work / "server.trace", program.user
    )
    started = _start(processes, words, "server", work)
    return [Server(program.server[0], started, (program.port,))]


def _start(processes: Processes, words: list[str], place: str, work: Path) -> subprocess.Popen[str]:
    with (work / f"{place}.log").open("w") as said:
        return processes.start(
            words,
            place=place,
            root=True,
            priority=WORKLOAD_PRIORITY,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            cwd=work,
        )


def _run(program: Program, work: Path, _: Experiment, processes: Processes, out: Path) -> str:
    """Run the client, and the router's steps; return how it ended."""
    ended = Event()
    (out / "workload.jsonl").touch()
    before = [step for step in program.router if step.at_s < 0]
    for step in before:
        _step(processes, step)
    words = tracing.command(program.placed(program.client, work), work / "phone.trace")
    client = _start(processes, words, "phone", work)
    steps = Thread(target=_steps, args=(program, processes, ended, out), daemon=True)
    steps.start()
    complete = ends_within(client, program.longest_s)
    time.sleep(AFTER_S)
    ended.set()
    steps.join()
    # A tracer that is asked to end lets its programs run on.
    processes.stop(client)
    return "complete" if complete and client.returncode == 0 else f"code {client.returncode}"


def _steps(program: Program, processes: Processes, ended: Event, out: Path) -> None:
    began = time.monotonic()
    for step in sorted(program.router, key=lambda step: step.at_s):
        if step.at_s < 0:
            continue
        if ended.wait(max(0.0, began + step.at_s - time.monotonic())):
            return
        with (out / "router.jsonl").open("a") as log:
            log.write(f'{{"event": "rule", "t_ns": {time.time_ns()}}}\n')
        _step(processes, step)


def _step(processes: Processes, step: Step) -> None:
    with suppress(OSError):
        done = processes.start(list(step.command), place="core", root=True, stderr=subprocess.PIPE)
        if done.wait():
            _say(f"{' '.join(step.command)}: {done.stderr.read() if done.stderr else ''}")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
