"""mapdiary-mail: what is in the outbox goes to a real mail server, whatever happens on the way."""

import contextlib
import email.header
import email.utils
import itertools
import pathlib
import random
import re
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time
import uuid

import psycopg2
import pytest

import postfix
from ctl import ABSENT, REFUSED, done, refused, shown
from postfix import Proxy
from service import BUILD, ENVIRONMENT, TOP, Process, free_port, until

NUMBERS = itertools.count(1)
PASSWORD = "correct horse"


def new_email():
    return f"m{next(NUMBERS)}@example.org"


@pytest.fixture(scope="module")
def mta(folder):
    with postfix.running(folder) as server:
        yield server


class Sender:
    """mapdiary-mail with settings of its own."""

    def __init__(self, folder, postgres, **settings):
        self.folder = folder.make("mail")
        self.conf, self.log = self.folder / "mapdiary.conf", self.folder / "mapdiary-mail.log"
        self.settings = {"mail_database": postgres.dsn("mapdiary_mail", "mapdiary"), "mail_retry": "200ms",
                         "mail_from": "diary@diary.example", "spool_directory": self.folder} | settings
        self.write()
        self.process = None

    def write(self):
        new = self.folder / "new.conf"
        lines = [f"{key} = {value}\n" for key, value in self.settings.items() if value is not None]
        new.write_text("".join(lines), encoding="utf-8")
        new.rename(self.conf)

    def start(self):
        self.process = Process([BUILD / "mapdiary-mail", "-c", self.conf], self.log)
        until(lambda: "ready" in self.log.read_text(), "mapdiary-mail starts")
        return self

    def reload(self, **settings):
        self.settings |= settings
        self.write()
        self.process.popen.send_signal(signal.SIGHUP)

    def stop(self):
        assert self.process.stop() == 0, self.log.read_text()


@pytest.fixture
def start_sender(folder, postgres, service, db):
    """Starts senders; the mails of other tests are gone."""
    db.run("DELETE FROM mail")
    with contextlib.ExitStack() as stack:
        def start(**settings):
            sender = Sender(folder, postgres, **settings).start()
            stack.callback(lambda: sender.process.is_running() and sender.stop())
            return sender

        yield start


def put(db, recipient, subject="A subject", body="A text\n", lifetime="1 hour"):
    """A mail in the outbox; returns its identifier."""
    return db.value("INSERT INTO mail (recipient, subject, body, expires_at) VALUES (%s, %s, %s, now() + %s::interval)"
                    " RETURNING mail_id", recipient, subject, body, lifetime)


def state(db, mail):
    return db.run("SELECT state::text, attempts, reply, body IS NULL FROM mail WHERE mail_id = %s", mail)[0]


def wait_for(db, mail, wanted):
    until(lambda: state(db, mail)[0] == wanted, f"the mail is {wanted}")
    return state(db, mail)


def wait_for_reply(db, mail, part):
    return until(lambda: part in (state(db, mail)[2] or "") and state(db, mail), f"the mail server says {part}")


def does_not_count(db, mail):
    """But while it is made, an attempt does."""
    until(lambda: state(db, mail)[:2] == ("waiting", 0), "the mail waits as if nobody had tried")


def text_of(mail):
    return mail.get_content().replace("\r\n", "\n")


# Arriving.


@pytest.mark.parametrize("language, subject", [("en", "Confirm your address for the map diary"),
                                               ("zh-Hant", "請確認您的地圖日記電子郵件地址")])
def test_from_a_registration_to_a_login(service, db, mta, start_sender, language, subject):
    start_sender(mail_server=mta.address)
    address = new_email()
    service.ok("register", email=address, password=PASSWORD, name="新人", language=language)
    (mail,) = mta.wait(address)
    assert (mail["Subject"], mail["To"], mail["From"]) == (subject, address, "diary@diary.example")
    assert mail["Auto-Submitted"] == "auto-generated" and mail.get_content_type() == "text/plain"
    assert abs(email.utils.parsedate_to_datetime(mail["Date"]).timestamp() - time.time()) < 300
    assert re.fullmatch(r"<[0-9a-f-]{36}@diary\.example>", mail["Message-ID"])
    assert not mail.defects and not any(mail[name].defects for name in ("Subject", "To", "From", "Date"))
    text = text_of(mail)
    token = re.search("^[0-9a-f]{32}$", text, re.M)[0]
    assert f"\n{service.settings['public_url']}/#confirmEmail={token}\n" in text
    wait_for(db, db.value("SELECT max(mail_id) FROM mail"), "sent")
    answer = service.ok("confirmEmail", token=token, password=PASSWORD)
    assert service.ok("login", email=address, password=PASSWORD)["id"] == answer["id"]


def test_a_forgotten_password(service, db, mta, start_sender, new_user):
    start_sender(mail_server=mta.address)
    address = new_email()
    db.run("UPDATE user_account SET email = %s WHERE user_id = %s", address, new_user().id)
    service.ok("requestPasswordReset", email=address)
    token = re.search("^[0-9a-f]{32}$", text_of(mta.wait(address)[0]), re.M)[0]
    service.ok("resetPassword", token=token, password="battery staple")
    service.ok("login", email=address, password="battery staple")


