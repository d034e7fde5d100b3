"""Runs side by side, each in a process: ``python -m airmile.campaign.beside FOLDER``.

The process reads an experiment as JSON, makes its run in the folder, and prints the line about it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from airmile.testbed.experiment.toml_file import Experiment
from airmile.testbed.hosts import programs, rights
from airmile.testbed.hosts.signals import endable
from airmile.testbed.run import campaign
from airmile.testbed.run.campaign import Failed

INTERRUPTED = 130


def made(experiments: Sequence[Experiment], folders: Sequence[Path]) -> list[str]:
    """Make runs at the same time, each in its folder, and return the line about each.

    The line is :class:`airmile.testbed.run.campaign.Failed` if the run failed. If this process is
    interrupted, the runs are ended, and remove what they have made.
    """
    begun: list[subprocess.Popen[str]] = []
    with endable():
        try:
            begun += (_begun(*each) for each in zip(experiments, folders, strict=True))
            return [_line(process) for process in begun]
        finally:
            for process in begun:
                if process.poll() is None:
                    process.terminate()
            for process in begun:
                process.wait()


def _begun(experiment: Experiment, folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        programs.python("airmile.campaign.beside", str(folder)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=rights.dying(),
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(asdict(experiment)))
    process.stdin.close()
    return process


def _line(process: subprocess.Popen[str]) -> str:
    """Return the line that the process of a run prints at its end."""
    assert process.stdout is not None
    said = process.stdout.read().strip()
    if process.wait() == INTERRUPTED:
        raise KeyboardInterrupt
    try:
        found = json.loads(said)
        return Failed(found["line"]) if found["failed"] else str(found["line"])
    except (ValueError, KeyError, TypeError):
        return Failed(f"FAILED: the process of the run ended with code {process.returncode}")


def main(folder: Path) -> int:
    """Make the run of the experiment on the standard input, and print the line about it."""
    experiment = Experiment.of(json.load(sys.stdin))
    try:
        line = campaign.one(experiment, folder, "", lambda _: None)
    except KeyboardInterrupt:
        return INTERRUPTED
    sys.stdout.write(json.dumps({"line": line.strip(), "failed": isinstance(line, Failed)}) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
