"""Any manifest and any text: a dataset opens, or one sentence says why not.

`AIRMILE_CASES=20000` draws that many cases of each property, different ones in each run.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import airmile
from airmile import InputError
from airmile._words import NBSP, printable, printable_lines
from airmile.cli import run as cli_run
from airmile.dataset import Dataset
from airmile.render import markdown
from airmile.store import _json
from tests.cli.conftest import EMU
from tests.support import forged
from tests.support.share import cases

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)

STEERING = st.text(
    st.sampled_from("\x00\x1b\x07\r\n\t\x7f\x85\x9b\u061c\u202e\u2028\ufeff<>&|[](`*\\'\";=a")
)
"""Characters that control a terminal, end a line, or mean something in Markdown, SQL or a
spreadsheet."""

LEAF = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.sampled_from([0, -1, 2**31, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 10**400]),
    st.floats(),
    TEXT,
    STEERING,
    st.sampled_from(["../x", "/etc/passwd", "a" * 100_000, "-", "tcp", "downlink", "::1%\x1b"]),
)

VALUE = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
)

CHANGE = st.tuples(
    st.lists(st.integers(0, 2**16), min_size=1, max_size=8),
    st.sampled_from(["replace", "drop", "add", "swap"]),
    TEXT | st.sampled_from(["runs", "planned", "verdict", "flows", "schema"]),
    VALUE,
)
"""A change: the path from the top by positions, the kind of change, a key and a value."""

VERBS = [
    *(["analyze", "{}", "--format", form] for form in ("text", "md", "json", "ndjson")),
    *(["analyze", "{}", "-v"], ["flows", "{}"], ["radio", "{}"], ["verify", "{}"]),
    *(["info", "{}"], ["doctor", "{}"], ["testbed", "score", "{}"], ["testbed", "resume", "{}"]),
    ["plot", "{}", "--flow", "1", "-o", "{}/../o.xpl"],
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a dataset of a capture and a modem's log, in a folder of its own."""
    run = EMU / "a_link_cubic"
    out = tmp_path_factory.mktemp("any") / "w.airmile"
    return airmile.analyze(run / "monitor.pcap.gz", modem=run / "modem_dl.csv.gz", out=out).path


@pytest.fixture(scope="module")
def said(whole: Path) -> dict[str, Any]:
    """Return the manifest of the dataset."""
    found: dict[str, Any] = json.loads((whole / "manifest.json").read_text())
    return found


@pytest.fixture(scope="module")
def dataset(whole: Path) -> Iterator[Path]:
    """Return a copy whose manifest the tests change; only it and drawings may change."""
    folder = shutil.copytree(whole, whole.parent / "changed.airmile")
    before = contents(whole.parent)
    yield folder
    assert contents(whole.parent) == before


def contents(folder: Path) -> dict[str, bytes]:
    kept = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".xpl")
    return {str(path): path.read_bytes() for path in kept if path.parent.suffix != ".airmile"}


@cases(few=40, whole=1_000)
@given(changes=st.lists(CHANGE, min_size=1, max_size=3))
def test_any_manifest_opens_or_is_refused(
    dataset: Path, said: dict[str, Any], changes: list[Any]
) -> None:
    with contextlib.suppress(InputError):
        forged.put(dataset, changed(said, changes))
        opened = Dataset(dataset)
        assert opened.tables or opened.manifest["runs"] == []


@cases(few=15, whole=300)
@given(changes=st.lists(CHANGE, min_size=1, max_size=3), verb=st.sampled_from(VERBS))
def test_any_manifest_is_answered_without_a_traceback(
    dataset: Path, said: dict[str, Any], changes: list[Any], verb: list[str]
) -> None:
    with contextlib.suppress(InputError):
        forged.put(dataset, changed(said, changes))
        code, shown = run_verb([word.format(dataset) for word in verb])
        assert code in (0, 1, 2, 3)
        assert steering(shown) == []