def test_the_text_of_what_was_sent_is_forgotten(db, mta, start_sender):
    start_sender(mail_server=mta.address)
    address = new_email()
    mail = put(db, address, body="a secret\n")
    state_then, attempts, reply, is_forgotten = wait_for(db, mail, "sent")
    assert (attempts, is_forgotten) == (1, True) and reply.startswith("250 ")
    assert "a secret" not in db.value("SELECT m::text FROM mail m WHERE mail_id = %s", mail)


# What a mail server adds, and what is ours.
BY_SERVER = {"return-path", "x-original-to", "delivered-to", "received"}
HEADERS = """auto-submitted content-transfer-encoding content-type date from message-id mime-version subject to""".split()


def random_text(dice, length, line_ends):
    pools = ["abc =?_", "字圖日記", "é ñ ü", "🗺🏔", "=?UTF-8?B?", "\t .", "'\"\\<>,;:@", *(["\n", "\n\n.\n"] if line_ends else [])]
    return "".join(dice.choice(dice.choice(pools)) for _ in range(length)) or "x"


def test_what_python_reads_is_what_was_written(db, mta, start_sender):
    """Subjects and texts of all kinds, and lines that a mail server could take for its own."""
    start_sender(mail_server=mta.address)
    dice = random.Random(20)
    texts = [("plain", "plain\n"), ("x" * 255, "x" * 998 + "\n"), ("字" * 255, "字" * 3000), ("=?UTF-8?Q?no?=", ".\n..\n.x\n"),
             ("a" * 60, "y" * 999 + "\n"), ("a" * 61, "From me\n>From you\n"), ("x 🗺" * 60, "\n\n\n"), ("é", "no line end"),
             (" blanks ", "  \n\t\n"), ("a\tb", "tab\t\n"), ("Bcc: x@example.org", "Bcc: x@example.org\n\nx\n")]
    texts += [(random_text(dice, dice.randint(1, 200), False), random_text(dice, dice.randint(1, 2000), True)) for _ in range(40)]
    written = {new_email(): (subject, body) for subject, body in texts}
    for address, (subject, body) in written.items():
        put(db, address, subject, body)
    for address, (subject, body) in written.items():
        (mail,) = mta.wait(address)
        assert mail["Subject"] == subject and mail["To"] == address
        assert text_of(mail).rstrip("\n") == body.rstrip("\n")
        names = [name.lower() for name in mail.keys()]
        assert sorted(set(names) - BY_SERVER) == HEADERS and names.count("subject") == names.count("to") == 1
        assert all(len(line) <= 998 for line in mail.as_bytes().splitlines())


@pytest.mark.parametrize("recipient", [
    "no address", "a@example.org,b@example.org", "a@example.org b@example.org", "字@example.org", "a@example.org>", "<a@example.org",
    "a@example.org\tBcc: b@example.org", "a@b@example.org", "x" * 243 + "@example.org", "(a)b@example.org"])
def test_who_has_no_address_gets_no_mail(db, mta, start_sender, recipient):
    start_sender(mail_server=mta.address)
    mail = put(db, recipient)
    assert wait_for(db, mail, "failed")[2] == "no address that a mail can have"
    assert mta.mails("b@example.org") == []


# TLS, and names.


def test_certificates_are_checked(db, mta, start_sender):
    address = new_email()
    mail = put(db, address)
    sender = start_sender(mail_server=mta.address, mail_tls="always", mail_ca_file=mta.folder / "other.pem")
    wait_for_reply(db, mail, "certificate")
    does_not_count(db, mail)
    assert mta.mails(address) == []
    sender.reload(mail_ca_file=mta.folder / "ca.pem")
    wait_for(db, mail, "sent")
    assert "ESMTPS" in mta.wait(address)[0]["Received"]


def test_tls_from_the_start(db, mta, start_sender):
    address = new_email()
    mail = put(db, address)
    sender = start_sender(mail_server=f"smtps://127.0.0.1:{mta.tls_port}", mail_ca_file=mta.folder / "other.pem")
    wait_for_reply(db, mail, "certificate")
    sender.reload(mail_ca_file=mta.folder / "ca.pem", mail_server=f"smtps://localhost:{mta.tls_port}")
    wait_for(db, mail, "sent")
    assert "ESMTPS" in mta.wait(address)[0]["Received"]


def test_a_server_without_tls_gets_nothing_where_it_is_asked_for(db, mta, start_sender):
    address = new_email()
    mta.offer_tls(False)
    try:
        mail = put(db, address)
        sender = start_sender(mail_server=mta.address, mail_tls="always", mail_ca_file=mta.folder / "ca.pem")
        wait_for_reply(db, mail, "STARTTLS")
        assert mta.mails(address) == []
        sender.reload(mail_tls="auto")  # on this machine it does without
        wait_for(db, mail, "sent")
    finally:
        mta.offer_tls(True)


