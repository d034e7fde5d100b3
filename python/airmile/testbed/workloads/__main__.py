"""Runs one workload: ``python -m airmile.testbed.workloads NAME JSON [NUMBER START_S]``.

With a number it is a workload of the background: its events carry the number, and it begins later.
"""

import json
import sys
import threading
import time

from airmile.testbed.hosts import rights
from airmile.testbed.workloads import module

_LOCK = threading.Lock()

name, options, *late = sys.argv[1:]


def say(event: str, **more: object) -> None:
    """Print an event with its time."""
    number = {"background": int(late[0])} if late else {}
    line = json.dumps({"event": event, "t_unix": time.time(), **more, **number})
    with _LOCK:
        # A single write, because clients of the background add lines to the same file.
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


chosen = module(name)
wanted = chosen.Options(**json.loads(options))
for step, _ in chosen.parts(wanted) if hasattr(chosen, "parts") else ():
    # They are imported now, because the unprivileged user may not be able to read their folder.
    module(step)
rights.become()
if late:
    time.sleep(float(late[1]))
chosen.run(wanted, say)
say("over")
