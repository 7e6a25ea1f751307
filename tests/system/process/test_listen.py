"""The socket that mapdiaryd serves: its own, or systemd's; and what it tells systemd."""

import os
import signal
import socket
import stat
import subprocess

import pytest

import fastcgi
from processes import has_all_processes, workers
from service import BUILD, ENVIRONMENT, Process, until


@pytest.fixture
def daemon(folder, service):
    """Starts mapdiaryd without a web server, with a configuration and an environment of its own."""
    started = []

    def start(command=(), environment=(), **settings):
        place = folder.make("l")
        settings = service.settings | {"listen": f"unix:{place}/d.sock", "workers": 2} | settings
        conf = place / "mapdiary.conf"
        conf.write_text("".join(f"{key} = {value}\n" for key, value in settings.items()), encoding="utf-8")
        process = Process([*command, BUILD / "mapdiaryd", "-c", conf], place / "mapdiaryd.log",
                          env=ENVIRONMENT | dict(environment))
        process.log, process.socket = place / "mapdiaryd.log", place / "d.sock"
        started.append(process)
        return process

    yield start
    for process in started:
        process.stop()


def is_healthy(address):
    try:
        return fastcgi.request(address, b"", {"SCRIPT_NAME": "/healthz"}).http_status == 200
    except OSError:
        return False


def test_mode_and_group(daemon):
    group = os.getgroups()[0] if os.getgroups() else os.getgid()
    name = subprocess.run(["getent", "group", str(group)], capture_output=True, text=True, check=True).stdout.split(":")[0]
    process = daemon(listen_mode="0600", listen_group=name)
    until(lambda: is_healthy(process.socket), "it serves")
    found = os.stat(process.socket)
    assert stat.S_IMODE(found.st_mode) == 0o600 and found.st_gid == group


def test_stale_socket_is_replaced(daemon, folder):
    path = folder.make("stale") / "d.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    process = daemon(listen=f"unix:{path}")
    until(lambda: is_healthy(path), "it serves")
    assert "replacing" in process.log.read_text()


def test_live_socket_is_refused(daemon, service):
    process = daemon(listen=service.settings["listen"])
    assert process.popen.wait(60) == 1
    assert "another process serves this socket" in process.log.read_text() or "Address already in use" in process.log.read_text()
    assert service.fastcgi(SCRIPT_NAME="/healthz").http_status == 200


def test_file_in_the_way_is_refused_and_stays(daemon, folder):
    path = folder.make("file") / "d.sock"
    path.write_text("precious")
    process = daemon(listen=f"unix:{path}")
    assert process.popen.wait(60) == 1
    assert path.read_text() == "precious"


@pytest.mark.parametrize("host, family", [("127.0.0.1", socket.AF_INET), ("[::1]", socket.AF_INET6)])
def test_tcp(daemon, host, family):
    with socket.socket(family) as probe:
        probe.bind((host.strip("[]"), 0))
        port = probe.getsockname()[1]
    process = daemon(listen=f"{host}:{port}")
    until(lambda: "ready on" in process.log.read_text(), "it is ready")
    with socket.create_connection((host.strip("[]"), port), timeout=10) as connection:
        connection.sendall(fastcgi.opening(b"", {"SCRIPT_NAME": "/healthz"}) + fastcgi.stream(fastcgi.STDIN, b""))
        assert fastcgi.read(connection).endswith(b"ok\n")


@pytest.mark.parametrize("listen, status, said", [
    ("nowhere", 78, "mapdiary.conf:1: listen"), ("localhost:http", 78, "mapdiary.conf:1: listen"),
    ("127.0.0.1:99999", 78, "mapdiary.conf:1: listen"), ("unix:/no/such/folder/d.sock", 1, "/no/such/folder/d.sock"),
])
def test_address_that_cannot_be(daemon, listen, status, said):
    process = daemon(listen=listen)
    assert process.popen.wait(60) == status
    assert said in process.log.read_text()


# systemd

PASS_SOCKET = ("/bin/sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', "sh")


def test_socket_of_systemd(folder, service):
    """sd_listen_fds(3): the descriptor is 3, and the socket stays when the service goes."""
    path = folder.make("sd") / "given.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(16)
        for _ in range(2):
            process = Process(
                [*PASS_SOCKET, BUILD / "mapdiaryd", "-c", service.conf], path.with_suffix(".log"),
                pass_fds=[3], preexec_fn=lambda: os.dup2(listener.fileno(), 3))
            with fastcgi.connect(path) as connection:
                connection.sendall(fastcgi.opening(b"", {"SCRIPT_NAME": "/healthz"}) + fastcgi.stream(fastcgi.STDIN, b""))
                assert fastcgi.read(connection).endswith(b"ok\n")
            assert process.stop() == 0
            assert path.is_socket()


@pytest.fixture
def notified(folder):
    """NOTIFY_SOCKET of sd_notify(3): what was said so far, and the environment that leads there."""
    path = folder.make("notify") / "notify.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(str(path))
        receiver.setblocking(False)
        said = []

        def hear():
            try:
                while True:
                    said.extend(receiver.recv(4096).decode().splitlines())
            except BlockingIOError:
                return said

        yield hear, {"NOTIFY_SOCKET": str(path)}


def test_ready_reload_stop(daemon, notified):
    hear, environment = notified
    process = daemon(environment=environment)
    until(lambda: "READY=1" in hear(), "READY")
    assert is_healthy(process.socket), "ready, and not connected"
    until(lambda: any(line.startswith("STATUS=2 of 2 workers, ") for line in hear()), "STATUS")
    del hear()[:]
    process.popen.send_signal(signal.SIGHUP)
    until(lambda: "READY=1" in hear(), "READY again")
    assert hear().index("RELOADING=1") < hear().index("READY=1")
    assert any(line.startswith("MONOTONIC_USEC=") for line in hear())
    assert process.stop() == 0
    assert "STOPPING=1" in hear()


@pytest.mark.slow
def test_ready_without_a_database_too(daemon, notified):
    hear, environment = notified
    process = daemon(environment=environment, database="host=/nonexistent")
    until(lambda: "READY=1" in hear(), "READY")
    health = fastcgi.request(process.socket, b"", {"SCRIPT_NAME": "/healthz"})
    assert health.http_status == 503 and b"/nonexistent" in health.body
    until(lambda: any("database: connection to server" in line for line in hear()), "STATUS tells why")


def test_watchdog_is_fed_while_workers_make_progress(daemon, notified):
    hear, environment = notified
    process = daemon(environment=environment | {"WATCHDOG_USEC": "600000"}, workers=1, request_timeout="100ms", io_timeout="60s")
    until(lambda: hear().count("WATCHDOG=1") > 3, "WATCHDOG")
    until(lambda: has_all_processes(process.pid, 1), "all processes have their names")
    (worker,) = workers(process.pid)
    # It stops while it reads a request, which it may do for io_timeout; killing it comes later still.
    process.popen.send_signal(signal.SIGSTOP)
    os.kill(worker, signal.SIGKILL)
    del hear()[:]
    process.popen.send_signal(signal.SIGCONT)
    until(lambda: "WATCHDOG=1" in hear(), "WATCHDOG once there is a worker again")
