"""Input and output that fail at any step: one sentence, and a dataset that is whole or absent."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import airmile
from tests.faults.runs import LINK, debris, is_whole, run
from tests.faults.shim import Shim

STEPS = 10
"""The number of calls, of about 400, that fail here; `python -m tests.faults` fails each."""


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Shim:
    return Shim.built(tmp_path_factory.mktemp("shim"))


def test_a_capture_that_cannot_be_read_on(tmp_path: Path) -> None:
    shim = Shim.built(tmp_path, LINK.name)
    calls = shim.calls(tmp_path, LINK, "-o", "x.airmile", "--overwrite")
    codes = set()
    for at in range(1, calls + 1, max(1, calls // 12)):
        said = shim.failing(tmp_path, at, LINK, "-o", f"{at}.airmile")
        codes.add(said.code)
        # The analysis read nothing, or everything before the error, or everything: the capture is
        # looked at for its phone before it is read, and a fault in that look harms nothing.
        assert said.code in (0, 1, 3), (at, said)
        assert ("Input/output error" in said.out + said.err) == (said.code != 0), (at, said)
        assert (tmp_path / f"{at}.airmile").exists() == (said.code != 3)
        if said.code == 0:
            assert airmile.open(tmp_path / f"{at}.airmile").manifest["status"] == "ok"
    assert codes == {0, 1, 3}


def test_a_call_that_fails(tmp_path: Path, shim: Shim) -> None:
    words = (LINK, "-o", "x.airmile", "--overwrite")
    calls = shim.calls(tmp_path, *words)
    assert calls > 50
    steps = random.Random(4).sample(range(1, calls), STEPS - 2)
    shown = ""
    for at in sorted({*steps, calls - 3, calls}):
        said = shim.failing(tmp_path, at, *words)
        assert said.code in (0, 3, 5), (at, said)
        assert "Traceback" not in said.err
        assert said.code == 0 or said.err.startswith("error: "), (at, said)
        shown += said.err
        # The dataset is the old one or the new one.
        assert is_whole(tmp_path / "x.airmile")
    assert run(tmp_path, *words).code == 0
    # A complete dataset that could not be moved is kept, and the message names it.
    assert all(name in shown for name in debris(tmp_path))
