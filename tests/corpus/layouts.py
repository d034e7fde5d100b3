"""Which records of the public modem logs are read, which checks hold, and what their uplink was.

``python -m tests.corpus.layouts`` prints, for each log of ``radio`` and ``radio-uplink``: records
that are unknown or refused by code and version, self-checks passed and failed, and the verdict on
the uplink beside the phone's buffer reports. The contents of messages are not printed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import airmile

FOLDERS = ("radio", "radio-uplink")


@dataclass(frozen=True)
class Log:
    """The manifest of a log."""

    name: str
    log: dict[str, Any]
    users: tuple[Any, ...]

    @property
    def unread(self) -> list[str]:
        """Give the records that are unknown or were refused."""
        return [*self.log["not_understood"], *self.log.get("refused", [])]

    @property
    def checks(self) -> dict[str, dict[str, tuple[int, int]]]:
        """Give the numbers of checks that passed and failed, by layout."""
        return {
            layout: {name: (one["passed"], one["failed"]) for name, one in of.items()}
            for layout, of in self.log.get("checks", {}).items()
        }


def logs(corpus: Path) -> list[Path]:
    """List the logs of the corpus."""
    found = (path for folder in FOLDERS for path in sorted((corpus / folder).glob("*")))
    return [path for path in found if path.suffix in (".mi2log", ".qmdl")]


def read(log: Path, out: Path) -> Log:
    """Read a log."""
    dataset = airmile.radio(log, out=out)
    return Log(log.name, dataset.manifest["modem"][0], dataset.radio.users)


def lines(shown: Log) -> Iterator[str]:
    """Write the lines about a log."""
    yield shown.name
    yield from (f"  {text}" for text in shown.unread)
    for layout, of in shown.checks.items():
        kinds = (f"{name} {held} of {held + failed}" for name, (held, failed) in of.items())
        yield f"  {layout}: {', '.join(kinds)}"
    for user in shown.users:
        yield from (f"  {text}" for text in _uplink(user))


def _uplink(user: Any) -> Iterator[str]:
    found = user.uplink
    if found.get("sending_s") is None:
        return
    words = {True: "the bottleneck", False: "not the bottleneck", None: "open"}
    yield (
        f"uplink of user {user.user}: {words[user.uplink_is_bottleneck]}; sent "
        f"{found['sending_s']:.2f} s, data waited {found['backlogged_low_ratio']} to "
        f"{found['backlogged_high_ratio']}, padding {found['padding_ratio']}"
    )
    if found["reports"]:
        yield (
            f"  {found['reports']} reports: something waits in {found['waiting_ratio']:.2f}, "
            f"median {found['median_waiting_bytes']:.0f} B, most {found['most_waiting_bytes']} B"
        )


def main() -> int:
    """Print all logs of the corpus."""
    corpus = os.environ.get("AIRMILE_CORPUS")
    if corpus is None:
        print("AIRMILE_CORPUS does not name the corpus folder", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        for log in logs(Path(corpus)):
            print(*lines(read(log, Path(folder) / f"{log.name}.airmile")), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
