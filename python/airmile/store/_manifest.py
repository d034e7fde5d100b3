"""The shape of a dataset's manifest, which is checked when a dataset is opened.

A dataset is untrusted. All keys that the package reads have a shape here. Other keys, such as those
of the testbed, are ignored. `docs/reference/manifest.schema.json` is generated from the shape.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from airmile._errors import InputError, OutputError
from airmile.store import _folders, _json, _parts
from airmile.store._shapes import (
    Shape,
    address,
    each,
    either,
    every,
    flag,
    known,
    named,
    real,
    record,
    text,
    whole,
    word,
)

SCHEMA = 3
"""The newest schema that this version reads; the number grows when a column's meaning changes."""

SEAL = "manifest_xxh3_128"
"""The last key of a manifest: the digest of all the text before it."""

_AGAIN = "analyse the capture again"


def read(path: Path) -> dict[str, Any]:
    """Return the manifest of a dataset after checking its shape.

    Raises
    ------
    InputError
        There is no manifest, a newer airmile wrote it, or it has another shape.
    """
    manifest = sealed(_file(path), _AGAIN)
    number = manifest.get("schema")
    if not whole(0, SCHEMA).fits(number):
        raise InputError(
            f"{path}: written with schema {str(number)[:20]}, this airmile reads up to {SCHEMA}",
            "update airmile (pip install --upgrade airmile)",
        )
    of_capture = (path / "flows").is_dir() and "runs" not in manifest
    if of_capture and number != SCHEMA:
        raise InputError(
            f"{path}: written with schema {number}, this airmile reads schema {SCHEMA}", _AGAIN
        )
    if wrong := (shape() if of_capture else any_shape()).fault(manifest):
        raise InputError(f"{path / 'manifest.json'}: {wrong.removeprefix('.')}", _AGAIN)
    if "parameters" in manifest:
        manifest["parameters"] = _by_present_names(manifest["parameters"])
    return manifest


def _by_present_names(parameters: dict[str, Any]) -> dict[str, Any]:
    from airmile import _engine

    return {_engine.present_parameter(name): value for name, value in parameters.items()}


def fault(text: str) -> str | None:
    """Return why airmile would not open a dataset with this manifest; None if it would.

    Each run checks its own manifest before the dataset is put in its place.
    """
    if len(text.encode(errors="replace")) > _json.LARGEST_BYTES:
        return f"its manifest has more than {_json.LARGEST_BYTES} bytes"
    try:
        manifest = _json.parsed(text, Path("manifest.json"), "")
    except InputError as error:
        return error.message
    of_capture = "flows" in manifest.get("rows", {}) and "runs" not in manifest
    wrong = (shape() if of_capture else any_shape()).fault(manifest)
    return None if wrong is None else f"manifest.json: {wrong.removeprefix('.')}"


def sealed(file: Path, hint: str) -> dict[str, Any]:
    """Return the manifest of any dataset or campaign after checking its digest.

    Raises
    ------
    InputError
        The file is not a manifest, or is damaged.
    """
    text, manifest = _json.read(file, hint)
    if not intact(text, manifest):
        raise InputError(f"{file}: damaged: its digest does not match its text", _parts.AGAIN)
    return manifest


def published() -> dict[str, Any]:
    """Return the JSON Schema of the manifest of an analysis, with the sums of its verdict."""
    from airmile.store import _sums_shape
    from airmile.store._sums_limits import SCHEMA

    verdict = record(
        {
            "schema": whole(SCHEMA, SCHEMA),
            "reason": known(text()),
            "sums": known(_sums_shape.shape()),
        }
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "manifest.json of a dataset of airmile",
        **record({**_FIELDS, "verdict": known(verdict)}, optional=_OLDER, more=True).schema,
    }


