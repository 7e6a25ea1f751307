"""The benchmark: makes a world, measures all contestants in turn, and prints one table. See run --help."""

import contextlib
import os
import random
import statistics
import sys
import time

import instructions
import measure
import plot
import report
import usage
import work
import world
from measure import Meter, load, pgbench

# Seconds of work before what is measured of processes that may have just been started.
WARM = 0.3

# Each address of the microcache and of the static files is one of so many.
HOT = 10


def say(text):
    print(time.strftime("%H:%M:%S"), text, file=sys.stderr, flush=True)


class Bench:
    """The world, and what was measured in it: runs[row][contestant] is a list, a run for each round."""

    def __init__(self, arguments):
        self.seconds, self.scale = arguments.seconds, arguments.scale
        self.folder = world.service.Folder()
        self.cluster = world.Cluster(self.folder)
        say("making the content")
        self.size = work.Size(self.part(10000, 200), self.part(100000, 1000), self.part(1000000, 2000))
        self.diary = world.Diary(self.folder, self.cluster, "main", self.size).start()
        self.registry = self.cluster.registry("main")
        self.peer = world.Peer(self.folder, self.diary, self.registry).start()
        self.bare = world.Bare(self.folder, self.diary)
        static = self.write_static()
        self.web = world.Web(self.folder, self.diary, {"peer": self.peer, "bare": self.bare}, static).start()
        self.cached = world.Web(self.folder, self.diary, microcache=True).start()
        self.runs = {}

    def part(self, whole, least):
        return max(least, int(whole * self.scale))

    def write_static(self):
        """The bytes that the service answers, as files."""
        static = self.folder.make("static")
        static.chmod(0o755)
        for number in range(1, HOT + 1):
            (static / f"{number}.xml").write_bytes(self.diary.ask("getPOI", POIID=number))
        return static

    def file(self, name, content):
        path = self.folder.path / name
        path.write_bytes(content)
        return path

    def meter(self, web=None, workers=None):
        groups = {"nginx": web, "workers": workers, "postgres": self.cluster}
        return Meter(**{name: getattr(server, "daemon", None) or server.process for name, server in groups.items() if server})

    def keep(self, row, contestant, run):
        self.runs.setdefault(row, {}).setdefault(contestant, []).append(run)

    # Contestants: a run of each ------------------------------------------------------------------------------------------

    def mapdiary(self, operation, seconds, connections=work.CONNECTIONS, diary=None, web=None):
        diary, web = diary or self.diary, web or self.web
        file = self.file(f"{operation.name}.{diary.name}", operation.requests(diary.size, "/API.php"))
        return load(web.port, file, self.meter(web, diary), seconds, connections, operation.may_be_refused)

    def json(self, operation, seconds):
        """The same answers in another format."""
        return self.mapdiary(operation.as_json(), seconds)

    def php(self, operation, seconds, connections=work.CONNECTIONS):
        file = self.file(f"{operation.name}.php", operation.requests(self.size, "/peer/API.php"))
        return load(self.web.port, file, self.meter(self.web, self.peer), seconds, connections)

    def answer(self, operation):
        """The body of one of them, and the names of the statements."""
        body = self.diary.ask(operation.func, **operation.parameters(random.Random(0), self.size)[1])
        return body, [name for name, _ in operation.statements]

    def least(self, operation, seconds, connections=work.CONNECTIONS, processes=work.PROCESSES, sessions=1):
        """One session with PostgreSQL for each process, as the service has."""
        file = self.file(f"{operation.name}.bare", operation.requests(self.size, "/bare/API.php"))
        with self.bare.serving(*self.answer(operation), processes, sessions):
            load(self.web.port, file, self.meter(), WARM)
            return load(self.web.port, file, self.meter(self.web, self.bare), seconds, connections)

    def by_libfcgi(self, operation, seconds):
        """The same, but for libfcgi taking the requests and writing the answers."""
        return self.least(operation, seconds, sessions=0)

    def overlapping(self, operation, seconds):
        """As many sessions, in as many processes as there are processors."""
        processes = os.cpu_count()
        return self.least(operation, seconds, work.CONNECTIONS, processes, max(1, work.PROCESSES // processes))

    def statements(self, operation, seconds, connections=work.PROCESSES, latencies=False):
        script = self.file(f"{operation.name}.sql", operation.script(self.size, self.registry).encode())
        log = self.folder.path / "pgbench" if latencies else None
        return pgbench(self.cluster, "main", script, self.meter(), seconds, connections, log)

    def static(self, seconds, connections=work.CONNECTIONS):
        paths = [f"/static/{number}.xml" for number in range(1, HOT + 1)]
        return load(self.web.port, self.file("static.get", work.get(paths)), self.meter(self.web), seconds, connections)

    def microcache(self, seconds, connections=work.CONNECTIONS):
        paths = [f"/API.php?func=getPOI&POIID={number}" for number in range(1, HOT + 1)]
        meter = self.meter(self.cached, self.diary)
        return load(self.cached.port, self.file("cached.get", work.get(paths)), meter, seconds, connections)

    # Rows ----------------------------------------------------------------------------------------------------------------

    def restart(self, processes):
        """The service and the peer, with so many each."""
        self.diary.stop()
        self.diary.configure(workers=processes)
        self.diary.start()
        self.peer.stop()
        self.peer.start(processes)

    @contextlib.contextmanager
    def processes(self, count):
        """For a while."""
        if count != work.PROCESSES:
            self.restart(count)
        yield
        if count != work.PROCESSES:
            self.restart(work.PROCESSES)

    def measure_operation(self, operation):
        seconds = self.seconds * operation.seconds
        by_http = [self.mapdiary, self.php] if operation.has_peer else [self.mapdiary]
        contestants = by_http + ([self.statements] if operation.statements else [])
        contestants += [self.json, self.by_libfcgi, self.least, self.overlapping] if operation.has_least else []
        with self.processes(operation.processes):
            for contestant in by_http:
                contestant(operation, WARM)
            for contestant in contestants:
                self.keep(operation.name, contestant.__name__, contestant(operation, seconds))

    def measure_cache(self):
        self.keep("hot getPOI", "microcache", self.microcache(self.seconds))
        self.keep("hot getPOI", "static", self.static(self.seconds))

    def ratio(self, row, one, other, figure=lambda run: run.rate):
        """The median of the rounds' own ratios."""
        pairs = zip(self.runs[row][one], self.runs[row][other])
        return statistics.median(figure(a) / figure(b) for a, b in pairs)

    def between(self, row, other):
        """The same of the service with itself, in two rows."""
        pairs = zip(self.runs[row]["mapdiary"], self.runs[other]["mapdiary"])
        return statistics.median(one.rate / another.rate for one, another in pairs)


class Scale:
    """Two more databases, to see what becomes of it when there is a lot: 10,000 blogs, and 10,000,000 with as many as
    1,000,000 POIs in one category."""

    def __init__(self, bench):
        self.bench = bench
        users = bench.size.users
        sizes = {
            "few": work.Size(users, 100, 10000, albums=0, categories=1, extras=False),
            "many": work.Size(users, bench.part(1000000, 10000), bench.part(10000000, 100000), 0, 1, extras=False),
        }
        say("making the content of two more databases")
        self.diaries = {name: world.Diary(bench.folder, bench.cluster, name, size).start() for name, size in sizes.items()}
        self.webs = {name: world.Web(bench.folder, diary).start() for name, diary in self.diaries.items()}
        self.idle = []
        self.starts = []
        self.copies = []

    def measure(self):
        for name, diary in self.diaries.items():
            self.bench.keep("getBlog", name, self.bench.mapdiary(work.OPERATIONS["getBlog"], self.bench.seconds, diary=diary,
                                                                 web=self.webs[name]))
        self.measure_list()
        self.measure_start()

    def measure_list(self):
        many = self.diaries["many"]
        rows = many.size.pois
        operation = work.OPERATIONS["getCategoryPOIList"]
        for contestant, asked in ("mapdiary", operation), ("json", operation.as_json()):
            self.bench.keep("long list", contestant, self.bench.mapdiary(asked, 0, 1, many, self.webs["many"]))
        seconds = measure.copy(self.bench.cluster, "many", self.bench.registry["poi_list"].with_values(["1"]))
        self.copies.append(rows / seconds)

    def against_copy(self, contestant):
        """Rows a second, as a part of what COPY gives."""
        rates = [run.rate * self.diaries["many"].size.pois for run in self.bench.runs["long list"][contestant]]
        return statistics.median(rate / copy for rate, copy in zip(rates, self.copies))

    def most_resident(self):
        """MiB, the most that a worker ever had."""
        return max(measure.memory(pid, "status", "VmHWM") for pid in measure.workers(self.diaries["many"])) / 1024

    def measure_start(self):
        few = self.diaries["few"]
        few.stop()
        self.starts.append(few.start_time())
        # What a worker has for itself alone must be there: all have answered.
        self.bench.mapdiary(work.OPERATIONS["getBlog"], 0.5, diary=few, web=self.webs["few"])
        self.idle += [measure.memory(pid, "smaps_rollup", "Pss") / 1024 for pid in measure.workers(few)]


def count_instructions(bench, operations):
    say("counting instructions")
    bench.diary.stop()
    bench.diary.configure(workers=1)
    counted = {operation.name: instructions.per_request(bench.diary, operation) for operation in operations}
    return counted


def main():
    arguments = usage.parse()
    bench = Bench(arguments)
    if arguments.plot:
        plot.draw(bench, arguments.plot, arguments.rounds, say)
        return
    operations = [work.OPERATIONS[name] for name in arguments.only or work.OPERATIONS]
    scale = None if arguments.only else Scale(bench)
    for number in range(arguments.rounds):
        for operation in operations:
            bench.measure_operation(operation)
        if scale:
            bench.measure_cache()
            scale.measure()
        say(f"round {number + 1} of {arguments.rounds}")
    counted = count_instructions(bench, [operation for operation in operations if operation.func != "login"])
    print(report.head(bench, arguments))
    print(report.measurements(bench, counted))
    if scale:
        print(report.targets(bench, scale))


if __name__ == "__main__":
    main()
