"""Measurements: requests and transactions for a while, and what they cost in CPU seconds."""

import contextlib
import dataclasses
import os
import pathlib
import resource
import statistics
import subprocess
import time

from world import BUILD, ENVIRONMENT, OPTIONS, processes, service
import work

TICK = os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Run:
    """One run: how many requests a second, and CPU seconds for each by the group of processes that spent them."""

    rate: float
    cpu: dict
    p50: float = 0  # milliseconds
    p99: float = 0
    first_byte: float = 0
    requests: int = 0
    seconds: float = 0
    refused: int = 0

    def per_request(self, group):
        """Microseconds of CPU."""
        return self.cpu.get(group, 0) / self.requests * 1e6


def median(runs):
    """Of each figure the median of its own."""
    def of(figure):
        return statistics.median(map(figure, runs))

    return Run(
        rate=of(lambda run: run.rate), p50=of(lambda run: run.p50), p99=of(lambda run: run.p99),
        first_byte=of(lambda run: run.first_byte), requests=1, seconds=of(lambda run: run.seconds),
        cpu={group: of(lambda run, group=group: run.per_request(group)) / 1e6 for group in runs[0].cpu},
    )


# CPU ----------------------------------------------------------------------------------------------------------------


def family(pid):
    """A process and all its descendants."""
    yield pid
    for children in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in children.read_text().split():
                yield from family(int(child))


def cpu_seconds(process):
    """Of the process, its descendants, and those of them that have ended, which the system counts in ticks alone. None of
    them has threads, of which schedstat has the first."""
    total = 0
    for pid in family(process.pid):
        with contextlib.suppress(OSError):
            total += int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += sum(map(int, fields[13:15])) / TICK
    return total


class Meter:
    """CPU seconds of groups of processes, and of what the body itself starts and waits for: the load."""

    def __init__(self, **groups):
        self.groups = groups

    def read(self):
        spent = {name: cpu_seconds(process) for name, process in self.groups.items()}
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return spent | {"load": children.ru_utime + children.ru_stime}

    def __enter__(self):
        self.before = self.read()
        return self

    def __exit__(self, *_):
        self.cpu = {name: spent - self.before[name] for name, spent in self.read().items()}


# Load ---------------------------------------------------------------------------------------------------------------


def load(port, file, meter, seconds, connections=work.CONNECTIONS, may_be_refused=False):
    """HTTP requests out of a file. Any answer but a success ends the benchmark, or but a refusal where that may be; refusals
    count by themselves."""
    with meter:
        output = subprocess.run(
            [BUILD / "tests/bench/load", str(port), str(connections), str(seconds), file],
            check=True, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT,
        ).stdout
    good, refused, failed, _, lasted, p50, p99, first_byte = output.split()
    as_it_may_be = failed == "0" and good != "0" and (refused == "0" or may_be_refused)
    assert as_it_may_be, f"of the requests of {file}: {good} good, {refused} refused, {failed} failed"
    return Run(int(good) / float(lasted), meter.cpu, float(p50) / 1000, float(p99) / 1000, float(first_byte) / 1000,
               int(good), float(lasted), int(refused))


def pgbench(cluster, database, script, meter, seconds, connections=work.PROCESSES, log=None):
    """The same statements without a web. With a log there are latencies too, which cost a little."""
    before = set(family(cluster.process.pid))
    constants = [word for name, value in work.CONSTANTS.items() for word in ("-D", f"{name}={value}")]
    # It counts from before its connections are there, and so many take a while.
    duration = max(1, round(seconds + connections / 50))
    logging = ["--log", "--sampling-rate=0.2", f"--log-prefix={log}"] if log else []
    with meter:
        output = subprocess.run(
            [cluster.programs / "pgbench", "-n", "-M", "prepared", "-h", cluster.folder, "-U", "mapdiary",
             "-c", str(connections), "-j", str(min(2, connections)), "-T", str(duration), "-f", script,
             *logging, *constants, database],
            check=True, capture_output=True, text=True, env=ENVIRONMENT | {"PGOPTIONS": OPTIONS},
        ).stdout
        # What a backend spent is its parent's once that has seen it end.
        service.until(lambda: set(family(cluster.process.pid)) <= before, "pgbench's backends end")
    report = dict(line.split(" = ") for line in output.splitlines() if " = " in line)
    count = int(output.partition("actually processed: ")[2].split("/")[0].split()[0])
    rate = float(report["tps"].split()[0])
    run = Run(rate, meter.cpu, requests=count, seconds=count / rate)
    if log:
        run.p50, run.p99 = percentiles(log)
    return run


def percentiles(log):
    """Milliseconds, of a transaction log of pgbench, which is a file for each thread; they are removed."""
    files = list(log.parent.glob(f"{log.name}.*"))
    latencies = sorted(int(line.split()[2]) for file in files for line in file.read_text().splitlines())
    for file in files:
        file.unlink()
    return latencies[len(latencies) // 2] / 1000, latencies[len(latencies) * 99 // 100] / 1000


def copy(cluster, database, select):
    """Seconds that psql's own way out takes."""
    began = time.monotonic()
    cluster.psql(database, "-c", f"SET search_path = mapdiary; COPY ({select}) TO STDOUT")
    return time.monotonic() - began


# Memory -------------------------------------------------------------------------------------------------------------


def workers(diary):
    return processes.workers(diary.daemon.pid)


def memory(pid, file, field):
    """KiB, of a line in a file of /proc: PID."""
    for line in pathlib.Path(f"/proc/{pid}/{file}").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    raise KeyError(field)
