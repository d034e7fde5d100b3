"""Which cases run, what doctests find in their namespace, and the check of every dataset."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import share
from tests.support.left.datasets import Left, summary

CAPTURE = Path(__file__).parent / "tests" / "data" / "emu" / "a_link_cubic" / "monitor.pcap.gz"
PHONE = CAPTURE.with_name("ue.pcap.gz")
MODEM = CAPTURE.with_name("modem_dl.csv.gz")

KEPT_SETS = ("tests/score/", "tests/pinned/")
"""The folders of tests that analyse the kept sets once for each process (tests/score/kept.py)."""


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


VERIFIED: Counter[str] = Counter()
"""How many datasets of other processes were verified."""


@pytest.fixture(scope="session")
def _left() -> Iterator[Left | None]:
    """Watch the datasets that the engine leaves, which are verified only in the whole suite."""
    left = Left() if share.WHOLE else None
    yield left
    if left is not None:
        left.end()
        VERIFIED.update(left.counts)


@pytest.fixture(autouse=True)
def _verified(_left: Left | None) -> Iterator[None]:
    """Fail the test after which a dataset, as the engine left it, is damaged or wrong."""
    yield
    if _left is not None:
        assert not _left.faults()


@pytest.fixture(scope="session", autouse=True)
def _own_temporary_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let what a test finds in the folder of temporary files not be what another process left."""
    with pytest.MonkeyPatch.context() as patch:
        if "PYTEST_XDIST_WORKER" in os.environ:
            patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("temporary")))
            patch.setattr(tempfile, "tempdir", None)
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let golden cases be written anew."""
    parser.addoption("--update-cases", action="store_true", help="write what comes out now")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests marked ``whole`` to ``make check-all``."""
    left = [] if share.WHOLE else [item for item in items if item.get_closest_marker("whole")]
    for item in left:
        items.remove(item)
        share.leave(f"none of {item.nodeid}")
    if left:
        config.hook.pytest_deselected(items=left)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Give all tests of a file to one process, and all that share the analyses of the kept sets."""
    from xdist.scheduler import LoadFileScheduling

    class BySharedWork(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return "kept sets" if nodeid.startswith(KEPT_SETS) else super()._split_scope(nodeid)

    return BySharedWork(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect from a process of xdist what it left, and how many datasets it verified."""
    output = getattr(node, "workeroutput", {})
    for what in output.get("left", ()):
        share.leave(what)
    VERIFIED.update(output.get("verified", {}))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Give what was left to the process that prints the results."""
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["left"] = share.left()
        output["verified"] = dict(VERIFIED)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many datasets were verified, and what was left."""
    if VERIFIED:
        terminalreporter.write_line(summary(VERIFIED))
    for what in share.left():
        terminalreporter.write_line(f"share: {what}")
