"""Finds import cycles in a graph of modules."""

from __future__ import annotations

from collections.abc import Iterator


def circles(graph: dict[str, set[str]]) -> Iterator[list[str]]:
    """Yield the sets of modules that all import each other, directly or not, as sorted lists."""
    reach = {module: reached(graph, module) for module in graph}
    seen: set[str] = set()
    for module in sorted(graph):
        mutual = sorted(m for m in reach[module] if module in reach.get(m, ()) and m != module)
        if mutual and module not in seen:
            seen.update(mutual)
            yield sorted([module, *mutual])


def reached(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    left = [start]
    while left:
        for module in graph.get(left.pop(), ()):
            if module not in found:
                found.add(module)
                left.append(module)
    return found
