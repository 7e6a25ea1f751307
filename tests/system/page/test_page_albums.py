"""Albums and their photos in the page, and what becomes of them where the network fails in the middle."""

import os

import PIL.Image
import pytest
from selenium.webdriver.common.by import By

import drawn
from decoder import black_png
from service import until


def make_album(page):
    page.go("#album-edit", ready="[name=albumTitle]")
    page.type("[name=albumTitle]", "Harbour")
    page.tap_map(0.4, 0.6)
    page.click(".form-end button[type=submit]")
    page.find(".drop")
    return int(page.address.removeprefix("#album="))


def choose_files(page, *paths):
    page.driver.find_element(By.ID, "photo-files").send_keys("\n".join(map(str, paths)))


@pytest.fixture
def photos(folder):
    """Three files."""
    here = folder.make("files")
    paths = [here / f"{name}.jpg" for name in ("one", "two", "three")]
    for path, width in zip(paths, (300, 320, 340)):
        path.write_bytes(drawn.picture(width, 200))
    return paths


def positions(db, album):
    return db.column("SELECT width FROM photo WHERE kind = 0 AND number = %s ORDER BY position", album)


def test_an_album_with_photos(page, author, photos, db):
    album = make_album(page)
    choose_files(page, *photos)
    until(lambda: len(page.all(".photos li")) == 3, "the photos are there", 60)
    assert positions(db, album) == [300, 320, 340]
    page.click(".order summary")
    page.click(".sorter-row:nth-child(3) [data-move='-1']")
    until(lambda: positions(db, album) == [300, 340, 320], "the third is the second")
    page.click(".sorter-row:nth-child(2) [aria-label^='Make it the cover']")
    until(lambda: db.value("SELECT cover_photo_id FROM album WHERE number = %s", album), "there is a cover")
    page.click(".sorter-row:nth-child(1) [aria-label^='Describe']")
    page.type(".dialog textarea", "港口\n的早上")
    page.click(".dialog button[type=submit]")
    until(
        lambda: "港口" in db.value("SELECT description FROM photo WHERE kind = 0 AND number = %s AND position = 1", album),
        "it is described",
    )
    assert page.console() == []


@pytest.mark.slow
def test_photos_are_dropped_there(page, author, photos, db):
    album = make_album(page)
    page.drop(".drop", *photos)
    until(lambda: len(page.all(".photos li")) == 3, "the photos are there", 60)
    assert positions(db, album) == [300, 320, 340]


@pytest.mark.slow
def test_an_album_is_changed_and_deleted(page, author, photos, db):
    album = make_album(page)
    choose_files(page, photos[0])
    until(lambda: positions(db, album) == [300], "the photo is there", 60)
    page.go(f"#album-edit={album}", ready="[name=albumTitle]")
    page.type("[name=albumTitle]", "碼頭")
    page.unfold()
    page.click("[data-field=visibility] .choice", "Only me")
    page.click(".form-end button[type=submit]")
    page.find(".piece h1", "碼頭")
    page.find(".badge", "Only me")
    page.go(f"#user={author.id}", ready=".album-list")
    page.click(".album-list a", "碼頭")
    page.run("window.confirm = () => true")
    page.click(".actions .danger")
    until(lambda: page.address == f"#user={author.id}", "the way leads back")
    assert db.value("SELECT count(*) FROM album WHERE number = %s", album) == 0


@pytest.mark.slow
def test_an_upload_that_is_cut_in_the_middle(page, new_user, lossy, folder, db):
    user = new_user()
    page.begin(f"http://127.0.0.1:{lossy.port}")
    page.become(user)
    album = make_album(page)
    path = folder.make("files") / "large.png"
    PIL.Image.frombytes("RGB", (500, 400), os.urandom(3 * 500 * 400)).save(path)
    lossy.cutting = 1
    choose_files(page, path)
    until(lambda: positions(db, album) == [500], "the photo is there", 60)
    assert lossy.cutting == 0
    until(lambda: len(page.all(".photos li")) == 1, "and shown")
    page.console()


def test_why_a_photo_is_refused(page, author, folder):
    """Each stays in the list, with what is the matter."""
    make_album(page)
    files = folder.make("files")
    reasons = {"text.jpg": (b"no picture", "no picture that can be read"), "cut.jpg": (drawn.picture()[:-500], "its end is missing"),
               "sensor.dng": (b"II*\0" + bytes(1000), "RAW file"), "long.jpg": (drawn.picture() + bytes(21 << 20), "too large"),
               "wide.png": (black_png(10001, 10000), "too large")}
    for name, (content, _) in reasons.items():
        (files / name).write_bytes(content)
    choose_files(page, *(files / name for name in reasons))
    until(lambda: len(page.all(".upload.failed")) == len(reasons), "all are refused", 60)
    for row, (name, (_, reason)) in zip(page.all(".upload.failed"), reasons.items(), strict=True):
        until(lambda row=row, reason=reason: reason in row.text, f"the reason of {name} is told")
        assert name in row.text
        assert not row.find_element(By.CSS_SELECTOR, "[aria-label='Try again']").is_displayed()


@pytest.mark.slow
def test_an_upload_whose_answer_was_lost_is_one_photo(page, new_user, lossy, photos, db):
    user = new_user()
    page.begin(f"http://127.0.0.1:{lossy.port}")
    page.become(user)
    album = make_album(page)
    lossy.losing = 1
    choose_files(page, photos[0], photos[1])
    until(lambda: len(page.all(".photos li")) == 2, "the photos are there", 60)
    assert lossy.losing == 0 and positions(db, album) == [300, 320]
    page.console()
