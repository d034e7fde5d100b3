"""Measures the time of the protocol model: 10 000 draws for 200 sizes must take less than 1 s.

python -m benches.protocol_model
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from airmile.model import monte_carlo, read

DRAWS, SIZES, ROUNDS = 10_000, 200, 5
LIMIT_S = 1.0


def main() -> int:
    """Print the median of five rounds for each call; return 1 if the plain one takes too long."""
    inputs = read("eff14-4g")
    rates, rtts = inputs.rates_bps, inputs.rtts_s
    sizes = np.geomspace(1e3, 1e7, SIZES)
    print(f"{DRAWS} draws by {SIZES} sizes, median of {ROUNDS}:")
    plain_s = _time("alone", lambda: monte_carlo(rates, rtts, sizes, draws=DRAWS))
    _time(
        "one other flow",
        lambda: monte_carlo(
            rates, rtts, sizes, draws=DRAWS, flows=2, loaded_rtts_s=inputs.loaded_rtts_s
        ),
    )
    _time("with losses", lambda: monte_carlo(rates, rtts, sizes, draws=DRAWS, loss_ratio=0.01))
    return 0 if plain_s < LIMIT_S else 1


def _time(title: str, work: Callable[[], object]) -> float:
    walls_s, cpus_s = [], []
    for _ in range(ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        walls_s.append(time.perf_counter() - wall)
        cpus_s.append(time.process_time() - cpu)
    median = statistics.median(walls_s)
    print(f"  {title:16}{median:7.2f} s wall{statistics.median(cpus_s):7.2f} s cpu")
    return median


if __name__ == "__main__":
    raise SystemExit(main())
