"""Instructions of a worker for a request, counted by callgrind: what a profile of time cannot do, the same twice."""

import random
import re
import urllib.parse

import work
from world import fastcgi


def ask(diary, operation):
    chance = random.Random(operation.name)
    for _ in range(operation.counted):
        user, parameters = operation.parameters(chance, diary.size)
        form = urllib.parse.urlencode({"func": operation.func} | parameters)
        variables = {"HTTP_COOKIE": f"id={user}; idrand={work.token(user)[0]}"} if user else {}
        if operation.writes:
            variables |= {"REQUEST_METHOD": "POST", "CONTENT_TYPE": "application/x-www-form-urlencoded"}
            answer = fastcgi.request(diary.socket, form.encode(), variables)
        else:
            answer = fastcgi.request(diary.socket, b"", variables | {"QUERY_STRING": form})
        assert b"<status>SUCCESS</status>" in answer.body, answer.body


def per_request(diary, operation):
    """Of exchange_run() and all that it calls: from the request that was taken in to the answer that libfcgi has."""
    files = diary.folder / operation.name
    files.mkdir()
    diary.start(["valgrind", "--tool=callgrind", "--toggle-collect=exchange_run", f"--callgrind-out-file={files}/%p"])
    # Else the first request would wait for the database, and connect.
    diary.wait_connected()
    ask(diary, operation)
    diary.stop()
    counts = (re.search(r"^(?:totals|summary): (\d+)", file.read_text(errors="replace"), re.MULTILINE)
              for file in files.iterdir())
    return sum(int(count[1]) for count in counts) // operation.counted
