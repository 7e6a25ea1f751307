"""Programs that are built from source without flags of a package are hardened as the package's are."""

import subprocess

import pytest

from service import BUILD

PROGRAMS = ["mapdiaryd", "mapdiary-decoder", "mapdiary-mail", "mapdiaryctl"]


def told(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(params=PROGRAMS)
def program(request):
    path = BUILD / request.param
    if "__asan_init" in told("nm", path):
        pytest.skip("sanitizers check more than these flags do")
    return path


def test_addresses_are_bound_and_read_only(program):
    assert "GNU_RELRO" in told("readelf", "--wide", "--segments", program)
    assert "BIND_NOW" in told("readelf", "--dynamic", program)


def test_lengths_are_checked():
    assert "_asan_init" in told("nm", BUILD / "mapdiaryd") or "__snprintf_chk" in told("nm", "--dynamic", BUILD / "mapdiaryd")
