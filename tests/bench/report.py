"""The report: what was measured, and what of it was to be reached."""

import os
import statistics
import subprocess

import measure
import work
import world

CONTESTANTS = {
    "mapdiary": "mapdiary", "json": "mapdiary, JSON", "php": "PHP-FPM", "statements": "pgbench", "microcache": "microcache",
    "static": "static file",
    "least": "the least", "by_libfcgi": "the least, by libfcgi", "overlapping": "the least, overlapping",
    "few": "mapdiary, few blogs", "many": "mapdiary, many blogs",
}
GROUPS = "nginx", "workers", "postgres", "load"

# Instructions of a worker for a request that callgrind may count. Over it, something has become slower; far below, lower it.
BUDGET = {
    "getPOI": 215000, "getBlog": 125000, "getAlbum": 227000, "getAlbum, own": 235000, "getAlbum, private": 235000,
    "getUserAlbumList": 192000, "getCategoryPOIList": 146000000,
    "addAlbum": 63500, "updateAlbum": 67000, "postBlog": 123500, "updateBlog": 115500, "addComment": 65000,
    "recommend": 65500, "castVote": 103500,
}


def table(heads, rows):
    """Columns as wide as they need to be; the first is text, all others are figures."""
    rows = [heads, *rows]
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(heads))]
    lines = ["  ".join(f"{cell:{'<' if i == 0 else '>'}{widths[i]}}" for i, cell in enumerate(map(str, row))).rstrip()
             for row in rows]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:], ""])


def figure(value):
    """With three digits that count."""
    if not value:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def version(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout + done.stderr).splitlines()[0]


def head(bench, arguments):
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        cpu = next(line.partition(": ")[2].strip() for line in info if line.startswith("model name"))
    size, logins = bench.size, work.OPERATIONS["login"].processes
    return f"""
{os.cpu_count()} x {cpu}, {version(bench.cluster.programs / "postgres", "--version")}, {version(world.program("nginx"), "-v")},
{version(world.PHP_FPM, "-v")}
{size.pois:,} POIs, {size.users:,} users with {size.albums} albums, {size.blogs:,} blogs; {work.PROCESSES} workers (login: {logins}),
{world.NGINX_PROCESSES} nginx processes, {work.CONNECTIONS} HTTP connections;
medians of {arguments.rounds} rounds of {arguments.seconds:g} s each. Microseconds are CPU time for a request, of all processes of a kind.
"""


def remark(name, counted, refused):
    over = ["over"] if counted and counted > BUDGET[name] else []
    return ", ".join(over + ([f"{refused} refused"] if refused else []))


def measurements(bench, instructions):
    rows = []
    for name, contestants in bench.runs.items():
        for contestant, runs in contestants.items():
            middle = measure.median(runs)
            counted = instructions.get(name) if contestant == "mapdiary" else None
            rows.append([
                f"{name}, {CONTESTANTS[contestant]}", figure(middle.rate), figure(middle.p50), figure(middle.p99),
                *(figure(middle.cpu.get(group, 0) * 1e6) for group in GROUPS),
                f"{counted:,}" if counted else "", f"{BUDGET[name]:,}" if counted else "",
                remark(name, counted, sum(run.refused for run in runs)),
            ])
    return table(
        ["", "a second", "p50 ms", "p99 ms", *(f"{group} µs" for group in GROUPS), "instructions", "budget", ""], rows
    )


def all_cpu(run):
    return sum(map(run.per_request, run.cpu))


def compared(bench, row, one, other, what, want):
    """Requests a second of one against the other. Beside it what the CPU time of all processes says: the same, where both
    keep all cores busy and nobody else takes them."""
    return [what, want, bench.ratio(row, one, other), bench.ratio(row, other, one, all_cpu)]


def targets(bench, scale):
    reads = "getPOI", "getBlog", "getAlbum"
    rows = [compared(bench, name, "mapdiary", "php", f"{name} against PHP-FPM, requests a second", 2) for name in reads]
    rows.append(["getAlbum of a private one against a public one, both by their owner", 0.9,
                 bench.between("getAlbum, private", "getAlbum, own")])
    rows += [compared(bench, name, "mapdiary", "by_libfcgi", f"{name} against the least, by libfcgi", 0.70) for name in reads]
    rows.append(compared(bench, "hot getPOI", "microcache", "static", "microcache, hot, against a static file", 0.75))
    pois, blogs = (f"{count:,}" for count in (scale.diaries["many"].size.pois, scale.diaries["many"].size.blogs))
    rows += [
        [f"getCategoryPOIList of {pois} POIs against COPY, rows a second", 0.4, scale.against_copy("mapdiary")],
        ["the same as JSON", 0.4, scale.against_copy("json")],
        ["its first byte, ms", "50 at most", measure.median(bench.runs["long list"]["mapdiary"]).first_byte],
        ["its worker's resident memory, MiB", "16 at most", scale.most_resident()],
        [f"getBlog of {blogs} against 10,000, time a request", "1.3 at most", bench.ratio("getBlog", "few", "many")],
        ["memory of an idle worker (Pss), MiB", "3 at most", statistics.median(scale.idle)],
        ["start to first answer, ms", "100 at most", statistics.median(scale.starts)],
    ]
    return table(["", "at least", "measured", "by CPU time", ""], [judged(*row) for row in rows])


def judged(what, want, got, by_cpu=None):
    """A row of the table: what was wanted, what was measured, and whether that is enough."""
    beside = f"{by_cpu:.2f}" if by_cpu else ""
    if isinstance(want, str):
        return [what, want, figure(got), beside, "" if got < float(want.split()[0]) else "missed"]
    return [what, f"{want:.2f}", f"{got:.2f}", beside, "" if got >= want else "missed"]