@pytest.fixture
def server_with_names(mta):
    """A server that takes mails from one name alone, over TLS alone."""
    controller = pytest.importorskip("aiosmtpd.controller")
    AuthResult = pytest.importorskip("aiosmtpd.smtp").AuthResult

    got = []

    class Handler:
        async def handle_DATA(self, server, session, envelope):
            got.append((session.auth_data, envelope.rcpt_tos, envelope.content))
            return "250 taken"

    def authenticate(server, session, envelope, mechanism, data):
        good = (data.login, data.password) == (b"diary", b"secret of the diary")
        return AuthResult(success=good, handled=False, auth_data=data.login)

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(mta.folder / "server.pem", mta.folder / "server.key")
    server = controller.Controller(Handler(), hostname="127.0.0.1", port=0, tls_context=context, require_starttls=True,
                                   auth_required=True, authenticator=authenticate, ready_timeout=60)
    with contextlib.suppress(OSError):
        server.start()
    server.got = got
    server.port = server.server.sockets[0].getsockname()[1]
    yield server
    server.stop()


def test_a_name_and_a_password(db, mta, server_with_names, start_sender, tmp_path):
    address = new_email()
    mail = put(db, address)
    credentials = tmp_path / "credentials"
    credentials.write_text("diary\nwrong\n", encoding="ascii")
    settings = {"mail_server": f"smtp://localhost:{server_with_names.port}", "mail_tls": "always",
                "mail_ca_file": mta.folder / "ca.pem"}
    sender = start_sender(**settings, mail_credentials=credentials)
    wait_for_reply(db, mail, "535")
    does_not_count(db, mail)
    assert server_with_names.got == []
    credentials.write_text("diary\nsecret of the diary\n", encoding="ascii")
    sender.reload()
    wait_for(db, mail, "sent")
    assert [(name, recipients) for name, recipients, _ in server_with_names.got] == [(b"diary", [address])]
    assert "secret of" not in sender.log.read_text() and "wrong" not in sender.log.read_text()


# What a server refuses.


@pytest.mark.slow
def test_not_now(db, mta, start_sender):
    address = new_email()
    mta.answer({address: "450 4.2.0 come back later"}, reload=True)
    start_sender(mail_server=mta.address)
    mail = put(db, address)
    tried = "SELECT attempts >= 3 AND taken_until IS NULL FROM mail WHERE mail_id = %s"  # a third attempt still under way could succeed
    until(lambda: db.value(tried, mail), "it is tried again")
    identifier = db.value("SELECT message_id::text FROM mail WHERE mail_id = %s", mail)
    state_then, attempts, reply, is_forgotten = state(db, mail)
    assert (state_then, is_forgotten) == ("waiting", False) and "come back later" in reply
    mta.answer({}, reload=True)
    assert wait_for(db, mail, "sent")[1] > 3
    (arrived,) = mta.wait(address)
    assert arrived["Message-ID"] == f"<{identifier}@diary.example>"


@pytest.mark.parametrize("taken", ["NULL", "next_at"])
def test_a_clock_that_was_ahead_puts_off_no_mail(db, mta, start_sender, taken):
    """Neither an attempt of a day ahead, nor the lease of a sender."""
    address = new_email()
    mail = put(db, address, lifetime="3 days")
    db.run("UPDATE mail SET next_at = now() + interval '1 day' WHERE mail_id = %s", mail)
    db.run(f"UPDATE mail SET taken_until = {taken} WHERE mail_id = %s", mail)
    start_sender(mail_server=mta.address)
    wait_for(db, mail, "sent")
    mta.wait(address)


def test_never(service, db, mta, start_sender):
    address = new_email()
    mta.answer({address: "550 5.1.1 nobody here has that name"}, reload=True)
    sender = start_sender(mail_server=mta.address)
    mail, other = put(db, address), put(db, new_email())
    state_then, attempts, reply, is_forgotten = wait_for(db, mail, "failed")
    assert (attempts, is_forgotten) == (1, False) and "550 5.1.1" in reply and "nobody here has that name" in reply
    wait_for(db, other, "sent")
    log = sender.log.read_text()
    assert f"mail {mail}: failed: 550 5.1.1\n" in log and f"mail {other}: sent: 250 2.0.0\n" in log and address not in log
    (listed,) = shown(service, "mail", "list", "--state", "failed")
    assert (listed["mail"], listed["recipient"], listed["reply"]) == (mail, address, reply)
    assert shown(service, "mail", "show", mail)["text"] == "A text\n"
    assert done(service, "mail", "show", mail).endswith("\nsubject: A subject\ntext:\n  A text\n")
    mta.answer({}, reload=True)
    done(service, "mail", "retry", mail)
    wait_for(db, mail, "sent")
    assert "the mail was sent or has expired" in refused(service, REFUSED, "mail", "retry", mail)
    assert refused(service, ABSENT, "mail", "retry", 2**60)
    assert shown(service, "mail", "show", mail)["text"] is None


@pytest.mark.few(1)
@pytest.mark.parametrize("said, counts", [
    ("554 5.7.1 relay access denied", True), ("530 5.7.0 authentication required", False)])
def test_who_may_not_send_there_waits(db, mta, start_sender, said, counts):
    """It is the configuration that is to be changed, and then all mails go."""
    address = new_email()
    mta.answer({address: said}, reload=True)
    try:
        start_sender(mail_server=mta.address)
        mail = put(db, address)
        assert wait_for_reply(db, mail, said[-8:])[0] == "waiting"
        if counts:
            until(lambda: state(db, mail)[1] >= 2, "attempts count")
        else:
            does_not_count(db, mail)
    finally:
        mta.answer({}, reload=True)
    wait_for(db, mail, "sent")


