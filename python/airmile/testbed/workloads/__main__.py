"""Runs one workload: ``python -m airmile.testbed.workloads NAME JSON``."""

import json
import sys
import threading
import time

from airmile.testbed.workloads import module

_LOCK = threading.Lock()


def say(event: str, **more: object) -> None:
    """Print what happened, and when."""
    line = json.dumps({"event": event, "t_unix": time.time(), **more})
    with _LOCK:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


chosen = module(sys.argv[1])
chosen.run(chosen.Options(**json.loads(sys.argv[2])), say)
say("over")
