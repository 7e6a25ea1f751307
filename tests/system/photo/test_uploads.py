"""Uploads from end to end, as a browser or a phone sends them: what is published, what is refused, and what stays behind."""

import concurrent.futures
import contextlib
import hashlib
import json
import os
import signal
import socket
import subprocess
import urllib.parse

import PIL.Image
import pytest

import decoder
import fastcgi
import multipart
import processes
from drawn import picture
from http_client import lxml_tree
from service import WITH_SANITIZERS, in_background, until

MIB = 1 << 20
WIDE = 3360, 2240  # of noise, some 12 MiB as HEIC
# What exiftool tells that is of no file's metadata; a JPEG has to have JFIF's header.
HARMLESS = {"SourceFile", "ExifTool", "File", "Composite", "JFIF", "RIFF"}


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def phones(tmp_path_factory):
    """A photo as a phone has it, {kind: path}: noise, with all that a camera notes."""
    folder = tmp_path_factory.mktemp("phones")
    noise = PIL.Image.frombytes("RGB", WIDE, os.urandom(3 * WIDE[0] * WIDE[1]))
    noise.resize((160, 107)).save(folder / "small.jpg")
    noise.save(folder / "noise.jpg", quality=95)
    run("vips", "icc_transform", folder / "noise.jpg", folder / "jpeg.jpg[Q=85]", "p3", "--input-profile", "srgb")
    run("exiftool", "-q", "-overwrite_original", "-n", "-EXIF:GPSLatitude=25.033", "-EXIF:GPSLatitudeRef=N",
        "-EXIF:GPSLongitude=121.5654", "-EXIF:GPSLongitudeRef=E", "-EXIF:Make=Phone", "-EXIF:Model=Nine",
        "-EXIF:DateTimeOriginal=2024:02:29 08:00:00", "-EXIF:OffsetTimeOriginal=+08:00", "-XMP:Creator=Somebody",
        "-IPTC:City=Taipei", "-Comment=private", f"-ThumbnailImage<={folder}/small.jpg", folder / "jpeg.jpg")
    run("heif-enc", "-q", "100", "-p", "preset=ultrafast", folder / "jpeg.jpg", "-o", folder / "heic.heic")
    run("exiftool", "-q", "-overwrite_original", "-n", "-EXIF:Orientation=6", folder / "jpeg.jpg")
    assert 11 * MIB < (folder / "heic.heic").stat().st_size < 14 * MIB
    return {"heic": folder / "heic.heic", "jpeg": folder / "jpeg.jpg"}


def curl(service, user, query, *options):
    """What it is told."""
    url = f"http://127.0.0.1:{service.port}/API.php?{query}"
    _, children = lxml_tree(run("curl", "-sS", url, "-b", user.cookie.replace("; ", ";"), *options))
    return dict(children)


def by_form(service, user, path, album):
    texts = "--form-string", "func=addPhoto", "--form-string", f"albumID={album}"
    return curl(service, user, "", *texts, "-F", f"photo=@{path}")


def as_body(service, user, path, album):
    query = f"func=addPhoto&albumID={album}"
    return curl(service, user, query, "-H", "Content-Type: image/heic", "--data-binary", f"@{path}")


def fetch(service, address, user=None):
    headers = [("Cookie", user.cookie)] if user else []
    return service.request(path=urllib.parse.urlsplit(address).path, headers=headers)


def fields_of(album, content):
    return [("func", "addPhoto"), ("albumID", album), ("photo", multipart.File(content))]


def send(service, user, album, content, **how):
    body, media_type = multipart.browser(fields_of(album, content))
    return service.request("POST", "", body, [("Content-Type", media_type), ("Cookie", user.cookie)], **how)


# What is published


def metadata(path):
    """{group: names}, as exiftool finds it."""
    (found,) = json.loads(run("exiftool", "-j", "-G0", "-a", "-u", "-ee", path))
    groups = {}
    for name in found:
        groups.setdefault(name.partition(":")[0], set()).add(name.partition(":")[2])
    return groups