def test_what_has_expired_is_not_sent(service, db, mta, start_sender):
    address = new_email()
    mail = put(db, address, lifetime="-1 second")
    start_sender(mail_server=mta.address)
    assert wait_for(db, mail, "failed")[2].startswith("expired; ")
    until(lambda: state(db, mail)[3], "its text is forgotten")
    refused(service, REFUSED, "mail", "retry", mail)
    assert mta.mails(address) == []


# A server that is away, slow, or cut off.


def test_a_server_that_is_away_delays_mail_and_nothing_else(service, db, mta, start_sender, bob):
    start_sender(mail_server=mta.address)
    mta.stop()
    try:
        addresses = [new_email() for _ in range(5)]
        for address in addresses:
            service.ok("register", email=address, password=PASSWORD, name="x")
        service.ok("getMe", user=bob)
        first = db.value("SELECT min(mail_id) FROM mail")
        wait_for_reply(db, first, "onnect")
        assert db.value("SELECT count(*) FROM mail WHERE state = 'waiting' AND attempts = 0") >= 4
    finally:
        mta.start()
    for address in addresses:
        assert len(mta.wait(address)) == 1


def test_cut_in_the_middle(db, mta, start_sender):
    """Twice within the text: it arrives once."""
    def cut(proxy, sent, server, data):
        if proxy.connections <= 2 and b"\r\nDATA\r\n" in sent and len(sent) > 3000:
            raise OSError
        return False

    proxy = Proxy(mta.port, cut)
    address = new_email()
    start_sender(mail_server=proxy.address)
    mail = put(db, address, body=200 * "A line of this text.\n")
    assert wait_for(db, mail, "sent")[1] == 3
    assert len(mta.wait(address)) == 1 and proxy.connections == 3
    proxy.close()


def test_cut_before_the_last_word(db, mta, start_sender):
    """Nobody knows whether the server has taken it: it is sent again, as the same mail."""
    def cut(proxy, sent, server, data):
        if proxy.connections == 1 and sent.endswith(b"\r\n.\r\n"):
            proxy.cuts_next = True
        return False

    proxy = Proxy(mta.port, cut)
    address = new_email()
    start_sender(mail_server=proxy.address)
    mail = put(db, address)
    wait_for(db, mail, "sent")
    assert len({each["Message-ID"] for each in mta.wait(address, 2)}) == 1
    proxy.close()


def test_slow(db, mta, start_sender, service, bob):
    """Each word takes its time; meanwhile others are answered, and whoever ends the sender waits for the mail."""
    def cut(proxy, sent, server, data):
        time.sleep(0.5)
        return False

    proxy = Proxy(mta.port, cut)
    sender = start_sender(mail_server=proxy.address)
    mail = put(db, new_email())
    until(lambda: proxy.connections, "the mail is on its way")
    service.ok("getMe", user=bob)
    sender.stop()
    assert state(db, mail)[0] == "sent"
    proxy.close()


@pytest.mark.slow
@pytest.mark.parametrize("word", [b"EHLO", b"RCPT", b"DATA", b"\r\n.\r\n"])
def test_a_server_that_falls_silent(db, mta, start_sender, word):
    """After a minute at most it is given up, and tried again."""
    proxy = Proxy(mta.port, lambda proxy, sent, server, data: proxy.connections == 1 and word in sent)
    start_sender(mail_server=proxy.address)
    mail = put(db, new_email())
    until(lambda: state(db, mail)[0] == "sent", "it is sent with another connection", seconds=150)
    assert proxy.connections == 2
    proxy.close()


def test_a_server_that_says_nothing_to_quit(db, mta, start_sender):
    """The mail is taken by then: nobody waits for what is said at the end."""
    proxy = Proxy(mta.port, lambda proxy, sent, server, data: b"\r\nQUIT" in sent)
    start_sender(mail_server=proxy.address)
    mails = [put(db, new_email()) for _ in range(2)]
    for mail in mails:
        state_then, attempts, reply, is_forgotten = wait_for(db, mail, "sent")
        assert attempts == 1 and reply.startswith("250 ")
    assert proxy.connections == 2
    proxy.close()


# Senders.


def test_senders_share_the_work(db, mta, start_sender):
    senders = [start_sender(mail_server=mta.address) for _ in range(3)]
    addresses = []

    def send_some():
        addresses.extend(new_email() for _ in range(60))
        for mail in [put(db, address) for address in addresses[-60:]]:
            assert wait_for(db, mail, "sent")[1] == 1
        return all(": sent: " in sender.log.read_text() for sender in senders)

    until(send_some, "each has sent some, be one of them slow", seconds=120)
    for address in addresses:
        assert len(mta.wait(address)) == 1


def test_what_expires_keeps_nobody_busy(db, mta, start_sender, tmp_path):
    """It is due until the outbox is swept; the sender, which writes its metrics each time that it has looked, waits."""
    path, changes = tmp_path / "metrics.prom", set()
    start_sender(mail_server=mta.address, mail_metrics=path)
    wait_for(db, put(db, new_email()), "sent")
    put(db, new_email(), lifetime="-1 second")
    mail = db.value("INSERT INTO mail (recipient, body, subject, expires_at, next_at) VALUES (%s, 'x', 'x', now() + interval '1 hour',"
                    " now() + interval '2 seconds') RETURNING mail_id", new_email())
    until(lambda: changes.add(path.stat().st_mtime_ns) or state(db, mail)[0] == "sent", "a mail is sent later")
    assert len(changes) < 20


