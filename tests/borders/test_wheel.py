"""The flags with which `tools/wheel` builds, whatever the name of the folder is."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

from tools.check.outcome import ROOT

PRINTS = (
    '#!/bin/sh\nprintf "%s\\n" "$CARGO_ENCODED_RUSTFLAGS" "$CFLAGS" "$CC_SHELL_ESCAPED_FLAGS"\n'
)


def built(folder: Path) -> subprocess.CompletedProcess[str]:
    """Call `tools/wheel` in a new folder, with a maturin that prints the flags."""
    (folder / "bin").mkdir(parents=True)
    for name, text in (("python", "#!/bin/sh\n"), ("maturin", PRINTS)):
        (folder / "bin" / name).write_text(text)
        (folder / "bin" / name).chmod(0o755)
    return subprocess.run(
        ["sh", str(ROOT / "tools" / "wheel"), "dist", "bin"],
        cwd=folder,
        env={**os.environ, "CARGO_HOME": "/home of cargo", "SOURCE_DATE_EPOCH": "0"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_folder_may_have_spaces_in_its_name(tmp_path: Path) -> None:
    folder = tmp_path.resolve() / "a folder"
    names = [f"{folder}=/airmile", "/home of cargo=/cargo"]
    rust, c, shell = built(folder).stdout.splitlines()
    assert rust.split("\x1f") == [f"--remap-path-prefix={name}" for name in names]
    assert shlex.split(c) == [f"-ffile-prefix-map={name}" for name in names]
    assert shell == "1"


def test_a_folder_whose_name_would_end_a_flag_is_refused(tmp_path: Path) -> None:
    done = built(tmp_path / "it's")
    assert (done.returncode, done.stdout) == (1, "")
    assert "it's" in done.stderr and "fix it with" in done.stderr
