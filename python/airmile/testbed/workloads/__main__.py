"""Runs one workload: ``python -m airmile.testbed.workloads NAME JSON [NUMBER START_S]``.

With a number it is one of the background, which its events say, and begins so much later.
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
    """Print what happened, and when."""
    number = {"background": int(late[0])} if late else {}
    line = json.dumps({"event": event, "t_unix": time.time(), **more, **number})
    with _LOCK:
        # In one write: clients of the background add to the same file.
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


chosen = module(name)
wanted = chosen.Options(**json.loads(options))
for step, _ in chosen.parts(wanted) if hasattr(chosen, "parts") else ():
    # Afterwards the folder that they are in may not be readable.
    module(step)
rights.become()
if late:
    time.sleep(float(late[1]))
chosen.run(wanted, say)
say("over")