def loops(path, seconds=3):
    """How often the sender looks at what there is to do: each time it writes its metrics."""
    changes, end = set(), time.monotonic() + seconds
    while time.monotonic() < end:
        changes.add(path.stat().st_mtime_ns)
        time.sleep(0.001)
    return len(changes)


def put_later(db, recipient):
    """A mail that is due in some seconds; returns its identifier."""
    return db.value("INSERT INTO mail (recipient, subject, body, expires_at, next_at) VALUES (%s, 'x', 'x', now() + interval '1 hour',"
                    " now() + interval '3 seconds') RETURNING mail_id", recipient)


@pytest.mark.slow
def test_a_mail_that_is_locked_keeps_nobody_busy(db, connect_owner, mta, start_sender, tmp_path):
    path, other = tmp_path / "metrics.prom", connect_owner()
    start_sender(mail_server=mta.address, mail_metrics=path)
    wait_for(db, put(db, new_email()), "sent")
    mail = put_later(db, new_email())
    other.run("BEGIN")
    other.run("SELECT FROM mail WHERE mail_id = %s FOR UPDATE", mail)
    until(lambda: db.value("SELECT next_at < now() FROM mail WHERE mail_id = %s", mail), "it is due")
    assert loops(path) < 60
    other.run("COMMIT")
    wait_for(db, mail, "sent")


@pytest.mark.slow
def test_a_mail_that_is_due_keeps_nobody_busy_without_a_database(postgres, db, mta, start_sender, tmp_path):
    path = tmp_path / "metrics.prom"
    start_sender(mail_server=mta.address, mail_metrics=path)
    mail = put_later(db, new_email())
    until(lambda: path.exists() and "mapdiary_mails_waiting 1\n" in path.read_text(), "the sender has seen it")
    postgres.run("ALTER ROLE mapdiary_mail CONNECTION LIMIT 0")
    try:
        postgres.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'mapdiary_mail'")
        until(lambda: db.value("SELECT next_at < now() FROM mail WHERE mail_id = %s", mail), "it is due")
        assert loops(path) < 60
    finally:
        postgres.run("ALTER ROLE mapdiary_mail CONNECTION LIMIT -1")
    wait_for(db, mail, "sent")


def test_a_mail_is_sent_at_once(postgres, db, mta, start_sender):
    """Its writer wakes the sender, which looks by itself each 30 seconds."""
    start_sender(mail_server=mta.address)
    idle = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'mapdiary_mail' AND state = 'idle'"
    until(lambda: postgres.value(idle), "it waits")
    for _ in range(3):
        mail = put(db, new_email())
        until(lambda: state(db, mail)[0] == "sent", "it is sent", seconds=20)


def test_a_sender_that_dies_leaves_its_mail_to_others(db, mta, start_sender):
    def cut(proxy, sent, server, data):
        time.sleep(30 if proxy.connections == 1 else 0)
        return False

    proxy = Proxy(mta.port, cut)
    sender = start_sender(mail_server=proxy.address)
    address = new_email()
    mail = put(db, address)
    until(lambda: proxy.connections, "the mail is on its way")
    sender.process.popen.kill()
    sender.process.popen.wait()
    start_sender(mail_server=mta.address)
    assert state(db, mail)[0] == "waiting" and db.value("SELECT next_at > now() + '5 minutes' FROM mail WHERE mail_id = %s", mail)
    db.run("UPDATE mail SET next_at = now() WHERE mail_id = %s", mail)
    put(db, new_email())
    wait_for(db, mail, "sent")
    assert len(mta.wait(address)) == 1
    proxy.close()


def test_the_database_goes_and_comes(postgres, db, mta, start_sender):
    sender = start_sender(mail_server=mta.address)
    until(lambda: db.value("SELECT count(*) FROM pg_stat_activity WHERE usename = 'mapdiary_mail'"), "it is connected")
    for _ in range(3):
        postgres.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'mapdiary_mail'")
        wait_for(db, put(db, new_email()), "sent")
    assert sender.process.is_running()


def test_a_reload_with_a_fault_changes_nothing(db, mta, start_sender):
    sender = start_sender(mail_server=mta.address)
    for fault in ({"mail_server": "http://localhost"}, {"mail_server": "smtp://"}, {"mail_tls": "maybe"},
                  {"mail_credentials": "/nowhere"}):
        before = dict(sender.settings)
        sender.reload(**fault)
        until(lambda: next(iter(fault)) in sender.log.read_text() or "/nowhere" in sender.log.read_text(), "it complains")
        sender.settings = before
    wait_for(db, put(db, new_email()), "sent")
    sender.write()


