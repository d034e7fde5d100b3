"""What doctests find in their namespace; in the whole suite, every dataset is verified."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.left.datasets import Left

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


LEFT = Left() if os.environ.get("AIRMILE_WHOLE") else None
"""The datasets that the engine leaves, which are verified only in the whole suite."""


@pytest.fixture(autouse=True)
def _verified() -> Iterator[None]:
    """Fail the test after which a dataset, as the engine left it, is damaged or wrong."""
    yield
    if LEFT is not None:
        assert not LEFT.faults()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many datasets were verified."""
    if LEFT is not None:
        terminalreporter.write_line(LEFT.end())


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let golden cases be written anew."""
    parser.addoption("--update-cases", action="store_true", help="write what comes out now")
