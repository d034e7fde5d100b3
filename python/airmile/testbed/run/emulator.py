"""The process of the emulated link: ``python -m airmile.testbed.run.emulator SETTINGS.json``.

It makes the devices, prints READY, and runs the link from the first line on its standard input
until SIGTERM. It prints RUNNING after the first milliseconds, and at the end a report as JSON. It
needs root to make the devices, open the files of the truth and set its priority; then it runs as
the unprivileged user.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from airmile.testbed.hosts import rights
from airmile.testbed.run import stopping

PRIORITY = 10
"""The priority of SCHED_FIFO: above all other processes, below the kernel's own threads."""


def main(settings: Path) -> None:
    """Run the link that a file of settings describes."""
    from airmile import _engine

    wanted = json.loads(settings.read_text())
    stopped, running = stopping.asked(), False
    real_time = False

    def opened() -> None:
        nonlocal real_time
        _say("READY")
        sys.stdin.readline()
        real_time = _hurry()
        rights.become()

    def going() -> bool:
        nonlocal running
        if not running:
            _say("RUNNING")
        running = True
        return not stopped()

    report = json.loads(
        _engine.link_run(
            json.dumps(wanted["link"]),
            [tuple(device) for device in wanted["devices"]],
            wanted["out"],
            wanted["longest_s"],
            opened,
            going,
            wanted["timestamp_tick_ns"],
        )
    )
    _say(json.dumps({**report, "real_time_priority": real_time}))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _hurry() -> bool:
    """Request SCHED_FIFO for this thread; threads that write files keep ordinary priority."""
    try:
        policy = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
        os.sched_setscheduler(0, policy, os.sched_param(PRIORITY))
    except PermissionError:
        return False
    return True


if __name__ == "__main__":
    main(Path(sys.argv[1]))
