"""Types into a shell: KIND MS, the mean time between keys."""

from __future__ import annotations

import random
import sys
import time

_LINES = {
    "typing": ["echo hello there", "ls /usr/share | head -5", "date; uptime", "echo done"],
    "scrolling": ["seq 1 40000", "ls -lR /usr/share/doc | head -4000"],
    "waiting": ["sleep 3; date", "for i in 1 2 3 4; do date; sleep 1; done"],
}


def main() -> None:
    """Type all lines, and leave."""
    kind, pause_s = sys.argv[1], float(sys.argv[2]) / 1e3
    time.sleep(3)
    for line in _LINES[kind]:
        _type(line, pause_s)
        time.sleep({"typing": 0.8, "scrolling": 4, "waiting": 4.5}[kind])
    _type("exit", pause_s)


def _type(line: str, pause_s: float) -> None:
    for key in line + "\r":
        sys.stdout.write(key)
        sys.stdout.flush()
        time.sleep(pause_s * random.uniform(0.4, 1.6))


if __name__ == "__main__":
    main()
