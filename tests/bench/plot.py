"""The plot: throughput and latency over the number of connections, drawn by gnuplot."""

import pathlib
import subprocess

import measure
import work
from world import ENVIRONMENT

CONNECTIONS = [1, 2, 4, 8, 16, 32, 64, 128, 256]
OPERATION = work.OPERATIONS["getPOI"]

SCRIPT = """set terminal svg size 900,400 font 'sans,12' background 'white'
set output '{output}'
set multiplot layout 1,2
set logscale xy
set xtics ({ticks})
set xrange [0.9:280]
set grid
set xlabel 'connections'
set key inside bottom center maxrows 3 samplen 1 width -4 font 'sans,10'
set yrange [200:200000]
set title 'getPOI, answers a second'
plot {rates}
unset key
set yrange [0.01:1000]
set title 'getPOI, latency in ms: median, and 99th percentile (dotted)'
plot {medians}, {tails}
"""


def contestants(bench):
    return {
        "mapdiary": lambda connections: bench.mapdiary(OPERATION, bench.seconds, connections),
        "mapdiary, microcache": lambda connections: bench.microcache(bench.seconds, connections),
        "PHP-FPM": lambda connections: bench.php(OPERATION, bench.seconds, connections),
        "the least": lambda connections: bench.least(OPERATION, bench.seconds, connections),
        "static file": lambda connections: bench.static(bench.seconds, connections),
        "pgbench": lambda connections: bench.statements(OPERATION, bench.seconds, connections, latencies=True),
    }


def draw(bench, folder, rounds, say):
    """Measures all contestants in turn, so often, and draws the medians."""
    everybody = contestants(bench)
    points = {name: [] for name in everybody}
    for connections in CONNECTIONS:
        runs = {name: [] for name in everybody}
        for _ in range(rounds):
            for name, run in everybody.items():
                runs[name].append(run(connections))
        for name in everybody:
            points[name].append((connections, measure.median(runs[name])))
        say(f"{connections} connections")
    data = bench.folder.make("plot")
    for number, name in enumerate(points):
        lines = (f"{connections} {run.rate} {run.p50} {run.p99}\n" for connections, run in points[name])
        (data / f"{number}").write_text("".join(lines))
    output = pathlib.Path(folder) / "benchmark.svg"
    output.parent.mkdir(exist_ok=True)
    script = SCRIPT.format(
        output=output, ticks=",".join(map(str, CONNECTIONS)),
        rates=curves(data, points, 2, "title '{name}'"), medians=curves(data, points, 3, "notitle"),
        tails=curves(data, points, 4, "dt 3 notitle"),
    )
    subprocess.run(["gnuplot"], input=script, text=True, check=True, env=ENVIRONMENT)
    say(f"{output} is drawn")


def curves(data, names, column, options):
    return ", ".join(
        f"'{data}/{number}' using 1:{column} with linespoints lt {number + 1} pt 7 ps 0.4 {options.format(name=name)}"
        for number, name in enumerate(names)
    )
