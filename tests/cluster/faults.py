"""What happens to the machines: each fault is made while the load goes on, stays for a while, and is undone."""

import contextlib
import time

STAY = 3  # seconds that a fault goes on after writes are acknowledged again


@contextlib.contextmanager
def killed(machine):
    machine.kill()
    yield
    machine.start_again()


@contextlib.contextmanager
def cut_off(machine):
    machine.cut()
    yield
    machine.join()


@contextlib.contextmanager
def frozen(machine):
    machine.freeze()
    yield
    machine.thaw()


@contextlib.contextmanager
def etcd_killed(machine):
    machine.kill_server("etcd")
    yield
    machine.start_server("etcd")


FAULTS = {
    "primary killed": lambda cluster: killed(cluster.database("leader")),
    "primary cut off": lambda cluster: cut_off(cluster.database("leader")),
    "replica frozen": lambda cluster: frozen(cluster.database("replica")),
    "synchronous replica frozen": lambda cluster: frozen(cluster.database("sync_standby")),
    "etcd leader killed": lambda cluster: etcd_killed(cluster.etcd_leader()),
    "application machine cut off": lambda cluster: cut_off(cluster.machines["app1"]),
}

ROW = "{:30}{:>10}{:>14}{:>10}{:>12}{:>10}"


def print_head():
    print("\nseconds without a success of any client, from the fault on:\n"
          + ROW.format("", "write", "session read", "read", "acked", "refused"), flush=True)


def suffer(name, cluster, load):
    """Makes the fault, waits until the service has got over it, undoes it, and waits until all is as before."""
    fault = FAULTS[name](cluster)
    began = time.monotonic()
    with fault:
        time.sleep(STAY)
        load.wait_for_writes(50)
        time.sleep(STAY)
    cluster.wait_until_whole()
    load.wait_for_writes(50)
    figures = {kind: load.since(kind, began) for kind in ("write", "session read", "read")}
    gaps = [f"{gap:.1f}" for _, _, gap in figures.values()]
    print(ROW.format(name, *gaps, figures["write"][0], sum(refused for _, refused, _ in figures.values())), flush=True)
