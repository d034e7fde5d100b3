"""What the doctests of the package find in their namespace: a capture, a dataset, a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

CAPTURE = Path(__file__).parent / "tests" / "data" / "emu" / "a_link_cubic" / "monitor.pcap.gz"
PHONE = CAPTURE.with_name("ue.pcap.gz")
MODEM = CAPTURE.with_name("modem_dl.csv.gz")


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a dataset of a download that fills an emulated LTE link."""
    import airmile

    out = tmp_path_factory.mktemp("example") / "example.airmile"
    return airmile.analyze(CAPTURE, out=out).path


@pytest.fixture(autouse=True)
def _names(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    if isinstance(request.node, pytest.DoctestItem):
        names: dict[str, Any] = request.getfixturevalue("doctest_namespace")
        names.update(capture=CAPTURE, phone=PHONE, modem=MODEM, scratch=tmp_path)
        names.update(example=request.getfixturevalue("example"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let golden cases be written anew."""
    parser.addoption("--update-cases", action="store_true", help="write what comes out now")