def write(dataset: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest of a dataset atomically, with the digests of all its parts.

    Call this after every change of a table, because a digest changes with it.
    """
    put(dataset, {**manifest, "parts": _parts.digests(dataset)})


def put(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write a manifest with its digest, atomically.

    Raises
    ------
    InputError
        A text is not valid Unicode, such as half of a surrogate pair in untrusted JSON.
    OutputError
        Airmile could not open a dataset with this manifest; the older manifest stays.
    """
    from airmile import _engine

    own = {key: value for key, value in manifest.items() if key != SEAL}
    try:
        sealed = _engine.seal(json.dumps(own, indent=2, ensure_ascii=False))
    except UnicodeEncodeError as error:
        wrong = error.object[error.start : error.start + 1]
        raise InputError(
            f"{folder / 'manifest.json'}: {wrong!r} is not Unicode text", "write it again"
        ) from None
    if unreadable := fault(sealed):
        raise OutputError(
            f"internal error: airmile could not open what it wrote: {unreadable}",
            "nothing was replaced; please report this fault of airmile, with the command",
        )
    half = folder / _folders.HALF_MANIFEST
    half.unlink(missing_ok=True)
    # The file must be new: in an untrusted folder, a link of this name may lead anywhere.
    with half.open("x", encoding="utf-8", newline="") as file:
        file.write(sealed)
    _folders.sync(half)
    half.replace(folder / "manifest.json")


def intact(text: str, manifest: Mapping[str, Any]) -> bool:
    """Return whether a manifest matches its digest; a manifest without parts needs none."""
    from airmile import _engine

    sealed = _engine.is_sealed(text)
    return not {SEAL, "parts"} & set(manifest) if sealed is None else sealed


@cache
def shape() -> Shape:
    """Return the shape of the manifest of an analysed capture.

    `verdict` is checked only when it is read; sums of another shape are computed again.
    """
    return record(_FIELDS, optional=_OLDER, more=True)


@cache
def any_shape() -> Shape:
    """Return the shape of any manifest: of an analysis, an alignment, a modem log, or runs."""
    return record(_FIELDS, optional=set(_FIELDS) - {"schema"}, more=True)


_COUNT = whole(0)
_INSTANT = known(whole())
_REAL = known(real())
_TEXTS = each(text())
_COUNTS = named(_COUNT)
_PLACE = word("ue", "monitor", "server")

_PROBLEMS = each(
    record(
        {"offset": known(_COUNT), "text": text(), "kind": text(), "hint": known(text())},
        optional=("kind", "hint"),
        more=True,
    )
)

_INTERFACE = record(
    {
        "name": known(text()),
        "link_type": record({"number": _COUNT, "name": text()}, more=True),
        "snap_length": known(_COUNT),
    },
    more=True,
)

_INPUT = record(
    {
        "name": text(),
        "status": word("ok", "partial", "failed", "skipped", "unread"),
        "capture": known(_COUNT),
        "problems": _PROBLEMS,
        "size_bytes": known(_COUNT),
        "format": known(text()),
        "interfaces": each(_INTERFACE),
        **every("unlisted_interfaces unlisted_problems", _COUNT),
        **every("first_ns last_ns recorded_ns", _INSTANT),
        "counts": named(real(0)),
        "skipped": _COUNTS,
        "warnings": _TEXTS,
        "sha256": known(text()),
    },
    optional=(
        *("size_bytes", "format", "interfaces", "unlisted_interfaces", "unlisted_problems"),
        "capture",
        *("first_ns", "last_ns", "recorded_ns", "counts", "skipped", "warnings", "sha256"),
    ),
    more=True,
)

_LOG = {
    **{"name": text(), "status": text(), "format": known(text()), "size_bytes": _COUNT},
    **every("first_ns last_ns", _INSTANT),
    **every("understood unverified other skipped", _COUNTS),
    **every("not_understood refused warnings", _TEXTS),
    "checks": named(named(record(every("passed failed", _COUNT), more=True))),
    "rrc": known(
        record(
            {"decoding": text(), **every("messages decoded failed", _COUNT)},
            optional=("messages",),
            more=True,
        )
    ),
    "problems": _PROBLEMS,
    "unlisted_problems": _COUNT,
}

_ALIGNED = record(
    {**every("offset_ms uncertainty_ms", real()), **every("drift_ppm explained_ratio", _REAL)},
    optional=("drift_ppm", "explained_ratio"),
    more=True,
)

_ASSUMPTION = {
    **every("word sentence", text()),
    **every("seen_ends missed_ends", _COUNT),
    **every("undecided_ratio above_start_ratio below_end_ratio between_ratio bimodality", _REAL),
}

_PRBS = {
    "direction": word("downlink", "uplink"),
    "carrier": _COUNT,
    "cell": known(_COUNT),
    "prbs": _COUNT,
    "source": text(),
}

_GRANTED = {
    **every("blocks granted_bytes", _COUNT),
    "padding_bytes": known(_COUNT),
    "filled_ratio": _REAL,
    **every("sending_s backlogged_s known_s", real()),
}

_USER = {
    "user": _COUNT,
    "prb_totals": each(record(_PRBS, optional=("direction", "carrier", "cell"), more=True)),
    "ue": known(address()),
    "aligned": known(_ALIGNED),
    **every("not_aligned reason", known(text())),
    "assumption": record(_ASSUMPTION, optional=_ASSUMPTION, more=True),
    **every("span_s active_time_s throughput_time_s", real()),
    "unclassified_ms": _COUNT,
    "mac_throughput_bps": _REAL,
    "link_demand": named(_REAL),
    "uplink": known(record(_GRANTED, optional=_GRANTED, more=True)),
}

_VANTAGE = record(
    {
        "value": known(_PLACE),
        "source": known(word("given", "handshakes", "acks")),
        "assumed": _PLACE,
        "votes": record(every("ue monitor server by_acks", _COUNT), optional=("by_acks",)),
    },
    optional=("assumed",),
    more=True,
)

_FIELDS = {
    "schema": _COUNT,
    **every("tool version", text()),
    "status": word("ok", "partial"),
    "reasons": _TEXTS,
    **every("interrupted samples", flag()),
    "parameters": named(either(each(whole(1, 65_535), most=65_535), real())),
    "profile": known(text()),
    **every("ue_nets cell_prbs", _TEXTS),
    "memory_bytes": known(_COUNT),
    "ended_for_memory": _COUNT,
    "vantage": _VANTAGE,
    **every("first_ns last_ns", _INSTANT),
    "covered": known(record(every("captures covered_ns whole_ns", _COUNT))),
    "counts": named(real(0)),
    "rows": _COUNTS,
    "parts": named(record({"size_bytes": _COUNT, "xxh3_128": text(32)})),
    SEAL: text(32),
    "inputs": each(_INPUT),
    "unlisted_inputs": _COUNT,
    "modem": each(record(_LOG, optional=set(_LOG) - {"name", "format"}, more=True)),
    "radio": each(record(_USER, optional=set(_USER) - {"user"}, more=True)),
    **every("warnings notes", _TEXTS),
}

_OLDER = (
    *("tool", "version", "samples", "parameters", "profile", "cell_prbs", "first_ns", "last_ns"),
    *("counts", "rows", "parts", SEAL, "modem", "radio", "memory_bytes", "ended_for_memory"),
    *("unlisted_inputs", "covered"),
)
"""The fields that some versions with this schema did not write."""


def _file(path: Path) -> Path:
    file = path / "manifest.json"
    if not file.is_file():
        if not path.exists() and not _recovered(path):
            raise InputError(f"{path}: no such file or directory", "check the name: ls")
        if not file.is_file():
            reason = "has no manifest.json" if path.is_dir() else "is not a directory"
            raise InputError(
                f"{path}: not a dataset, it {reason}",
                "a dataset is the directory that `airmile analyze CAPTURE` writes, NAME.airmile",
            )
    return file


def _recovered(path: Path) -> bool:
    """Return whether a dataset is there that a killed run had only to move to its place."""
    from airmile import _engine

    try:
        os.fsencode(path)
    except UnicodeEncodeError:  # No file can have this name.
        return False
    return _engine.recover(str(path))
