"""Runs one workload: ``python -m airmile.testbed.workloads NAME JSON [NUMBER START_S]``.

With a number it is one of the background, which its events say, and begins so much later.
"""

import json
import sys
import threading
import time

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


if late:
    time.sleep(float(late[1]))
chosen = module(name)
chosen.run(chosen.Options(**json.loads(options)), say)
say("over")
