"""How much memory this process may use: the machine's, the control groups' and the limits'."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

SHARE = 2
"""By default an analysis may use one part in so many of the free memory: the rest is for the files
that it reads and writes, which the system keeps in memory, for programs that start meanwhile, and
for the queries after it."""

_ROOT = Path("/")


def default(root: Path = _ROOT) -> int | None:
    """Return the memory that an analysis may use by default, in bytes; None if it is unknown."""
    free = free_bytes(root)
    return None if free is None else free // SHARE


def free_bytes(root: Path = _ROOT) -> int | None:
    """Return the memory that this process can still get, in bytes; None if it is unknown.

    It is what Linux calls available (proc(5), MemAvailable), or what a control group of this
    process or one around it has left, or `ulimit -v`, whichever is least. `root` is where the
    system's files are.
    """
    found = [_listed(root).get("MemAvailable"), *_left(root), _limit()]
    return min((bytes_ for bytes_ in found if bytes_ is not None), default=None)


def whole_bytes(root: Path = _ROOT) -> int | None:
    """Return the memory of the machine, or of the smallest control group around this process."""
    found = [_listed(root).get("MemTotal"), *(limit for limit, _ in _groups(root))]
    return min((bytes_ for bytes_ in found if bytes_ is not None), default=None)


def _listed(root: Path) -> dict[str, int]:
    text = _text(root / "proc/meminfo")
    found = re.findall(r"^(\w+):\s+(\d+) kB", text, re.MULTILINE)
    return {name: int(number) * 1024 for name, number in found}


def _left(root: Path) -> Iterator[int]:
    """Yield what each control group around this process has left, in bytes."""
    for limit, used in _groups(root):
        yield max(0, limit - used)


def _groups(root: Path) -> Iterator[tuple[int, int]]:
    """Yield the limit and the use of each control group with a limit, in bytes (cgroups(7)).

    Pages of files that were not used lately are not counted, because the system gives them up.
    """
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        mount = root / "sys/fs/cgroup"
        if not controllers:
            names = ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            mount /= "memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        # In a container the path may be that of the host, of which only the last part is mounted.
        group = mount / path.lstrip("/")
        for folder in (group, *group.parents):
            limit, used = (_number(folder / name) for name in names[:2])
            if limit is not None and used is not None:
                files = re.search(
                    rf"^{names[2]} (\d+)", _text(folder / "memory.stat"), re.MULTILINE
                )
                yield limit, used - (int(files[1]) if files else 0)
            if folder == mount:
                break


def _number(file: Path) -> int | None:
    text = _text(file).strip()
    return int(text) if text.isdecimal() else None


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except (OSError, UnicodeDecodeError):
        return ""


def _limit() -> int | None:
    """Return the limit of this process's address space, if it has one."""
    try:
        import resource
    except ImportError:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft
