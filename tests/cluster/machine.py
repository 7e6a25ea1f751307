"""Machines: network namespaces on one bridge, and the servers in them."""

import contextlib
import os
import pathlib
import pwd
import signal
import subprocess
import time

ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
BRIDGE = "machines"
ADDRESSES = {"db1": "10.0.7.11", "db2": "10.0.7.12", "db3": "10.0.7.13", "app1": "10.0.7.21", "app2": "10.0.7.22",
             "front": "10.0.7.31"}
CLIENTS = [f"10.0.7.{number}" for number in range(101, 113)]  # ours


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stderr}{done.stdout}")
    return done.stdout


def until(condition, what, seconds=120):
    """Waits until the condition is true, and returns what it returned."""
    end = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds} s in vain: {what}")
        time.sleep(0.05)
    return result


def make_network(folder):
    """The bridge, with us on it, and the names of all. /run/netns and /etc/hosts are ours alone from here on."""
    os.makedirs("/run/netns", exist_ok=True)
    run("mount", "-t", "tmpfs", "tmpfs", "/run/netns")
    hosts = folder / "hosts"
    hosts.write_text("127.0.0.1 localhost\n" + "".join(f"{at} {name}\n" for name, at in ADDRESSES.items()))
    hosts.chmod(0o644)
    run("mount", "--bind", hosts, "/etc/hosts")
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", BRIDGE, "type", "bridge")
    run("ip", "link", "set", BRIDGE, "up")
    for address in CLIENTS:
        run("ip", "address", "add", f"{address}/24", "dev", BRIDGE)


class Machine:
    """A namespace with an address and a name that all others know."""

    def __init__(self, name, folder):
        self.name, self.address = name, ADDRESSES[name]
        self.folder = folder / name
        self.folder.mkdir(mode=0o755)
        owner = pwd.getpwnam("postgres")
        os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        self.commands, self.servers = {}, {}
        run("ip", "netns", "add", name)
        run("ip", "link", "add", f"to-{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", f"to-{name}", "up")
        self.join()
        for command in ("link set lo up", "link set eth0 up", f"address add {self.address}/24 dev eth0"):
            run("ip", "-n", name, *command.split())

    def cut(self):
        """Nothing comes in or out any more, and nobody is told."""
        run("ip", "link", "set", f"to-{self.name}", "nomaster")

    def join(self):
        run("ip", "link", "set", f"to-{self.name}", "master", BRIDGE)

    def start(self, name, *command, user=None, **environment):
        """Starts a server, and remembers how. The machine that all of it runs on may have more to do: what watches over
        the others comes first, so that a wait for the processor does not look like a fault."""
        self.commands[name] = (command, user, environment)
        words = ["ip", "netns", "exec", self.name, "nice", "-n", "-15" if name in ("etcd", "patroni") else "-5"]
        if user:
            words += ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
        with open(self.folder / f"{name}.log", "ab") as log:
            self.servers[name] = subprocess.Popen(
                [*words, *map(str, command)], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                cwd=self.folder, env=ENVIRONMENT | environment)

    def start_again(self):
        for name in self.commands:
            self.start_server(name)

    def start_server(self, name):
        command, user, environment = self.commands[name]
        self.start(name, *command, user=user, **environment)

    def processes(self):
        return list(map(int, run("ip", "netns", "pids", self.name).split()))

    def send(self, sent):
        """To all that runs here, until there is nothing new: servers may be about to fork."""
        told = set()
        while new := set(self.processes()) - told:
            for pid in new:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, sent)
            told |= new

    def kill_server(self, name):
        self.servers[name].kill()
        self.servers[name].wait()

    def kill(self):
        self.send(signal.SIGKILL)
        until(lambda: not self.processes(), f"{self.name} is dead")

    def freeze(self):
        self.send(signal.SIGSTOP)

    def thaw(self):
        self.send(signal.SIGCONT)

    def path(self, name):
        return pathlib.Path(self.folder / name)

    def write(self, name, text, mode=0o600):
        """A file of the machine's, for its servers alone."""
        path = self.path(name)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        owner = pwd.getpwnam("postgres")
        os.chown(path, owner.pw_uid, owner.pw_gid)
        return path