class Held:
    """Before a mail server: lets the end of the first mail through when it is told so."""

    def __init__(self, mta):
        self.may_go, self.has_come = threading.Event(), threading.Event()
        self.proxy = Proxy(mta.port, self.hold)

    def hold(self, proxy, sent, server, data):
        if proxy.connections == 1 and sent.endswith(b"\r\n.\r\n"):
            self.has_come.set()
            self.may_go.wait(120)
        return False

    def close(self):
        self.may_go.set()
        self.proxy.close()


@pytest.fixture
def held(mta):
    with contextlib.closing(Held(mta)) as held:
        yield held


def test_a_reload_forgets_nothing_that_is_not_noted(postgres, db, mta, start_sender, held):
    """The database goes while the server takes the mail, and the configuration is read before it is back."""
    sender, address = start_sender(mail_server=held.proxy.address), new_email()
    mail = put(db, address)
    assert held.has_come.wait(60)
    postgres.run("ALTER ROLE mapdiary_mail CONNECTION LIMIT 0")
    try:
        postgres.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'mapdiary_mail'")
        held.may_go.set()
        until(lambda: ": sent: " in sender.log.read_text(), "the server has taken it")
        sender.reload()
        until(lambda: "reloaded" in sender.log.read_text(), "it is reloaded")
        assert state(db, mail)[0] == "waiting"
    finally:
        postgres.run("ALTER ROLE mapdiary_mail CONNECTION LIMIT -1")
    assert wait_for(db, mail, "sent")[1] == 1
    assert len(mta.wait(address)) == 1 and held.proxy.connections == 1


def ask_for_reload(sender):
    return subprocess.Popen([BUILD / "mapdiary-mail", "--reload", str(sender.process.pid)], env=ENVIRONMENT)


def test_a_reload_ends_when_the_sender_has_the_new_settings(db, mta, start_sender, held):
    """systemctl reload waits for the mail that the sender is at; a fault is its exit status."""
    sender, address = start_sender(mail_server=held.proxy.address), new_email()
    assert ask_for_reload(sender).wait(60) == 0
    assert sender.log.read_text().count("reloaded") == 1
    mail = put(db, address)
    assert held.has_come.wait(60)
    asked = ask_for_reload(sender)
    until(lambda: pending_signals(sender), "the sender has been asked")
    assert asked.poll() is None
    held.may_go.set()
    assert asked.wait(60) == 0
    assert sender.log.read_text().count("reloaded") == 2
    wait_for(db, mail, "sent")
    sender.settings["mail_server"] = "nowhere"
    sender.write()
    assert ask_for_reload(sender).wait(60) == 1
    assert sender.log.read_text().count("reloaded") == 2
    for wrong in "1", "x", "0", "-7":
        assert subprocess.run([BUILD / "mapdiary-mail", "--reload", wrong], env=ENVIRONMENT, capture_output=True).returncode == 64


def pending_signals(sender):
    """Whether a signal waits that the sender has blocked."""
    status = pathlib.Path(f"/proc/{sender.process.pid}/status").read_text(encoding="ascii")
    return int(re.search(r"^ShdPnd:\s*(\w+)", status, re.MULTILINE)[1], 16) != 0


def test_what_a_sender_is_at_is_left_to_it(service, db, mta, start_sender, held):
    address = new_email()
    start_sender(mail_server=held.proxy.address)
    mail = put(db, address)
    assert held.has_come.wait(60)
    start_sender(mail_server=mta.address)
    done(service, "mail", "retry", mail)
    wait_for(db, put(db, new_email()), "sent")
    assert state(db, mail)[:2] == ("waiting", 1)
    held.may_go.set()
    assert wait_for(db, mail, "sent")[1] == 1
    assert len(mta.wait(address)) == 1 and held.proxy.connections == 1


def test_what_its_role_may(postgres, db):
    with contextlib.closing(postgres.connect("mapdiary_mail", "mapdiary")) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM mapdiary.mail")
        forbidden = [f"SELECT * FROM mapdiary.{table}" for table in ("user_account", "account_token", "session", "blog")]
        for statement in *forbidden, "INSERT INTO mapdiary.mail (recipient, expires_at) VALUES ('x', now())":
            with pytest.raises(psycopg2.errors.InsufficientPrivilege):
                cursor.execute(statement)


def test_it_calls_nothing_that_runs_as_the_owner(postgres, db):
    calls = db.column("SELECT format('SELECT mapdiary.%I(%s)', proname, (SELECT string_agg('NULL::' || type::regtype, ', ')"
                      " FROM unnest(proargtypes::oid[]) AS type)) FROM pg_proc"
                      " WHERE pronamespace = 'mapdiary'::regnamespace AND prosecdef AND prorettype <> 'trigger'::regtype")
    assert {"SELECT mapdiary.withdraw_comment(NULL::bigint, NULL::bigint)", "SELECT mapdiary.recount()"} <= set(calls)
    with contextlib.closing(postgres.connect("mapdiary_mail", "mapdiary")) as connection, connection.cursor() as cursor:
        for call in calls:
            with pytest.raises(psycopg2.errors.InsufficientPrivilege, match="permission denied for function"):
                cursor.execute(call)

# The doctor asks.


def mail_server_of(service):
    """What the doctor finds of it: state, finding, advice."""
    ran = service.ctl("doctor", "--url", f"http://127.0.0.1:{service.port}/API.php")
    rows = [line.split("\t")[1:] for line in ran.stdout.splitlines() if line.startswith("mail server\t")]
    return rows[0] if rows else None


