"""Whether the times of two kinds of answers tell them apart: the difference of the medians with a confidence interval
(bootstrap), and how often a guess by the time alone would be right (the area under the ROC curve, Mann-Whitney's U; 0.5 is
chance)."""

import math
import random
import statistics

from private import quantile


def interval(one, other, rounds=2000):
    """Of the difference of the medians: 95 %."""
    def resampled(values):
        return statistics.median(random.choices(values, k=len(values)))

    differences = sorted(resampled(one) - resampled(other) for _ in range(rounds))
    return differences[int(rounds * 0.025)], differences[int(rounds * 0.975)]


def guess(one, other):
    """How often the greater of two times, one of each kind, is of the first kind; and the p of chance."""
    ranked = sorted([(value, True) for value in one] + [(value, False) for value in other])
    ranks = sum(rank for rank, (_, is_first) in enumerate(ranked, 1) if is_first)
    wins = ranks - len(one) * (len(one) + 1) / 2
    pairs = len(one) * len(other)
    z = (wins - pairs / 2) / math.sqrt(pairs * (len(one) + len(other) + 1) / 12)
    return wins / pairs, math.erfc(abs(z) / math.sqrt(2))


def show(kinds):
    """Milliseconds, of two kinds by their names."""
    print(f"{'':16}{'count':>8}{'median':>10}{'p5':>10}{'p95':>10}   ms")
    for name, times in kinds.items():
        numbers = (statistics.median(times), quantile(times, 0.05), quantile(times, 0.95))
        print(f"{name:16}{len(times):8}" + "".join(f"{number:10.3f}" for number in numbers))
    one, other = kinds.values()
    low, high = interval(one, other)
    apart = statistics.median(one) - statistics.median(other)
    print(f"difference of the medians: {apart:+.3f} ms, 95 % between {low:+.3f} and {high:+.3f}")
    right, p = guess(one, other)
    print(f"a guess by the time is right in {right:.1%} of pairs (p = {p:.2f} that this is chance)")
