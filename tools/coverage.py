"""Measures which lines of the readers and the tracker the Rust tests run: `make coverage`.

The tests of both crates, and a replay of the inputs that the fuzzer kept, run in a build that
counts (``-C instrument-coverage``). ``llvm-profdata`` and ``llvm-cov`` of a Rust toolchain add up
the counts, because other versions may not know the format. Lines of tests do not count.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
MEASURED = ["crates/read/src", "crates/track/src"]
PACKAGES = ["airmile-read", "airmile-track", "airmile-fuzz"]
BUILT = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "coverage"


@dataclass(frozen=True)
class Lines:
    """The number of lines of a file that contain code, and how many of them ran."""

    path: str
    count: int
    ran: int

    def __str__(self) -> str:
        """Return a row of the table.

        >>> print(Lines("crates/read/src/log.rs", 40, 30))
          75.0 %     30 of     40  crates/read/src/log.rs
        """
        share = 100 * self.ran / self.count if self.count else 100.0
        return f"{share:6.1f} % {self.ran:6} of {self.count:6}  {self.path}"


def main() -> int:
    """Run the tests, then print each file and the sums."""
    tools = find_tools()
    if tools is None:
        print("airmile: coverage needs Rust's own LLVM tools", file=sys.stderr)
        print("  get them with:  rustup component add llvm-tools", file=sys.stderr)
        return 1
    profile = count(tools)
    files = [lines for lines in measured(tools, profile) if lines.count]
    for lines in files:
        print(lines)
    for folder in MEASURED:
        print(total(folder, [each for each in files if each.path.startswith(folder)]))
    print(total("both", files))
    return 0


def find_tools() -> Path | None:
    """Return the folder of `llvm-cov` in the toolchain of the build, or in the nightly one."""
    for toolchain in ([], ["+nightly"]):
        words = ["rustc", *toolchain, "--print", "sysroot"]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        for found in Path(done.stdout.strip() or "/nowhere").glob("lib/rustlib/*/bin/llvm-cov"):
            return found.parent
    return None


def count(tools: Path) -> Path:
    """Run the tests, and return the merged counts of all their processes."""
    for old in BUILT.glob("*.profraw"):
        old.unlink()
    words = ["cargo", *cargo_test()]
    subprocess.run(words, cwd=ROOT, env=counting(), stdout=sys.stderr, check=True)
    profile = BUILT / "all.profdata"
    raw = sorted(map(str, BUILT.glob("*.profraw")))
    words = [str(tools / "llvm-profdata"), "merge", "-sparse", *raw, "-o", str(profile)]
    subprocess.run(words, check=True)
    return profile


def cargo_test() -> list[str]:
    """Return the words after `cargo`; doctests are left out, as they are separate programs."""
    packages = [word for name in PACKAGES for word in ("-p", name)]
    return ["test", "--locked", "--quiet", "--lib", "--tests", *packages]


def counting() -> dict[str, str]:
    """Return the environment of a build that counts, without captures outside the repository."""
    kept = {name: value for name, value in os.environ.items() if name != "AIRMILE_CORPUS"}
    return {
        **kept,
        "CARGO_TARGET_DIR": str(BUILT),
        "RUSTFLAGS": "-C instrument-coverage",
        "LLVM_PROFILE_FILE": str(BUILT / "%p-%m.profraw"),
    }


def measured(tools: Path, profile: Path) -> Iterator[Lines]:
    """Yield the measured files, in the order of their names."""
    objects = [word for path in executables() for word in ("-object", path)]
    words = [str(tools / "llvm-cov"), "export", "-summary-only", f"-instr-profile={profile}"]
    done = subprocess.run([*words, *objects], capture_output=True, text=True, check=True)
    for file in sorted(
        json.loads(done.stdout)["data"][0]["files"], key=lambda file: file["filename"]
    ):
        path = os.path.relpath(file["filename"], ROOT)
        lines = file["summary"]["lines"]
        if path.startswith(tuple(MEASURED)) and "tests" not in Path(path).with_suffix("").parts:
            yield Lines(path, lines["count"], lines["covered"])


def executables() -> list[str]:
    """Return the paths of the test programs."""
    words = ["cargo", *cargo_test(), "--no-run", "--message-format=json"]
    done = subprocess.run(
        words, cwd=ROOT, env=counting(), stdout=subprocess.PIPE, text=True, check=True
    )
    found = [json.loads(line).get("executable") for line in done.stdout.splitlines()]
    return [path for path in found if path]


def total(name: str, files: list[Lines]) -> Lines:
    """Return the sums over files.

    >>> total("both", [Lines("a", 3, 2), Lines("b", 1, 1)])
    Lines(path='both', count=4, ran=3)
    """
    return Lines(name, sum(each.count for each in files), sum(each.ran for each in files))


if __name__ == "__main__":
    sys.exit(main())