def assert_published(service, tmp_path, address, kind, size):
    answer = fetch(service, address)
    assert answer.http_status == 200
    file = tmp_path / "fetched"
    file.write_bytes(answer.body)
    assert set(metadata(file)) <= HARMLESS
    with PIL.Image.open(file) as image:
        assert (image.format, image.size) == (kind, size)
        assert not {"icc_profile", "exif", "xmp", "comment"} & set(image.info)
        assert kind != "JPEG" or image.info["progressive"]
        assert image.mode == ("RGB" if kind == "JPEG" else "RGBA")


@pytest.mark.parametrize("how", [by_form, as_body])
def test_a_phones_photo(service, alice, album, phones, tmp_path, how):
    answer = how(service, alice, phones["heic"], album)
    assert answer["status"] == "SUCCESS", answer
    assert (answer["width"], answer["height"], answer["takenTime"]) == ("2048", "1365", "1709164800")
    assert [float(text) for _, text in answer["Location"]] == pytest.approx([25.033, 121.5654], abs=1e-5)
    assert_published(service, tmp_path, answer["photoPath"], "JPEG", (2048, 1365))
    assert_published(service, tmp_path, answer["thumbnail"], "JPEG", (480, 320))
    digest = hashlib.sha256(phones["heic"].read_bytes()).hexdigest()
    original = service.settings["photo_directory"] / "originals" / digest[:2] / digest
    assert original.stat().st_size == phones["heic"].stat().st_size


def test_a_photo_is_upright_and_says_nothing(service, alice, album, phones, tmp_path):
    assert {"EXIF", "XMP", "IPTC", "ICC_Profile"} < set(metadata(phones["jpeg"]))
    answer = by_form(service, alice, phones["jpeg"], album)
    assert_published(service, tmp_path, answer["photoPath"], "JPEG", (1365, 2048))
    assert_published(service, tmp_path, answer["thumbnail"], "JPEG", (320, 480))


def test_what_is_transparent(service, alice, album, tmp_path):
    image = tmp_path / "sent.png"
    image.write_bytes(picture(1000, 500, "PNG", "RGBA"))
    notes = "-EXIF:Make=Phone", "-XMP:Creator=Somebody", "-PNG:Comment=private"
    run("exiftool", "-q", "-overwrite_original", *notes, image)
    answer = by_form(service, alice, image, album)
    assert_published(service, tmp_path, answer["photoPath"], "WEBP", (1000, 500))
    assert_published(service, tmp_path, answer["thumbnail"], "WEBP", (480, 240))


# What is refused


def test_a_picture_that_is_a_bomb(service, db, alice, album):
    bomb = decoder.black_png(50_000, 50_000)
    assert len(bomb) < 2 * MIB
    with db.unchanged("session"):
        answer = send(service, alice, album, bomb)
    assert (answer.http_status, answer.info) == (200, "PHOTO TOO LARGE")


@pytest.mark.parametrize("is_form", [True, False])
def test_more_bytes_than_a_photo_may_have(service, db, alice, album, is_form):
    content = picture() + bytes(21 * MIB)
    with db.unchanged("session"):
        if is_form:
            answer = send(service, alice, album, content)
        else:
            headers = [("Content-Type", "image/jpeg"), ("Cookie", alice.cookie)]
            answer = service.request("POST", f"func=addPhoto&albumID={album}", content, headers)
    assert (answer.http_status, answer.info) == (413, "PHOTO TOO LARGE")


# What stays behind


def files_of(service):
    return {path for path in service.settings["photo_directory"].rglob("*") if path.is_file()}


def descriptors(service):
    """How many each process has; of the workers in any order."""
    master = service.daemon.pid
    others = [len(processes.descriptors(pid)) for pid in (master, processes.waiter(master), processes.decoder(master))]
    return [*others, *sorted(len(processes.descriptors(pid)) for pid in processes.workers(master))]


