"""Other programs that compute the same statistics: scipy, plain loops, and R."""

from __future__ import annotations

import csv
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy import special, stats

from airmile.comparison.inference import (
    assumptions,
    effect,
    means,
    needed,
    serial,
    shift,
    signs,
    welch,
)
from airmile.comparison.inference._arrays import SEED, Array, draws
from airmile.comparison.inference.several import holm

SCRIPT = Path(__file__).with_name("answers.R")
RECORDED = Path(__file__).with_name("answers.csv")
"""The answers of R 4.2.2 to a hundred samples, so that the tests need no R."""

Pair = tuple[Array, Array]


def samples(count: int, seed: int = 1) -> Iterator[Pair]:
    """Yield two samples of 6 to 40 values, skewed or not, with means that may differ."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        sizes = random.integers(6, 41, 2)
        sigma, shifted = random.uniform(0.1, 1.0), random.uniform(-1, 1)
        a, b = (np.exp(sigma * random.standard_normal(size)) for size in sizes)
        yield np.round(4 * a, 6), np.round(4 * b + shifted, 6)


def differences(pair: Pair) -> Array:
    """Return paired differences, as many as both samples allow."""
    size = min(each.size for each in pair)
    return pair[1][:size] - pair[0][:size]


def scipys() -> dict[str, Callable[[Pair], float]]:
    """Return the checks against scipy: each gives the largest relative error of a sample."""
    return {
        "Student's interval (scipy ttest_1samp)": _student,
        "Welch's p-value and interval (scipy ttest_ind)": _welch,
        "sign flips of means, 6 to 10 pairs (scipy permutation_test)": _flips_of_means,
        "sign flips of ranks, up to 13 pairs (scipy wilcoxon)": _flips_of_ranks,
        "sign flips of ranks, random (scipy wilcoxon), in standard errors": _random_flips,
        "rank sums (scipy mannwhitneyu) and Cliff's delta": _cliff,
        "skewness (scipy skew)": lambda pair: _apart(
            assumptions.skewness(pair[0]), stats.skew(pair[0])
        ),
        "Holm (plain loop)": _holm,
        "interval of d_z and g (scipy nct)": _noncentral,
        "trials needed (scipy nct)": _needed,
        "studentised bootstrap (from the values of the same draws)": _bootstrap,
        "studentised bootstrap of two groups (the same)": _bootstrap_of_two,
        "studentised bootstrap of blocks (the same)": _bootstrap_of_blocks,
        "interval of Cliff's delta (plain loop)": _cliff_interval,
    }


def _apart(found: object, expected: object) -> float:
    """Return the relative distance of two numbers; near zero, the absolute one."""
    one, other = np.asarray(found, float), np.asarray(expected, float)
    return float(np.max(np.abs(one - other) / np.maximum(np.abs(other), 1e-3)))


def _student(pair: Pair) -> float:
    bounds = stats.ttest_1samp(pair[0], 0).confidence_interval()
    return _apart(means.student(pair[0]), (bounds.low, bounds.high))


def _welch(pair: Pair) -> float:
    expected = stats.ttest_ind(pair[1], pair[0], equal_var=False)
    bounds = expected.confidence_interval()
    found = (welch.p_value(*pair), *welch.interval(*pair))
    return _apart(found, (expected.pvalue, bounds.low, bounds.high))


def _flips_of_means(pair: Pair) -> float:
    few = differences(pair)[:10]
    expected = stats.permutation_test(
        (few,), lambda x, axis: np.sum(x, axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    return _apart(signs.p_value(few), expected.pvalue)


def _flips_of_ranks(pair: Pair) -> float:
    few = differences(pair)[: signs.MOST_EXACT]
    expected = stats.wilcoxon(few, method="exact").pvalue
    return _apart(signs.p_value(shift.signed_ranks(few)), expected)


def _random_flips(pair: Pair) -> float:
    some = differences(pair)
    expected = float(stats.wilcoxon(some, method="exact").pvalue)
    error = np.sqrt(expected * (1 - expected) / draws(some.size)) + 1e-4
    return float(abs(float(signs.p_value(shift.signed_ranks(some))) - expected) / error)


def _cliff(pair: Pair) -> float:
    a, b = pair
    u = stats.mannwhitneyu(b, a).statistic
    return _apart(effect.cliff(a, b).value, 2 * float(u) / (a.size * b.size) - 1)


def _holm(pair: Pair) -> float:
    p_values = stats.norm.sf(pair[0])
    expected, most = np.empty(p_values.size), 0.0
    for place, at in enumerate(np.argsort(p_values)):
        most = max(most, min(1.0, (p_values.size - place) * p_values[at]))
        expected[at] = most
    return _apart(holm(p_values), expected)


def _noncentral(pair: Pair) -> float:
    """Return how far the ends of intervals are from where t leaves 2.5 % in a tail."""
    some = differences(pair)
    n, m = pair[0].size, pair[1].size
    cases = (
        (effect.paired(some, float(some.size)), some.size - 1, np.sqrt(some.size)),
        (effect.unpaired(*pair), n + m - 2, np.sqrt(n * m / (n + m))),
    )
    tails = []
    for found, freedom, root in cases:
        correction = 1 - 3 / (4 * freedom - 1)
        ratio, low, high = (each / correction * root for each in found[1:] if each is not None)
        tails += [stats.nct.sf(ratio, freedom, low), stats.nct.cdf(ratio, freedom, high)]
    return _apart(tails, 0.025)


def _needed(pair: Pair) -> float:
    """Return 0 if one trial fewer has less than the wanted power and this number has it."""
    wanted, spread = abs(pair[0].mean()) / 4 + 0.2, float(means.deviation(differences(pair)))
    found = needed.pairs(wanted, spread) or 0

    def power(n: int) -> float:
        limit = stats.t.isf(0.025, n - 1)
        shifted = stats.nct(n - 1, wanted * np.sqrt(n) / spread)
        return float(shifted.sf(limit) + shifted.cdf(-limit))

    return 0.0 if power(found) >= 0.8 and (found <= 2 or power(found - 1) < 0.8) else 1.0


def _bootstrap(pair: Pair) -> float:
    """Repeat the draws of the bootstrap, and compute the t of each resample directly."""
    values = pair[0]
    drawn = _drawn(values, SEED)
    error = _error(values)
    pivots = (drawn.mean(axis=1) - values.mean()) / _error(drawn)
    low, high = np.quantile(pivots, (0.025, 0.975))
    expected = (values.mean() - high * error, values.mean() - low * error)
    return _apart(means.studentised(values), expected)


def _bootstrap_of_two(pair: Pair) -> float:
    """Repeat the bootstrap of a difference of two means directly."""
    a, b = pair
    first, second = _drawn(a, SEED), _drawn(b, SEED + 1)
    shift_by = second.mean(axis=1) - first.mean(axis=1) - (b.mean() - a.mean())
    pivots = shift_by / np.hypot(_error(first), _error(second))
    low, high = np.quantile(pivots, (0.025, 0.975))
    error, middle = np.hypot(_error(a), _error(b)), b.mean() - a.mean()
    expected = (middle - high * error, middle - low * error)
    return _apart(means.studentised_difference(a, b), expected)


def _bootstrap_of_blocks(pair: Pair) -> float:
    """Repeat the bootstrap for blocks of two sizes, whose mean is a ratio, directly."""
    sums = pair[0]
    sizes = np.array([3.0 + at % 2 for at in range(sums.size)])
    if sums.size < means.FEWEST_FOR_BOOTSTRAP:
        return 0.0
    places = np.random.default_rng(SEED).integers(0, sums.size, (draws(sums.size), sums.size))
    middle, error = _of_blocks(sums[None], sizes[None])
    drawn, errors = _of_blocks(sums[places], sizes[places])
    low, high = np.quantile((drawn - middle) / errors, (0.025, 0.975))
    expected = np.concatenate([middle - high * error, middle - low * error])
    return _apart(np.array(means.studentised_blocks(sums, sizes)), expected)


def _of_blocks(sums: Array, sizes: Array) -> tuple[Array, Array]:
    """Return the ratio of totals of each row, and its error by the residuals of the blocks."""
    total, k = sizes.sum(axis=1), sums.shape[1]
    middle = sums.sum(axis=1) / total
    residuals = sums - middle[:, None] * sizes
    return middle, np.sqrt(k / (k - 1) * (residuals**2).sum(axis=1)) / total


def _drawn(values: Array, seed: int) -> Array:
    random = np.random.default_rng(seed)
    return values[random.integers(0, values.size, (draws(values.size), values.size))]


def _error(values: Array) -> Array:
    return np.asarray(values.std(axis=-1, ddof=1) / np.sqrt(values.shape[-1]))


def _cliff_interval(pair: Pair) -> float:
    a, b = pair
    above = np.sign(np.subtract.outer(b, a))
    delta, n, m = above.mean(), a.size, b.size
    rows, columns = above.mean(axis=1), above.mean(axis=0)
    parts = m * m * ((columns - delta) ** 2).sum() + n * n * ((rows - delta) ** 2).sum()
    variance = (parts - ((above - delta) ** 2).sum()) / (n * m * (n - 1) * (m - 1))
    variance = max(variance, (1 - delta**2) / (n * m - 1))
    z = special.ndtri(0.975)
    half = z * np.sqrt(variance * ((1 - delta**2) ** 2 + z**2 * variance))
    ends = [
        np.clip((delta - delta**3 + side * half) / (1 - delta**2 + z**2 * variance), -1, 1)
        for side in (-1, 1)
    ]
    return _apart(effect.cliff(a, b)[2:], ends)


def rs(rows: list[dict[str, str]]) -> dict[str, float]:
    """Return the largest relative error against the answers of R, by statistic."""
    worst: dict[str, float] = {}
    for row in rows:
        pair = tuple(np.array(row[name].split(), float) for name in "ab")
        for name, (found, expected) in _beside(row, pair).items():  # type: ignore[arg-type]
            worst[name] = max(worst.get(name, 0.0), _apart(found, expected))
    return worst


def _beside(row: dict[str, str], pair: Pair) -> dict[str, tuple[object, object]]:
    a, b = pair
    some = differences(pair)
    wanted = abs(a.mean()) / 4 + 0.2
    middle, bounds = shift.pseudomedian(some)
    shifted, ends = shift.shift(a, b)
    deviation = float(means.deviation(a))

    def answers(*names: str) -> list[float]:
        return [float(row[name]) for name in names]

    return {
        "Hodges-Lehmann median of pairs and its interval": (
            (middle, *(bounds or ())), answers("signed_median", "signed_low", "signed_high")),
        "Hodges-Lehmann shift and its interval": (
            (shifted, *(ends or ())), answers("sums_median", "sums_low", "sums_high")),
        "rank sums": (shift.rank_sum_p_value(a, b), answers("sums_p")),
        "Welch": (
            (welch.p_value(a, b), *welch.interval(a, b)),
            answers("welch_p", "welch_low", "welch_high")),
        "Student": (means.student(some), answers("student_low", "student_high")),
        "autocorrelation (acf)": (serial.autocorrelation(some), answers("acf")),
        "pairs needed (power.t.test)": (needed.pairs(wanted, float(means.deviation(some))),
                                        answers("needed")),
        "samples needed in each group (power.t.test)": (
            needed.each_group(wanted, (deviation, deviation)), answers("each")),
    }  # fmt: skip


def ask_r(count: int) -> list[dict[str, str]] | None:
    """Return R's answers to samples; None without R."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder) / "samples.csv", Path(folder) / "answers.csv"
        with asked.open("w", newline="") as file:
            lines = csv.writer(file)
            lines.writerow(["a", "b"])
            for pair in samples(count):
                lines.writerow([" ".join(f"{value:.6f}" for value in each) for each in pair])
        subprocess.run(["Rscript", str(SCRIPT), str(asked), str(answered)], check=True)
        return read(answered)


def read(file: Path) -> list[dict[str, str]]:
    """Return the rows of answers."""
    with file.open(newline="") as lines:
        return list(csv.DictReader(lines))
