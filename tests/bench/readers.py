"""Readers who ask a fixed number of times a second, so that a slow answer does not make them ask less."""

import concurrent.futures
import time

from private import quantile

HEADINGS = f"{'':18}{'reads':>7}{'failed':>8}{'p50':>9}{'p90':>9}{'p99':>9}{'most':>9}   ms"


def read_steadily(ask, rate, seconds):
    """Milliseconds from when each answer was due to be asked for, and how many failed."""
    start = time.monotonic() + 0.1

    def read(number):
        due = start + number / rate
        time.sleep(max(0, due - time.monotonic()))
        answer = ask()
        return (time.monotonic() - due) * 1000, answer.info is None

    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        done = list(pool.map(read, range(int(rate * seconds))))
    return [took for took, _ in done], sum(not good for _, good in done)


def show(name, times, failed):
    numbers = "".join(f"{quantile(times, share):9.1f}" for share in (0.5, 0.9, 0.99))
    print(f"{name:18}{len(times):7}{failed:8}{numbers}{max(times):9.1f}", flush=True)
    return quantile(times, 0.99)