def has_no_more(service, before):
    """Fewer are fine: the decoder may just have been at work."""
    return all(now <= then for now, then in zip(descriptors(service), before, strict=True))


def break_off(service, user, body, media_type, sent):
    variables = {"REQUEST_METHOD": "POST", "CONTENT_TYPE": media_type, "HTTP_COOKIE": user.cookie}
    with fastcgi.connect(service.socket) as connection:
        connection.sendall((fastcgi.opening(body, variables) + fastcgi.stream(fastcgi.STDIN, body))[:sent])


def break_off_before_web_server(service, user, body, media_type, sent):
    head = (f"POST /API.php HTTP/1.1\r\nHost: localhost\r\nContent-Type: {media_type}\r\nCookie: {user.cookie}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode()
    with socket.create_connection(("127.0.0.1", service.port)) as connection:
        connection.sendall((head + body)[:sent])


def test_broken_off(start_service, db, alice, album):
    service = start_service(workers=1)  # a worker opens some files with its first request
    body, media_type = multipart.browser(fields_of(album, picture() + os.urandom(3 * MIB)))
    assert all(send(service, alice, album, picture(kind="GIF", mode="P")).info is None for _ in range(8))
    before, files = descriptors(service), files_of(service)
    with db.unchanged("session"):
        for way in break_off, break_off_before_web_server:
            for sent in 800, 70_000, MIB, 3 * MIB:
                way(service, alice, body, media_type, sent)
        until(lambda: has_no_more(service, before), "nothing is open that was not before")
        # Whoever has sent all of it, and does not wait for the answer.
        for _ in range(3):
            break_off(service, alice, *multipart.browser(fields_of(album, b"no picture")), None)
    until(lambda: has_no_more(service, before), "nothing is open that was not before")
    until(lambda: files_of(service) == files, "no file is left")
    until(lambda: service.metric("spool_bytes") == 0 and service.metric("waiting_connections") == 0, "nothing is left")
    assert send(service, alice, album, picture()).info is None


@pytest.mark.few(1)
@pytest.mark.skipif(WITH_SANITIZERS, reason="sanitizers keep memory of their own")
@pytest.mark.parametrize("how", [by_form, as_body])
def test_a_worker_does_not_grow_with_a_photo(start_service, alice, album, phones, tmp_path, how):
    service = start_service(workers=1)
    (worker,) = processes.workers(service.daemon.pid)
    small = tmp_path / "small"
    small.write_bytes(picture())
    assert how(service, alice, small, album)["status"] == "SUCCESS"
    before = processes.peak_memory(worker)
    assert how(service, alice, phones["heic"], album)["status"] == "SUCCESS"
    assert processes.peak_memory(worker) < before + 1024


# A picture that ends its process


@pytest.mark.few(1)
@pytest.mark.parametrize("how, info", [(signal.SIGKILL, "PHOTO TOO LARGE"), (signal.SIGSEGV, "PHOTO NOT READABLE")])
def test_a_picture_that_ends_its_process(start_service, db, alice, album, how, info):
    """It costs that upload a refusal, and one beside it nothing."""
    service = start_service(workers=8)
    the_decoder = processes.decoder(service.daemon.pid)
    bad = decoder.black_png(9000, 9000, 16, 6)
    with in_background(lambda: send(service, alice, album, bad)) as (first,):
        (picture_process,) = until(lambda: processes.pictures(the_decoder), "it is decoded")
        os.kill(picture_process, signal.SIGSTOP)
        with in_background(lambda: send(service, alice, album, picture())) as (second,):
            if os.cpu_count() > 1:
                concurrent.futures.wait([second], 60)
                assert second.done()
            os.kill(picture_process, how)
            with contextlib.suppress(ProcessLookupError):
                os.kill(picture_process, signal.SIGCONT)
            assert second.result().info is None
        answer = first.result()
    assert (answer.http_status, answer.info) == (200, info)
    assert processes.decoder(service.daemon.pid) == the_decoder
    assert db.value("SELECT count(*) FROM photo WHERE kind = 0 AND number = %s", album) == 1
