"""A mail server: Postfix in a folder of its own, on the loopback, which keeps what it is sent in a Maildir for each address."""

import contextlib
import email.policy
import os
import pwd
import shutil
import smtplib
import socket
import subprocess
import threading

import pytest

from faults import as_root
from service import AS_ROOT, free_port, until

SERVICES = """
{plain} inet n - n - - smtpd
{tls} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""
SETTINGS = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mta.example
mydestination =
alias_maps =
virtual_mailbox_domains = example.org
virtual_mailbox_base = {folder}/mail
virtual_mailbox_maps = static:all/
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}
virtual_minimum_uid = 1
smtpd_recipient_restrictions = check_recipient_access texthash:{folder}/access, permit
smtpd_relay_restrictions = reject_unauth_destination
smtpd_tls_security_level = {level}
smtpd_tls_cert_file = {folder}/server.pem
smtpd_tls_key_file = {folder}/server.key
smtpd_client_connection_rate_limit = 0
smtpd_client_connection_count_limit = 0
"""


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_certificates(folder):
    """An authority, and what it says of this machine; and another authority that nobody knows."""
    for name in "ca", "other":
        openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
    openssl(folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=mta.example",
            "-keyout", "server.key", "-out", "server.csr")
    (folder / "names").write_text("subjectAltName = IP:127.0.0.1, DNS:localhost\n", encoding="ascii")
    openssl(folder, "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", "names", "-out", "server.pem")


class Postfix:
    def __init__(self, folder):
        self.folder = folder.make("mta")
        self.folder.chmod(0o755)
        self.port, self.tls_port = free_port(), free_port()
        # The delivering agent takes no root as the owner of a mailbox.
        self.owner = pwd.getpwnam("nobody") if AS_ROOT else pwd.getpwuid(os.getuid())
        for name in "queue", "data", "mail", "conf":
            (self.folder / name).mkdir(mode=0o755)
        shutil.copy("/etc/postfix/postfix-files", self.folder / "conf")
        if AS_ROOT:
            os.chown(self.folder / "mail", self.owner.pw_uid, self.owner.pw_gid)
        make_certificates(self.folder)
        services = SERVICES.format(plain=f"127.0.0.1:{self.port}", tls=f"127.0.0.1:{self.tls_port}")
        (self.folder / "conf/master.cf").write_text(services, encoding="ascii")
        self.read = {}
        self.answer({})
        self.configure()
        assert as_root("chown", "postfix", str(self.folder / "data"))
        assert as_root("chown", "-R", "root", str(self.folder / "queue"), str(self.folder / "conf"))

    def configure(self, level="may"):
        text = SETTINGS.format(folder=self.folder, level=level, uid=self.owner.pw_uid, gid=self.owner.pw_gid)
        (self.folder / "main.cf").write_text(text, encoding="ascii")
        assert as_root("install", "-m", "644", str(self.folder / "main.cf"), str(self.folder / "conf"))

    def offer_tls(self, is_offered):
        """From now on, in each process of the server."""
        self.configure("may" if is_offered else "none")
        self.run("reload")
        until(lambda: self.offers_tls() == is_offered, f"that the mail server offers TLS is {is_offered}")

    def offers_tls(self):
        with contextlib.suppress(OSError, smtplib.SMTPException), smtplib.SMTP("127.0.0.1", self.port, timeout=5) as client:
            client.ehlo()
            return client.has_extn("starttls")
        return None

    def run(self, command):
        return as_root("postfix", "-c", str(self.folder / "conf"), command)

    def is_up(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 5) as connection:
            return connection.recv(100).startswith(b"220")
        return False

    def start(self):
        assert self.run("start"), (self.folder / "postfix.log").read_text()
        until(self.is_up, "the mail server starts")
        return self

    def stop(self):
        self.run("stop")

    def remove(self):
        self.run("stop")
        until(lambda: not self.is_up(), "the mail server ends")
        as_root("rm", "-rf", str(self.folder))

    def answer(self, answers, reload=False):
        """{address: what is said to a mail for it}"""
        lines = [f"{address} {answer}\n" for address, answer in answers.items()]
        (self.folder / "access").write_text("".join(lines), encoding="ascii")
        if reload:
            self.run("reload")

    @property
    def address(self):
        return f"smtp://127.0.0.1:{self.port}"

    def mails(self, address):
        """Those that were delivered to it, as Python reads them, the oldest first."""
        found = self.as_owner("find", str(self.folder / "mail"), "-type", "f", "-path", "*/new/*").split()
        for path in map(bytes.decode, found):
            if path not in self.read:
                self.read[path] = email.message_from_bytes(self.as_owner("cat", path), policy=email.policy.default)
        return [mail for path, mail in sorted(self.read.items(), key=lambda item: os.path.basename(item[0]))
                if mail["Delivered-To"] == address]

    @staticmethod
    def as_owner(*command):
        return subprocess.run([*([] if AS_ROOT else ["sudo", "-n"]), *command], capture_output=True).stdout

    def wait(self, address, count=1):
        return until(lambda: (found := self.mails(address)) and len(found) >= count and found, f"{count} mails to {address}")


class Proxy:
    """Before a mail server: passes on what comes, until a rule says to cut. A rule gets what the client has sent."""

    def __init__(self, port, cut):
        self.target, self.cut = port, cut
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.connections = 0
        self.cuts_next = False  # instead of what the server says next
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def address(self):
        return f"smtp://127.0.0.1:{self.port}"

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                self.connections += 1
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, socket.create_connection(("127.0.0.1", self.target)) as server:
            threading.Thread(target=self.pass_back, args=(server, client), daemon=True).start()
            sent = b""
            with contextlib.suppress(OSError):
                while data := client.recv(65536):
                    sent += data
                    if not self.cut(self, sent, server, data):
                        server.sendall(data)
            for end in server, client:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def pass_back(self, server, client):
        with contextlib.suppress(OSError):
            while (data := server.recv(65536)) and not self.cuts_next:
                client.sendall(data)
            self.cuts_next = False
            client.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.listener.close()


@contextlib.contextmanager
def running(folder):
    if not shutil.which("postfix", path="/usr/sbin:/usr/bin"):
        pytest.skip("Postfix is not installed")
    if not as_root("true"):
        pytest.skip("a mail server takes root, or sudo without a password")
    server = Postfix(folder)
    try:
        yield server.start()
    finally:
        server.remove()
