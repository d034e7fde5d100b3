"""Runs one workload: ``python -m airmile.testbed.workloads NAME JSON [NUMBER START_S]``.

With NUMBER the workload runs in the background: it begins at START_S, and its events carry NUMBER.
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
    """Print an event with the time at which it happened."""
    number = {"background": int(late[0])} if late else {}
    line = json.dumps({"event": event, "t_unix": time.time(), **more, **number})
    with _LOCK:
        # One call writes the whole line, because clients of the background append to the same file.
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


chosen = module(name)
wanted = chosen.Options(**json.loads(options))
for step, _ in chosen.parts(wanted) if hasattr(chosen, "parts") else ():
    # Import the modules now: the unprivileged user may not be able to read their folder.
    module(step)
rights.become()
if late:
    time.sleep(float(late[1]))
chosen.run(wanted, say)
say("over")
