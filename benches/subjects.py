"""The subjects of the measurements: airmile, its stages, other tools, and compressed input."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from benches.captures import Capture, packed

AIRMILE = str(Path(sys.executable).with_name("airmile"))
STAGES = ("walk", "decode", "table", "track", "analyze")
TCPTRACE = "tcptrace -n -l -r"
ONE_THREAD = "airmile, 1 thread"
ALL_THREADS = "airmile, all threads"
NOTHING = "airmile, 1 packet"


@dataclass(frozen=True)
class Subject:
    """A command, its input, and the number of packets in the input."""

    name: str
    capture: str
    packets: int
    words: list[str]
    feed: list[str] | None = None


def on_capture(tool: Path, cache: Path, capture: Capture) -> list[Subject]:
    """Return the subjects that analyse the large capture."""

    def subject(name: str, *words: str) -> Subject:
        return Subject(name, capture.name, capture.packets, list(words))

    path = str(capture.path)
    found = [
        *(subject(stage, str(tool), stage, path) for stage in STAGES),
        subject(ONE_THREAD, *airmile(path, cache, "--threads", "1")),
        subject(ALL_THREADS, *airmile(path, cache, "--threads", "0")),
        subject(
            "airmile, 1 thread, --samples", *airmile(path, cache, "--threads", "1", "--samples")
        ),
    ]
    if shutil.which("tcptrace"):
        found.append(subject(TCPTRACE, *TCPTRACE.split(), path))
    for coding in ("gzip", "zstd"):
        small = str(packed(tool, capture, coding))
        found += [
            subject(f"{coding}: decompression", str(tool), "unpack", small),
            subject(f"{coding}: airmile, 1 thread", *airmile(small, cache, "--threads", "1")),
        ]
    return found


def on_flood(tool: Path, cache: Path, flows: int) -> list[Subject]:
    """Return the subjects that analyse the flood, which is piped to save 1.5 GB on the disk."""
    feed = [str(tool), "flood", "-", str(flows)]
    return [
        Subject(f"flood: {name}", "flood", flows, airmile("-", cache, "--threads", number), feed)
        for name, number in ((ONE_THREAD, "1"), (ALL_THREADS, "0"))
    ]


def of_nothing(tool: Path, cache: Path) -> Subject:
    """Return the subject that analyses one packet: the cost of a start."""
    feed = [str(tool), "flood", "-", "1"]
    return Subject(NOTHING, "nothing", 1, airmile("-", cache, "--threads", "1"), feed)


def airmile(path: str, cache: Path, *options: str) -> list[str]:
    """Return the command that analyses a capture with every analysis."""
    return [
        AIRMILE,
        "analyze",
        path,
        "-q",
        "-o",
        str(cache / "out.airmile"),
        "--overwrite",
        *options,
    ]
