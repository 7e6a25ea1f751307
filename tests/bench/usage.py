"""What run takes. Without the other modules, so that --help works before their packages are installed."""

import argparse


def parse():
    parser = argparse.ArgumentParser(
        prog="tests/bench/run",
        description="Measures mapdiary beside PHP-FPM, pgbench, static files and the least that FastCGI"
        " takes, all in one run on this machine, in turn, and prints one table. It takes about 20 minutes, 12 GB of disk, and"
        " a machine that does nothing else.",
    )
    parser.add_argument("--scale", type=float, default=1, metavar="PART",
                        help="of the content: 1, the default, is 100,000 POIs, 10,000 users, 1,000,000 blogs; 0.01 a quick try")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of everything; the table has the medians")
    parser.add_argument("--seconds", type=float, default=3, help="of each measurement")
    parser.add_argument("--only", metavar="FUNC", nargs="+", help="these operations, and nothing else of the table")
    parser.add_argument("--plot", metavar="FOLDER",
                        help="instead, draw throughput and latency over 1 to 256 connections: FOLDER/benchmark.svg")
    return parser.parse_args()


if __name__ == "__main__":
    parse()