@cases(few=20, whole=400)
@given(words=st.lists(TEXT | STEERING, min_size=1, max_size=4), form=st.sampled_from(VERBS[:5]))
@example(words=["\x1b]0;x\x07\n"], form=VERBS[0])
def test_any_text_steers_nothing(
    dataset: Path, said: dict[str, Any], words: list[str], form: list[str]
) -> None:
    forged.put(dataset, worded(said, words))
    code, shown = run_verb([word.format(dataset) for word in form])
    assert code in (0, 1)
    assert steering(shown) == []
    if form[-1] == "md":
        assert "<" not in shown.replace("\\<", "").replace("<0.1", "")
    if form[-1] == "json":
        assert json.loads(shown)


@cases(few=100, whole=2_000)
@given(text=TEXT | STEERING)
def test_what_is_printed_can_be_printed(text: str) -> None:
    assert steering(printable(text)) == []
    assert "\n" not in printable(text)
    assert printable(printable(text)) == printable(text)
    assert steering(printable_lines(text)) == []
    assert printable_lines(text).count("\n") == text.count("\n")
    cell = markdown.escaped(text)
    assert steering(cell) == []
    assert "\n" not in cell
    assert not set("<|") & set(cell.replace("\\<", "").replace("\\|", "").replace("&lt;", ""))


@cases(few=60, whole=2_000)
@given(cut=st.integers(0), bytes_=st.binary(max_size=8), more=st.booleans())
def test_any_bytes_are_one_object_or_refused(
    dataset: Path, said: dict[str, Any], cut: int, bytes_: bytes, more: bool
) -> None:
    text = json.dumps(said).encode()
    at = cut % len(text)
    file = dataset / "manifest.json"
    file.write_bytes(text[:at] + bytes_ + text[at + len(bytes_) if more else at :])
    with contextlib.suppress(InputError):
        assert isinstance(_json.read(file, "")[1], dict)
        Dataset(dataset)


def changed(said: dict[str, Any], changes: list[Any]) -> dict[str, Any]:
    """Return a manifest after some changes, each at the end of its path."""
    manifest = copy.deepcopy(said)
    for way, what, name, value in changes:
        at: Any = manifest
        for step in way[:-1]:
            inner = _inner(at, step)
            if not isinstance(inner, dict | list) or not inner:
                break
            at = inner
        if at:
            _change(at, way[-1], what, name, value)
    return manifest


def _inner(at: Any, step: int) -> Any:
    return at[_key(at, step)]


def _key(at: Any, step: int) -> Any:
    return sorted(at)[step % len(at)] if isinstance(at, dict) else step % len(at)


def _change(at: Any, step: int, what: str, name: str, value: Any) -> None:
    key = _key(at, step)
    if what == "replace":
        at[key] = value
    elif what == "drop":
        del at[key]
    elif what == "swap":
        other = _key(at, step + 1)
        at[key], at[other] = at[other], at[key]
    elif isinstance(at, dict):
        at[name] = value
    else:
        at.append(value)


FREE = frozenset({"name", "text", "hint", "server_name", "tool", "version", "profile", "format"})
"""Keys whose text may come from outside."""


def worded(said: dict[str, Any], words: list[str]) -> dict[str, Any]:
    """Return a manifest with all free text replaced by words."""
    source = iter(words * 1000)
    manifest = _worded(said, source)
    shown = dict.fromkeys(("warnings", "notes", "reasons"), words)
    return {**manifest, **shown, "status": "partial"}


def _worded(value: Any, source: Iterator[str], key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _worded(inner, source, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_worded(inner, source, key) for inner in value]
    return next(source) if key in FREE else value


def run_verb(words: list[str]) -> tuple[int, str]:
    """Run a command line; return its exit code and all that it prints."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = cli_run(words)
    out.flush()
    buffer = out.buffer
    assert isinstance(buffer, io.BytesIO)
    return code, buffer.getvalue().decode()


def steering(shown: str) -> list[str]:
    return [c for c in shown if not c.isprintable() and c not in (NBSP, "\n")]
