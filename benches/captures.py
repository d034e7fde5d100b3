"""The captures for the measurements, which are made once and kept in a folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

COPIES, SHIFT_NS = "5", "7310000123"
EXPANDED_SHA256 = "169de252b4c86b925d1ff6e71634922181a556aed09d7fae41d7c151a8a7c594"
"""The digest of five copies of the recorded capture, as any version of the tool makes them."""

COUNTED_PACKETS = 300_000
"""The number of packets of the recorded capture that are analysed under callgrind."""

LONG_FLOWS, LONG_SEGMENTS = "20", "10000"
"""The number of long flows and the segments of each: about 300 000 packets."""

FLOWS = 50_000
"""The number of flows in the generated capture, with about a hundred packets each."""

NEEDED_BYTES = 2_500_000_000
"""The disk space in bytes for the capture, its compressed forms and a dataset."""


@dataclass(frozen=True)
class Capture:
    """A capture for measurements."""

    name: str
    path: Path
    packets: int


def prepare(tool: Path, cache: Path) -> Capture:
    """Expand the recorded capture; without the corpus, generate one."""
    cache.mkdir(parents=True, exist_ok=True)
    corpus = os.environ.get("AIRMILE_CORPUS")
    base = Path(corpus) / "speed" / "base.pcap.zst" if corpus else None
    if base and base.exists():
        path = cache / "expanded.pcap"
        words = ["expand", str(base), str(path), COPIES, SHIFT_NS]
    else:
        path = cache / "downloads.pcap"
        words = ["download", str(path), str(FLOWS)]
    noted = path.with_suffix(".packets")
    if not (path.exists() and noted.exists()):
        need(cache, NEEDED_BYTES)
        print(f"making {path}", flush=True)
        noted.write_text(str(_made(tool, words)))
        if words[0] == "expand":
            _verify(path)
    return Capture(path.stem, path, int(noted.read_text()))


def counted(tool: Path, cache: Path) -> list[Capture]:
    """Make the captures for counts: the recorded one (with the corpus), GTP-U, and long flows."""
    cache.mkdir(parents=True, exist_ok=True)
    made = {"long": ["download", "{}", LONG_FLOWS, LONG_SEGMENTS]}
    corpus = os.environ.get("AIRMILE_CORPUS")
    if corpus:
        base = str(Path(corpus) / "speed" / "base.pcap.zst")
        first = str(cache / "base.pcap")
        made["base"] = ["first", str(COUNTED_PACKETS), base, "{}"]
        made["gtpu"] = ["gtpu", first, "{}"]
    for name, words in made.items():
        path = cache / f"{name}.pcap"
        if not path.exists():
            _made(tool, [str(path) if word == "{}" else word for word in words])
    paths = [cache / f"{name}.pcap" for name in made]
    return [Capture(path.stem, path, packets(tool, path)) for path in paths]


def packets(tool: Path, path: Path) -> int:
    """Return the number of records of a capture."""
    return _made(tool, ["walk", str(path)])


def packed(tool: Path, capture: Capture, coding: str) -> Path:
    """Return the capture in compressed form, which is made once."""
    path = capture.path.with_name(f"{capture.path.name}.{'gz' if coding == 'gzip' else 'zst'}")
    if not path.exists():
        print(f"making {path}", flush=True)
        partial = path.with_suffix(".partial")
        _made(tool, ["pack", coding, str(capture.path), str(partial)])
        partial.rename(path)
    return path


def need(folder: Path, size: int) -> None:
    """End the program if a folder has less room than `size` bytes."""
    free = shutil.disk_usage(folder).free
    if free < size:
        raise SystemExit(
            f"{folder} has {free / 1e9:.1f} GB left, {size / 1e9:.1f} GB are needed: "
            "name another with --cache"
        )


def _made(tool: Path, words: list[str]) -> int:
    done = subprocess.run([str(tool), *words], stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return int(done.stderr.split()[0])


def _verify(path: Path) -> None:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != EXPANDED_SHA256:
        path.unlink()
        raise SystemExit(f"{path}: sha256 {digest}, expected {EXPANDED_SHA256}")
