"""Files that are written as a whole, through links and into pipes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from airmile.store import _files


@pytest.mark.parametrize("target", ["abc123", "fig.dat"])
def test_a_picture_behind_a_link_is_written_under_the_suffix_of_the_link(
    tmp_path: Path, target: str
) -> None:
    (tmp_path / target).write_text("older")
    link = tmp_path / "fig.png"
    link.symlink_to(target)
    with _files.whole(link) as part:
        # Matplotlib chooses the format by the suffix, and adds one to a name without.
        assert part.suffix == ".png"
        part.write_text("newer")
    assert link.is_symlink() and (tmp_path / target).read_text() == "newer"
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([target, "fig.png"])


WRITE = """
import sys
from pathlib import Path
from airmile.store import _files
with _files.whole(Path(sys.argv[1])) as part:
    part.write_text("the page")
"""


@pytest.mark.parametrize("shell", ["$P /dev/stdout | cat", "$P >(cat) | cat"])
def test_a_pipe_that_has_no_name_is_written_to(shell: str) -> None:
    words = ["bash", "-c", shell.replace("$P", '"$0" -c "$1"'), sys.executable, WRITE]
    said = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (said.stdout, said.stderr) == ("the page", "")