def test_the_doctor_asks_the_sender(service, db, mta, server_with_names, start_sender, tmp_path):
    """Which has a name and a password that the doctor may not read."""
    credentials = tmp_path / "credentials"
    credentials.write_text("diary\nwrong\n")
    sender = start_sender(mail_server=f"smtp://localhost:{server_with_names.port}", mail_credentials=credentials, mail_tls="always",
                          mail_ca_file=mta.folder / "ca.pem")
    finding, advice = failed(mail_server_of(service))
    assert "535" in finding and "mail.credentials" in advice and advice.endswith("sudo systemctl restart mapdiary-mail")
    mail = put(db, new_email())
    wait_for_reply(db, mail, "535")
    credentials.write_text("diary\nsecret of the diary\n")
    sender.reload()
    until(lambda: mail_server_of(service)[0] == "ok", "the doctor is content")
    wait_for(db, mail, "sent")


def failed(row):
    assert row[0] == "FAILED", row
    return row[1:]


@pytest.mark.slow
def test_the_doctor_finds_no_sender(service, start_sender):
    finding, advice = failed(mail_server_of(service))
    assert "no mapdiary-mail answers" in finding and "sudo systemctl restart mapdiary-mail" in advice


def test_the_doctor_finds_no_mail_server(service, start_sender):
    start_sender(mail_server=f"smtp://127.0.0.1:{free_port()}")
    finding, _ = failed(mail_server_of(service))
    assert "Connection refused" in finding or "connect" in finding


def test_without_a_need_the_doctor_does_not_ask(start_service, start_sender):
    assert mail_server_of(start_service(registration="closed")) is None


def test_a_server_that_lets_in_ends_a_pause(service, db, mta, start_sender):
    """As when somebody has mended it and asks the doctor: the next mail goes out at once."""
    closed = True

    def cut(proxy, sent, server, data):
        if closed:
            server.shutdown(socket.SHUT_RDWR)
        return closed

    start_sender(mail_server=Proxy(mta.port, cut).address, mail_retry="1h")
    mail = put(db, new_email())
    until(lambda: state(db, mail)[2], "the mail server hangs up")
    closed = False
    assert mail_server_of(service)[0] == "ok"
    wait_for(db, put(db, new_email()), "sent")


def test_metrics(db, mta, start_sender, tmp_path):
    path = tmp_path / "metrics.prom"
    mta.answer({"never@example.org": "550 5.1.1 no"}, reload=True)
    start_sender(mail_server=mta.address, mail_metrics=path)
    wait_for(db, put(db, "never@example.org"), "failed")
    wait_for(db, put(db, new_email()), "sent")
    for line in 'mails_total{outcome="sent"} 1', 'mails_total{outcome="failed"} 1', "mails_waiting 0", "mail_server_away 0":
        until(lambda: f"\nmapdiary_{line}\n" in path.read_text(), line)
    mta.answer({}, reload=True)


# Its words.


def run(*arguments):
    return subprocess.run([BUILD / "mapdiary-mail", *arguments], capture_output=True, text=True, env=ENVIRONMENT, timeout=20)


def test_help_version_and_wrong_calls():
    assert re.fullmatch(r"mapdiary-mail \d+\.\d+\.\d+\n", run("--version").stdout)
    assert run("-h").stdout.startswith("usage: mapdiary-mail ")
    for wrong in ["--nonsense"], ["x"], ["-c"]:
        ran = run(*wrong)
        assert (ran.returncode, ran.stdout) == (64, "") and "usage: " in ran.stderr


@pytest.mark.parametrize("line, good", [
    ("", True), ("mail_server = smtps://mx.example:465", True), ("mail_server = smtp://[::1]:25", True),
    ("mail_server = ftp://x", False), ("mail_server = smtp://a b", False), ("mail_server = smtp://x/y", False),
    ("mail_server = smtp://u:p@x", False), ("mail_server = smtp://x:123456", False), ("mail_from = nobody", False),
    ("mail_credentials = /nowhere", False), ("mail_ca_file = /nowhere", False), ("mail_database = nonsense", False)])
def test_a_configuration_is_checked(tmp_path, line, good):
    (tmp_path / "m.conf").write_text(line + "\n", encoding="utf-8")
    ran = run("-t", "-c", str(tmp_path / "m.conf"))
    assert (ran.returncode == 0) == good and (ran.stderr == "") == good


def test_message_identifiers_are_random(db):
    mails = [put(db, "x@example.org") for _ in range(2)]
    one, other = map(uuid.UUID, db.column("SELECT message_id::text FROM mail WHERE mail_id = ANY (%s)", mails))
    assert one != other and one.version == 4
    db.run("DELETE FROM mail")


@pytest.mark.parametrize("name", [
    "", "Ann's diary", "=?x?= (c) <b>, \"d\" e@f", "\\", 61 * "x", 100 * "日記", "🐈 " + 250 * "é", "\u202eTab\there"],
    ids=lambda name: name[:12])
