"""Exit codes of the subcommands, by the state of their inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airmile._errors import InputError

if TYPE_CHECKING:
    from airmile.dataset import Dataset

PARTLY_FAILED = 1
NOTHING_READABLE = InputError.exit_code
CONDITION_HOLDS = 4


def of(dataset: Dataset) -> int:
    """Return the exit code of a subcommand that answers from a dataset."""
    if is_empty(dataset.manifest):
        return NOTHING_READABLE
    return PARTLY_FAILED if dataset.partly_failed else 0


def is_empty(manifest: dict[str, Any]) -> bool:
    """Return whether the captures of a dataset hold no packet and there is no modem log.

    >>> is_empty({"inputs": [{"counts": {"packets": 0}}]}), is_empty({"inputs": []})
    (True, False)
    """
    inputs = manifest.get("inputs", [])
    none = all(each.get("counts", {}).get("packets") == 0 for each in inputs)
    return bool(inputs) and none and not manifest.get("radio")


def need_packets(dataset: Dataset) -> None:
    """Check that the captures of a dataset hold packets.

    Raises
    ------
    InputError
        They hold no packet.
    """
    if is_empty(dataset.manifest):
        reasons = dataset.manifest.get("reasons") or [f"{dataset.path}: no packets"]
        raise InputError(reasons[0], "`airmile info CAPTURE` shows what it holds")
