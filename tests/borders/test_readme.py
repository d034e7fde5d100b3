"""What the README shows is what comes out."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import airmile
from airmile.render import text

README = Path(__file__).parents[2] / "README.md"


def test_the_answer_in_the_readme_is_that_of_the_demo(tmp_path: Path) -> None:
    capture = resources.files("airmile") / "demo" / "window.pcap.gz"
    dataset = airmile.analyze(str(capture), out=tmp_path / "window.airmile")
    shown = text.render(dataset.verdict, kept=False)
    assert f"```\n{shown}\n```" in README.read_text(), "put this into the README:\n" + shown
