"""Checks of the arguments of the model's functions; each error names the argument."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from airmile._arguments import shown
from airmile._errors import ArgumentError, UsageError

Array = NDArray[np.float64]


def positive(name: str, value: ArrayLike, unit: str, *, infinite: bool = False) -> Array:
    """Return an array of numbers above 0.

    Raises
    ------
    ArgumentError
        A value is not a number, is 0 or negative, or is infinite and `infinite` is false.
    """
    numbers = _numbers(name, value, unit)
    _refuse(name, numbers, ~(numbers > 0), f"more than 0 {unit}")
    if not infinite:
        _refuse(name, numbers, np.isinf(numbers), "finite")
    return numbers


def not_negative(name: str, value: ArrayLike, unit: str) -> Array:
    """Return an array of finite numbers of at least 0; raise the errors of `positive`."""
    numbers = _numbers(name, value, unit)
    _refuse(name, numbers, ~(numbers >= 0), f"0 {unit} or more")
    _refuse(name, numbers, np.isinf(numbers), "finite")
    return numbers


def at_least_one(name: str, value: ArrayLike) -> Array:
    """Return an array of finite numbers of at least 1; raise the errors of `positive`."""
    numbers = _numbers(name, value, "")
    _refuse(name, numbers, ~(numbers >= 1), "1 or more")
    _refuse(name, numbers, np.isinf(numbers), "finite")
    return numbers


def below(name: str, value: ArrayLike, limit: float) -> Array:
    """Return an array of numbers from 0 to below a limit; raise the errors of `positive`."""
    numbers = _numbers(name, value, "")
    _refuse(
        name,
        numbers,
        ~((numbers >= 0) & (numbers < limit)),
        f"a share of at least 0 and below {limit:g} (1 % is 0.01)",
    )
    return numbers


def one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    """Raise `UsageError` if the value is not one of the known words."""
    if value not in known:
        raise UsageError(f"{name}={value!r} is not known", f"it is one of {', '.join(known)}")


def known(given: Iterable[str], names: Iterable[str]) -> None:
    """Raise `UsageError` for an argument that no function reads, such as a misspelled one."""
    for name in given:
        if name not in names:
            raise UsageError(f"{name}: there is no such argument", f"there are {', '.join(names)}")


def broadcast(**arrays: Array) -> None:
    """Raise `UsageError` if the shapes of the arrays do not broadcast together."""
    try:
        np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items() if array.ndim)
        raise UsageError(
            f"arguments with shapes that do not broadcast: {shapes}",
            "give numbers, arrays of one length, or one of them as a column: sizes[:, None]",
        ) from None


def _numbers(name: str, value: ArrayLike, unit: str) -> Array:
    try:
        given = np.asarray(value)
        if value is None or given.dtype.kind not in "iufO":
            raise TypeError
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        of = f" of {unit}" if unit else ""
        raise ArgumentError(
            f"{name}: {shown(value)} is not a number{of}, nor an array of them"
        ) from None


def _refuse(name: str, numbers: Array, wrong: NDArray[np.bool_], wanted: str) -> None:
    if not wrong.any():
        return
    where = np.argwhere(wrong)[0]
    at = f"[{', '.join(str(place) for place in where)}]" if numbers.ndim else ""
    found = float(numbers[tuple(where)])
    raise ArgumentError(f"{name}{at} is {found:g}", f"it has to be {wanted.rstrip()}")
