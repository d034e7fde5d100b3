"""Verifies every dataset as the engine left it, whatever a test does with it afterwards."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.support.left import sitecustomize


class Left:
    """The datasets that the engine leaves in this process and in those that it starts.

    Attributes
    ----------
    room : Path
        Where their copies are until they are verified.
    counts : Counter
        How many there were: `datasets`, `different` ones among them, and `partial` ones.
    """

    def __init__(self) -> None:
        self.room = Path(tempfile.mkdtemp(prefix="left-by-the-engine-"))
        self.counts: Counter[str] = Counter()
        self._seen: set[str] = set()
        os.environ["AIRMILE_LEFT"] = str(self.room)
        os.environ["PYTHONPATH"] = str(Path(sitecustomize.__file__).parent)
        import airmile
        from airmile import _engine

        assert airmile
        sitecustomize.watch(_engine, self.room)

    def faults(self) -> list[str]:
        """Verify the datasets since the last call, remove their copies, and return the faults."""
        found: list[str] = []
        for copy in sorted(self.room.iterdir()):
            # Another process may be writing a copy whose name begins with a dot.
            if not copy.name.startswith("."):
                (dataset,) = copy.iterdir()
                found += [f"{dataset.name}: {fault}" for fault in self._faults(dataset)]
                shutil.rmtree(copy)
        return found

    def end(self) -> None:
        """Remove the room."""
        shutil.rmtree(self.room, ignore_errors=True)

    def _faults(self, dataset: Path) -> list[str]:
        manifest = json.loads((dataset / "manifest.json").read_text())
        interrupted = manifest["interrupted"]
        from airmile.store import _parts

        self.counts.update(datasets=1, partial=int(interrupted))
        found = []
        if interrupted and not dataset.name.endswith(".partial.airmile"):
            found.append("interrupted, and not called partial")
        if manifest["manifest_xxh3_128"] not in self._seen:
            self._seen.add(manifest["manifest_xxh3_128"])
            self.counts["different"] += 1
            found += faults(dataset)
        elif _parts.digests(dataset) != manifest["parts"]:
            found.append("a part is damaged")
        self.counts["faults"] += len(found)
        return found


def summary(counts: Counter[str]) -> str:
    """Return what was verified, in words.

    >>> summary(Counter(datasets=7, different=5))
    'airmile verify: 7 datasets as the engine left them, 5 different ones, ...: 0 faults'
    """
    return (
        f"airmile verify: {counts['datasets']} datasets as the engine left them, "
        f"{counts['different']} different ones, {counts['partial']} named partial: "
        f"{counts['faults']} faults"
    )


def faults(dataset: Path) -> list[str]:
    """Return what `airmile verify` finds in a dataset."""
    from airmile._errors import AirmileError
    from airmile.verbs._verify import verify

    try:
        return [f"{each.where}: {each.fault}" for each in verify(dataset)]
    except AirmileError as error:
        return [error.message]


def main() -> int:
    """Verify the datasets of all captures and logs in some folders."""
    import airmile
    from airmile._errors import AirmileError

    left, wrong = Left(), 0
    files = sorted(
        file for name in sys.argv[1:] for file in Path(name).rglob("*") if file.is_file()
    )
    with tempfile.TemporaryDirectory() as scratch:
        for at, file in enumerate(files):
            for run in (airmile.analyze, airmile.radio):
                try:
                    run(file, out=Path(scratch) / f"{at}.airmile", overwrite=True)
                except AirmileError:
                    continue
                break
            for fault in left.faults():
                wrong += 1
                print(f"{file}: {fault}")
    left.end()
    print(summary(left.counts))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