def test_the_site_is_named_as_the_sender(db, mta, start_sender, name):
    start_sender(mail_server=mta.address, site_name=name)
    address = new_email()
    put(db, address)
    (mail,) = mta.wait(address)
    assert not mail["From"].defects
    # The parser of headers puts a blank between encoded words.
    words, sender = email.utils.parseaddr(dict(mail.raw_items())["From"])
    assert (str(email.header.make_header(email.header.decode_header(words))), sender) == (name, "diary@diary.example")


# Texts.


def spoil(place, file, change):
    path = place / file
    path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize("file, change, complaint", [
    ("en/reset-password", lambda text: text.replace(b"{token}", b"{toke}"), "in braces"),
    ("en/reset-password", lambda text: text.replace(b"{token}", b"").replace(b"{link}", b""), "neither {link} nor {token}"),
    ("en/account-exists", lambda text: text + b"{token}", "what is in braces is not {site}"),
    ("en/report-upheld", lambda text: text + b"{title}", "what is in braces is none of {site}, {thing}"),
    ("en/hidden", lambda text: re.sub(b"{[a-z]+}", b"", text), "there is nothing of the decision: {title}, {thing}"),
    ("en/confirm-account", lambda text: text.replace(b"Subject", b"Betreff"), "not 'Subject: ...'"),
    ("en/confirm-account", lambda text: text.replace(b"\n\n", b"\n"), "not 'Subject: ...'"),
    ("en/confirm-account", lambda text: text.replace(b"Subject: ", b"Subject: {site} "), "the subject is not"),
    ("en/confirm-account", lambda text: text.replace(b"Subject: ", b"Subject: " + 151 * b"x"), "the subject is not"),
    ("zh-Hant/confirm-account", lambda text: text + b"\xff", "no text in UTF-8"),
    ("zh-Hant/confirm-account", lambda text: text + b"\0", "no text in UTF-8"),
    ("zh-Hant/address-changes", lambda text: text + 501 * b"x", "more than 500 bytes"),
    ("zh-Hant/address-changes", lambda text: text + 21000 * b"x\n", "more than 20000 bytes"),
])
def test_a_text_that_is_wrong(tmp_path, file, change, complaint):
    texts, conf = tmp_path / "texts", tmp_path / "m.conf"
    shutil.copytree(TOP / "conf/mail", texts)
    conf.write_text(f"mail_directory = {texts}\nspool_directory = {tmp_path}\nphoto_directory = {tmp_path}/photos\n", encoding="utf-8")

    def said():
        return subprocess.run([BUILD / "mapdiaryd", "-t", "--offline", "-c", conf], capture_output=True, text=True, env=ENVIRONMENT,
                              timeout=20)

    assert (said().returncode, said().stderr) == (0, "")
    spoil(texts, file, lambda text: text.replace(b"\n", b"\r\n"))  # as some editors write it
    assert said().returncode == 0
    spoil(texts, file, lambda text: change(text.replace(b"\r\n", b"\n")))
    assert f"{file}: " in said().stderr and complaint in said().stderr and said().returncode == 78
    (texts / file).unlink()
    assert "No such file" in said().stderr and said().returncode == 78


def test_a_language_without_texts_is_told(tmp_path):
    conf = tmp_path / "m.conf"
    conf.write_text(f"mail_directory = {TOP / 'conf/mail'}\nmail_language = de\nspool_directory = {tmp_path}\n"
                    f"photo_directory = {tmp_path}/photos\n", encoding="utf-8")
    said = subprocess.run([BUILD / "mapdiaryd", "-t", "--offline", "-c", conf], capture_output=True, text=True, env=ENVIRONMENT,
                          timeout=20)
    assert said.returncode == 0 and "mail_language: " in said.stderr and "no folder 'de', so mails are in 'en'" in said.stderr


def test_a_language_is_a_folder(service, start_service, db, tmp_path):
    """With all of its texts; what an editor leaves there is none."""
    shutil.copytree(TOP / "conf/mail", tmp_path / "texts")
    shutil.copytree(TOP / "conf/mail/en", tmp_path / "texts/x-Test")
    (tmp_path / "texts/en~").mkdir()
    spoil(tmp_path / "texts", "x-Test/confirm-account", lambda text: text.replace(b"Somebody", b"{site}: somebody"))
    tmp_path.chmod(0o755)
    other, address = start_service(registration="open", mail_directory=tmp_path / "texts"), new_email()
    other.ok("register", email=address, password=PASSWORD, name="x", language="x-Test")
    (text,) = db.column("SELECT body FROM mail WHERE recipient = %s", address)
    assert text.startswith(f"{other.settings['public_url']}: somebody has asked")
    assert service.call("register", email=address, password=PASSWORD, name="x", language="x-Test").info == "INVALID PARAMETER: language"


def test_without_texts_others_are_served(start_service, bob, tmp_path):
    other = start_service(registration="open", mail_directory=tmp_path / "nowhere")
    proof = {"password": PASSWORD}
    calls = {"register": {"email": new_email(), "name": "x"} | proof, "requestPasswordReset": {"email": "a@b"},
             "resetPassword": {"token": 32 * "0"} | proof, "changePassword": {"newPassword": PASSWORD} | proof}
    for func, params in calls.items():
        answer = other.call(func, user=bob, **params)
        assert (answer.http_status, answer.info) == (503, "SERVICE UNAVAILABLE")
    other.ok("getMe", user=bob)
