"""Calls of the system that fail, by a library that is loaded before it."""

from __future__ import annotations

import errno
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.faults.runs import Ended, run

SOURCE = Path(__file__).with_name("failing.c")


@dataclass(frozen=True)
class Shim:
    """The library, built in a folder; it lets calls on paths fail that have a word in them."""

    library: Path
    word: str

    @classmethod
    def built(cls, folder: Path, word: str = ".airmile") -> Shim:
        """Build it."""
        library = folder / "failing.so"
        command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"]
        subprocess.run(command, check=True)
        return cls(library, word)

    def calls(self, folder: Path, *words: str | Path) -> int:
        """Count the calls that a run makes on such paths."""
        count = self.library.with_name("count")
        said = self._run(folder, words, AIRMILE_FAIL_COUNT=str(count))
        assert said.code == 0, said
        return int(count.read_text())

    def failing(self, folder: Path, at: int, *words: str | Path) -> Ended:
        """Run with the call of that number failing."""
        return self._run(folder, words, AIRMILE_FAIL_AT=str(at), AIRMILE_FAIL_WITH=str(errno.EIO))

    def _run(self, folder: Path, words: tuple[str | Path, ...], **environment: str) -> Ended:
        preload = {"LD_PRELOAD": str(self.library), "AIRMILE_FAIL_IN": self.word}
        return run(folder, *words, **preload, **environment)
