"""Instructions and cache misses of a process by module; unlike seconds they are reproducible.

Each machine instruction counts for the innermost of its inlined frames in ``crates/``. So the code
of a library counts for the module that calls the library. ``crates/types`` is treated as a library
too, unless no other frame is in ``crates/``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

CACHES = {"I1": (32_768, 8, 64), "D1": (49_152, 12, 64), "LL": (2_097_152, 16, 64)}
"""The simulated caches: bytes, ways, and bytes of a line; "LL" is a core's second level.

They are fixed, because valgrind's default depends on the machine.
"""

EVENTS = {
    "instructions": ("Ir",),
    "i1_misses": ("I1mr",),
    "d1_misses": ("D1mr", "D1mw"),
    "ll_misses": ("ILmr", "DLmr", "DLmw"),
}
"""The reported counts, each with the events of callgrind that add up to it."""

CRATES = "types|read|track|radio|verdict|analyze|dataset|link|python"
"""Our crates; the compiler's library has a folder of the same name `crates`."""

FRAME = re.compile(
    rf"crates/({CRATES})/src/(?:(?<=analyze/src/)flows/)?([^:]*?)(?:/mod)?\.rs:(\d+)"
)
"""Matches crate, file and line of a frame; an analysis is a module without its folder."""


@dataclass
class Profile:
    """The costs of a process by object file and address, in the order of ``events``."""

    events: list[str]
    objects: dict[str, dict[int, list[int]]] = field(default_factory=dict)

    def totals(self) -> Counter[str]:
        """Return each count of ``EVENTS`` for the whole process."""
        return sum(
            (self.counts(cost) for found in self.objects.values() for cost in found.values()),
            Counter[str](),
        )

    def counts(self, cost: list[int]) -> Counter[str]:
        """Return each count of ``EVENTS`` for one address."""
        by_event = dict(zip(self.events, cost, strict=False))
        return Counter(
            {name: sum(by_event.get(event, 0) for event in parts) for name, parts in EVENTS.items()}
        )


def run(words: list[str], caches: bool = True, folder: Path | None = None) -> Profile:
    """Run a command under callgrind until it ends, and return the profile."""
    if not shutil.which("valgrind"):
        raise SystemExit("valgrind is missing: tools/need bench says how to get it")
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "callgrind"
        options = ["--dump-instr=yes", "--dump-line=no", "--compress-pos=no"]
        if caches:
            sizes = (f"--{name}={','.join(map(str, size))}" for name, size in CACHES.items())
            options += ["--cache-sim=yes", *sizes]
        valgrind = ["valgrind", "--tool=callgrind", "-q", f"--callgrind-out-file={out}"]
        done = subprocess.run(
            [*valgrind, *options, *words], cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
        with out.open() as lines:
            return parse(lines)


def parse(lines: Iterable[str]) -> Profile:
    """Return the profile in callgrind's file: the own costs of each address, without its calls."""
    profile, names = Profile([]), dict[str, str]()
    addresses: dict[int, list[int]] = {}
    inclusive = False
    for line in lines:
        if line.startswith("0x"):
            if not inclusive:
                address, *costs = line.split()
                _add(addresses.setdefault(int(address, 16), []), map(int, costs))
            inclusive = False
        elif line.startswith("calls="):
            inclusive = True
        elif line.startswith("events:"):
            profile.events = line.split()[1:]
        elif line.startswith(("ob=", "cob=")):
            key, _, name = line.partition("=")[2].strip().partition(" ")
            name = names.setdefault(key, name)
            if line.startswith("ob="):
                addresses = profile.objects.setdefault(name, {})
    return profile


def _add(known: list[int], more: Iterable[int]) -> None:
    """Add costs to a list; callgrind omits zeros at the end."""
    for place, cost in enumerate(more):
        if place == len(known):
            known.append(0)
        known[place] += cost


def rooms(profile: Profile, by: str = "room") -> dict[str, Counter[str]]:
    """Return the sums of the costs by ``room`` (crate and module), ``file`` or ``line``."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for path, costs in profile.objects.items():
        for (address, cost), name in zip(costs.items(), _names(path, list(costs), by), strict=True):
            del address
            found[name].update(profile.counts(cost))
    return found


def _names(path: str, addresses: list[int], by: str) -> Iterator[str]:
    """Yield the name for each address; for an object without lines of ours, the object's name."""
    other = f"[{Path(path).name.partition('.so')[0] or 'kernel'}]"
    if not _ours(path):
        yield from (other for _ in addresses)
        return
    words = ["llvm-symbolizer", "--inlining", "--functions=none", "-e", path]
    asked = "\n".join(map(hex, addresses))
    counts = subprocess.run(words, input=asked, capture_output=True, text=True, check=True).stdout
    for frames in counts.strip().split("\n\n"):
        yield _room(frames, by) or other


def _ours(path: str) -> bool:
    name = Path(path).name
    return name.startswith(("airmile-", "_engine", "libairmile")) and Path(path).exists()


def _room(frames: str, by: str) -> str | None:
    places = FRAME.findall(frames)
    ours = [place for place in places if place[0] != "types"] or places
    if not ours:
        return None
    crate, file, line = ours[0]
    depth = 2 if file.startswith("flows/") else 1
    names = {"room": "/".join(file.split("/")[:depth]), "file": file, "line": f"{file}:{line}"}
    return f"{crate}/{names[by]}"
