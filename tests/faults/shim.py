"""Makes system calls fail, by a preloaded library."""

from __future__ import annotations

import errno
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.faults.runs import Ended, run

SOURCE = Path(__file__).with_name("failing.c")


@dataclass(frozen=True)
class Shim:
    """The library, built in a folder; it makes calls fail on paths that contain a word."""

    library: Path
    word: str

    @classmethod
    def built(cls, folder: Path, word: str = ".airmile") -> Shim:
        """Build the library."""
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
        """Run with one call failing, given by its number."""
        return self._run(folder, words, AIRMILE_FAIL_AT=str(at), AIRMILE_FAIL_WITH=str(errno.EIO))

    def _run(self, folder: Path, words: tuple[str | Path, ...], **environment: str) -> Ended:
        preload = {"LD_PRELOAD": str(self.library), "AIRMILE_FAIL_IN": self.word}
        return run(folder, *words, **preload, **environment)
