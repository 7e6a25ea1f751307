"""What becomes of typed texts and of chosen photos, by the page's own modules in node: 10,000 orders of what authors, networks and
tabs do."""

import shutil

import pytest

from npm import run
from service import TOP


@pytest.fixture(scope="module")
def orders(tmp_path_factory):
    """Plays seeds by a script."""
    folder = tmp_path_factory.mktemp("orders")
    for name in "orders.mjs", "upload_orders.mjs", "random.mjs", "package.json":
        shutil.copy(TOP / "tests/page" / name, folder)
    shutil.copytree(TOP / "www/js", folder / "www/js")
    return lambda *options, script="orders.mjs": run(folder, "node", script, *options).stdout.splitlines()


def test_no_order_loses_a_text(orders):
    assert orders(1, 10_000) == ["10000 orders"]


@pytest.mark.parametrize("without, found", [("--without-versions", "lost"), ("--without-aside", "lost"), ("--without-keys", "wrote twice")])
def test_it_would_be_found(orders, without, found):
    assert any(found in line for line in orders(1, 300, without)[:-1])


def test_no_order_loses_a_photo(orders):
    assert orders(1, 2000, script="upload_orders.mjs") == ["2000 orders"]


@pytest.mark.parametrize("without, found", [("--without-keys", "twice"), ("--without-order", "out of order")])
def test_a_lost_photo_would_be_found(orders, without, found):
    assert any(found in line for line in orders(1, 300, without, script="upload_orders.mjs")[:-1])
