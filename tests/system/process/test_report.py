"""What the doctor finds wrong is mailed to the operator: by the mail server alone, whatever else is away."""

import subprocess

import pytest

import postfix
from service import BUILD, ENVIRONMENT, free_port

OPERATOR = "operator@example.org"


@pytest.fixture(scope="module")
def mta(folder):
    with postfix.running(folder) as server:
        yield server


@pytest.fixture
def report(tmp_path):
    """Hands a text in; the database is nowhere."""
    def run(text, **settings):
        settings = {"database": "host=/nowhere", "mail_from": "diary@diary.example", "doctor_mail": OPERATOR} | settings
        conf = tmp_path / "report.conf"
        conf.write_text("".join(f"{key} = {value}\n" for key, value in settings.items()), encoding="utf-8")
        return subprocess.run([BUILD / "mapdiary-mail", "-c", conf, "--report"], input=text, capture_output=True, text=True,
                              env=ENVIRONMENT, timeout=60)
    return run


def test_it_comes_to_the_operator(report, mta):
    ran = report("database\tFAILED\tno 資料庫\tsudo systemctl restart postgresql\n", mail_server=mta.address,
                 public_url="https://diary.example", site_name='A "small" \\ diary')
    assert (ran.returncode, ran.stderr) == (0, "")
    (mail,) = mta.wait(OPERATOR)
    assert mail["Subject"] == "https://diary.example: something is wrong"
    (sender,) = mail["From"].addresses
    assert (sender.display_name, sender.addr_spec) == ('A "small" \\ diary', "diary@diary.example") and not mail["From"].defects
    assert mail.get_content().replace("\r\n", "\n") == "database\n    FAILED\n    no 資料庫\n    sudo systemctl restart postgresql\n"


def test_a_long_report_is_cut(report, mta):
    many = "x\tFAILED\t" + 1000 * "long " + "\n"
    assert report(100 * many, mail_server=mta.address, doctor_mail="long@example.org").returncode == 0
    (mail,) = mta.wait("long@example.org")
    assert 60_000 < len(mail.get_content()) < 75_000


def test_without_a_mail_server(report):
    ran = report("database\tFAILED\n", mail_server=f"smtp://127.0.0.1:{free_port()}")
    assert ran.returncode == 75 and f"the report to {OPERATOR}" in ran.stderr


def test_without_an_operator_the_journal_has_it(report):
    ran = report("database\tFAILED\tit is away\n", doctor_mail="")
    assert ran.returncode == 0 and "it is away" in ran.stderr


def test_without_a_report(report, mta):
    ran = report("", mail_server=mta.address)
    assert ran.returncode == 66


@pytest.mark.parametrize("address", ["operator", "a@b\tc", "a@example.org, b@example.org"])
def test_an_address_that_is_none(report, address):
    ran = report("x\n", doctor_mail=address)
    assert ran.returncode == 78 and "doctor_mail: no email address" in ran.stderr
