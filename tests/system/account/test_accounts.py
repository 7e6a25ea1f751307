"""Accounts: who registers, proves an address, comes back after forgetting, changes what is his, and leaves."""

import dataclasses
import itertools
import re

import pytest

import samples
from http_client import FORM, encode
from processes import workers
from service import at_once, in_background, until
from test_login import set_cookies

PASSWORD, OTHER = "correct horse", "battery staple"
NUMBERS = itertools.count(1)


def new_email():
    return f"newcomer{next(NUMBERS)}@example.org"


def registration(email, **changed):
    return {"email": email, "password": PASSWORD, "name": "新人"} | changed


class Outbox:
    """The mails that wait to be sent."""

    def __init__(self, db):
        self.db = db

    def texts(self, email):
        return self.db.column("SELECT body FROM mail WHERE recipient = %s ORDER BY mail_id", email)

    def subjects(self, email):
        return self.db.column("SELECT subject FROM mail WHERE recipient = %s ORDER BY mail_id", email)

    def token(self, email):
        """That of the latest mail."""
        return re.search(r"^([0-9a-f]{32})$", self.texts(email)[-1], re.M)[1]


@pytest.fixture
def outbox(db):
    return Outbox(db)


@pytest.fixture
def register(service, outbox):
    """Registers somebody; returns the address and the token that it was mailed."""
    def register(email=None, **changed):
        email = email or new_email()
        assert service.ok("register", **registration(email, **changed)).names == []
        return email, outbox.token(email)

    return register


@pytest.fixture
def newcomer(service, register):
    """Somebody with an account of his own making."""
    def make(**changed):
        email, token = register(**changed)
        answer = service.ok("confirmEmail", token=token, password=changed.get("password", PASSWORD))
        return samples.User(int(answer["id"]), email, PASSWORD, "新人", "", answer["idrand"])

    return make


def user_id(db, email):
    return (db.column("SELECT user_id FROM user_account WHERE lower(email) = lower(%s)", email) or [None])[0]


# Registering.


def test_register_and_confirm(service, db, register):
    email, token = register(language="zh-Hant")
    assert user_id(db, email) is None
    assert service.call("login", email=email, password=PASSWORD).info == "PASSWORD INCORRECT"
    answer = service.ok("confirmEmail", token=token, password=PASSWORD)
    assert answer.names == ["id", "idrand"]
    assert answer["id"] == str(user_id(db, email))
    usual = {"HttpOnly", "SameSite=Lax", "Path=/", f"Max-Age={30 * 86400}"}
    assert set_cookies(answer) == {"id": (answer["id"], usual), "idrand": (answer["idrand"], usual)}
    me = service.ok("getMe", cookie=f"id={answer['id']}; idrand={answer['idrand']}")
    assert (me["email"], me["name"]) == (email, "新人")
    assert service.ok("login", email=email.upper(), password=PASSWORD)["id"] == answer["id"]
    assert service.call("confirmEmail", token=token, password=PASSWORD).info == "TOKEN INVALID"


def test_the_database_holds_hashes_of_tokens(db, register):
    email, token = register()
    rows = db.column("SELECT t::text FROM account_token t WHERE email = %s", email)
    assert len(rows) == 1 and token not in rows[0] and PASSWORD not in rows[0]


def test_confirming_takes_the_password_of_the_registration(service, db, register):
    email, token = register()
    for wrong in OTHER, PASSWORD + "x", "x":
        assert service.call("confirmEmail", token=token, password=wrong).info == "PASSWORD INCORRECT"
    assert user_id(db, email) is None
    service.ok("confirmEmail", token=token, password=PASSWORD)


def test_several_registrations_wait_and_the_first_confirmed_ends_the_others(service, db, register):
    email, first = register(password=OTHER)
    _, second = register(email.upper(), name="second")
    _, third = register(email, name="third")
    answer = service.ok("confirmEmail", token=second, password=PASSWORD)
    assert db.run("SELECT user_id, name FROM user_account WHERE lower(email) = lower(%s)", email) == [
        (int(answer["id"]), "second")]
    assert service.call("confirmEmail", token=first, password=OTHER).info == "TOKEN INVALID"
    assert service.call("confirmEmail", token=third, password=PASSWORD).info == "TOKEN INVALID"


def test_side_by_side_a_token_is_good_once(service, db, register):
    email, token = register()
    answers = at_once(*[lambda: service.call("confirmEmail", token=token, password=PASSWORD)] * 4)
    assert sorted(str(answer.info) for answer in answers) == ["None"] + 3 * ["TOKEN INVALID"]
    assert user_id(db, email)


@pytest.mark.parametrize("purpose, statement, holds", [
    ("registration", "SELECT confirm_email(%s)", "INSERT INTO user_account (email, name, password_hash) VALUES (%s, 'x', '')"),
    ("password", "SELECT reset_password(%s, 'x')", "SELECT FROM user_account WHERE email = %s FOR UPDATE")])
def test_tokens_that_end_with_each_other_are_locked_in_one_order(service, db, connect_owner, register, newcomer, purpose, statement, holds):
    """One of them is good, the other one is not; neither waits for what the other one has."""
    email = new_email() if purpose == "registration" else newcomer().email
    for _ in range(2):
        register(email) if purpose == "registration" else service.ok("requestPasswordReset", email=email)
    tokens = db.column("SELECT t.token_hash FROM account_token t LEFT JOIN user_account u USING (user_id)"
                       " WHERE coalesce(u.email, t.email) = %s", email)
    holder, users = connect_owner(), [connect_owner() for _ in tokens]
    holder.run("BEGIN")
    holder.run(holds, email)
    with in_background(*[lambda user=user, token=token: user.run(statement, token) for user, token in zip(users, tokens)]) as used:
        try:
            until(lambda: db.waiting("mapdiary_owner") == len(tokens) == 2, "both wait")
        finally:
            holder.run("ROLLBACK")
        faults = [future.exception() for future in used]
    assert sorted(fault.pgcode for fault in faults if fault) == ["MD007"]


@pytest.mark.parametrize("token", ["x", 32 * "0", 31 * "0", 33 * "0", "地" * 32, "token"])
def test_no_token(service, db, token):
    with db.unchanged():
        assert service.call("confirmEmail", token=token, password=PASSWORD).info == "TOKEN INVALID"
        assert service.call("resetPassword", token=token, password=PASSWORD).info == "TOKEN INVALID"


def test_tokens_expire(service, db, register, newcomer, outbox):
    _, token = register()
    user = newcomer()
    service.ok("requestPasswordReset", email=user.email)
    reset = outbox.token(user.email)
    left = dict(db.run("SELECT purpose::text, extract(epoch FROM max(expires_at) - now())::integer FROM account_token"
                       " GROUP BY 1"))
    assert 86300 < left["registration"] <= 86400 and 3500 < left["password"] <= 3600
    db.run("UPDATE account_token SET expires_at = now()")
    assert service.call("confirmEmail", token=token, password=PASSWORD).info == "TOKEN INVALID"
    assert service.call("resetPassword", token=reset, password=OTHER).info == "TOKEN INVALID"


def test_a_token_is_good_for_one_thing(service, register, newcomer, outbox):
    _, token = register()
    assert service.call("resetPassword", token=token, password=OTHER).info == "TOKEN INVALID"
    user = newcomer()
    service.ok("requestPasswordReset", email=user.email)
    assert service.call("confirmEmail", token=outbox.token(user.email), password=PASSWORD).info == "TOKEN INVALID"


def without_chance(answer):
    return answer.http_status, answer.body, [header for header in answer.headers if header[0] not in ("date", "x-request-id")]


def test_nobody_learns_who_has_an_account(service, db, newcomer, outbox):
    known, disabled, unknown = newcomer(), newcomer(), new_email()
    db.run("UPDATE user_account SET disabled = true WHERE user_id = %s", disabled.id)
    emails = [known.email, known.email.upper(), disabled.email, unknown]
    answers = [service.call("register", **registration(email)) for email in emails]
    answers += [service.call("requestPasswordReset", email=email) for email in emails]
    asker = newcomer()
    answers += [service.call("changeEmail", user=asker, password=PASSWORD, email=email) for email in emails]
    assert len({str(without_chance(answer)) for answer in answers}) == 1 and answers[0].info is None
    assert outbox.subjects(known.email)[1:] == [
        "Your address has an account of the map diary", "A new password for the map diary",
        "A new password for the map diary", "Your address has an account of the map diary"]
    assert outbox.subjects(disabled.email)[1:] == []
    assert outbox.subjects(unknown) == [
        "Confirm your address for the map diary", "Confirm your new address for the map diary"]
    assert len(outbox.subjects(asker.email)) == 1 + len(emails)


def test_the_same_work_is_done_for_all(start_service, newcomer):
    """Each takes the memory of a hash at the configured cost, and its wait."""
    from processes import peak_memory

    user = newcomer()
    for func, email in itertools.product(["register", "requestPasswordReset"], [user.email, new_email()]):
        other = start_service(workers=1, password_memory=100)
        other.call("getUserAlbumList", userID=1)
        (worker,) = workers(other.daemon.pid)
        assert peak_memory(worker) < 100 << 10
        other.ok(func, **(registration(email) if func == "register" else {"email": email}))
        assert peak_memory(worker) > 100 << 10


@pytest.mark.parametrize("password, info", [
    ("seven77", "PASSWORD TOO WEAK"), ("12345678", "PASSWORD TOO WEAK"), ("Password", "PASSWORD TOO WEAK"),
    ("sunshine", "PASSWORD TOO WEAK"), ("字字", "PASSWORD TOO WEAK"), ("字字字", None), (1024 * "x", None),
    (1025 * "x", "INVALID PARAMETER: {}"), (400 * "字", "INVALID PARAMETER: {}"), (" 8 bytes", None),
])
def test_which_passwords_may_be_chosen(service, db, newcomer, outbox, password, info):
    user = newcomer()
    service.ok("requestPasswordReset", email=user.email)
    token = outbox.token(user.email)
    calls = [("register", "password", registration(new_email(), password=password)),
             ("changePassword", "newPassword", {"password": PASSWORD, "newPassword": password}),
             ("resetPassword", "password", {"token": token, "password": password})]
    for func, name, params in calls:
        if func == "resetPassword" and info is None:
            service.ok("requestPasswordReset", email=user.email)
            params["token"] = outbox.token(user.email)
        answer = service.call(func, user=None if func == "register" else user, **params)
        assert answer.info == (info and info.format(name))
    if info:
        service.ok("resetPassword", token=token, password=OTHER)
        user.password = OTHER
    else:
        user.password = password
    service.ok("login", email=user.email, password=user.password)


@pytest.mark.parametrize("email", ["", "x", "@", "a@", "@b", "a@b@c", "a b@c", "a@b,c@d", "a@b\r\nBcc: x@y", "a@b\n", "字@b", "a@b;c",
                                   "<a@b>", "a(b)@c", "a\"b@c", 250 * "x" + "@b.cd"])
def test_no_email(service, db, email):
    before = db.value("SELECT count(*) FROM mail")
    for func, params in ("register", registration(email)), ("requestPasswordReset", {"email": email}):
        assert service.call(func, **params).info in ("INVALID PARAMETER: email", "MALFORMED REQUEST")
    assert db.value("SELECT count(*) FROM mail") == before


@pytest.mark.parametrize("language", ["de", "../en", "EN", "zh", "en "])
def test_a_language_that_there_is_not(service, language):
    assert service.call("register", **registration(new_email(), language=language)).info == "INVALID PARAMETER: language"


def test_mails_are_in_the_language_of_the_registration(service, newcomer, outbox):
    user = newcomer(language="zh-Hant")
    service.ok("requestPasswordReset", email=user.email)
    service.ok("register", **registration(user.email, language="en"))
    assert outbox.subjects(user.email) == ["請確認您的地圖日記電子郵件地址", "設定地圖日記的新密碼", "您的電子郵件地址已有地圖日記帳號"]


def test_what_a_mail_says(service, register, outbox):
    """The address of public_url, whatever host the request named; nothing that somebody typed; the token behind #."""
    email = new_email()
    body = encode({"func": "register"} | registration(email, name="Bargains at evil.example"))
    answer = service.fastcgi(body.encode(), REQUEST_METHOD="POST", CONTENT_TYPE=FORM, HTTP_HOST="evil.example",
                             HTTP_X_FORWARDED_HOST="evil.example", SERVER_NAME="evil.example")
    assert answer.info is None
    (text,) = outbox.texts(email)
    assert "evil" not in text and email not in text
    assert f"\n{service.settings['public_url']}/#confirmEmail={outbox.token(email)}\n" in text


# Who may register.


def test_registration_is_closed_as_shipped(start_service):
    service = start_service(registration=None)
    for params in registration(new_email()), {}, {"email": "x"}:
        assert service.call("register", **params).info == "REGISTRATION CLOSED"
    assert service.call("requestPasswordReset").info == "MISSING PARAMETER: email"


def invite(service, *options):
    invited = service.ctl("user", "invite", *options)
    assert invited.returncode == 0, invited.stderr
    return re.fullmatch(r"invitation=([0-9a-f]{32})\n", invited.stdout)[1]


@pytest.fixture
def inviting(start_service):
    return start_service(registration="invited")


def test_invitations(inviting, db, outbox):
    invitation, email, late = invite(inviting), new_email(), new_email()
    assert inviting.call("register", **registration(email)).info == "MISSING PARAMETER: invitation"
    for wrong in 32 * "0", "x":
        assert inviting.call("register", **registration(email, invitation=wrong)).info == "TOKEN INVALID"
    for each in email, late:
        inviting.ok("register", **registration(each, invitation=invitation))
    first, second = outbox.token(email), outbox.token(late)
    inviting.ok("confirmEmail", token=first, password=PASSWORD)
    assert inviting.call("confirmEmail", token=second, password=PASSWORD).info == "TOKEN INVALID"
    assert user_id(db, late) is None
    assert inviting.call("register", **registration(late, invitation=invitation)).info == "TOKEN INVALID"


def test_invitations_expire(inviting, db):
    invitation = invite(inviting, "--lifetime", "1h")
    (left,) = db.column("SELECT extract(epoch FROM max(expires_at) - now())::integer FROM invitation"
                        " WHERE expires_at < now() + interval '2 hours'")
    assert 3500 < left <= 3600
    db.run("UPDATE invitation SET created_at = now() - interval '2 hours', expires_at = now()")
    assert inviting.call("register", **registration(new_email(), invitation=invitation)).info == "TOKEN INVALID"


# Coming back.


def test_reset_a_password(service, db, newcomer, outbox):
    user = newcomer()
    elsewhere = service.ok("login", email=user.email, password=PASSWORD)
    service.ok("requestPasswordReset", email=user.email.upper())
    service.ok("requestPasswordReset", email=user.email)
    token = outbox.token(user.email)
    answer = service.ok("resetPassword", token=token, password=OTHER)
    assert answer.names == ["id", "idrand"] and answer["id"] == str(user.id)
    assert {name: value for name, (value, _) in set_cookies(answer).items()} == {"id": answer["id"], "idrand": answer["idrand"]}
    assert service.call("getMe", user=user).info == "LOGIN REQUIRED"
    assert service.call("getMe", cookie=f"id={user.id}; idrand={elsewhere['idrand']}").info == "LOGIN REQUIRED"
    service.ok("getMe", cookie=f"id={user.id}; idrand={answer['idrand']}")
    assert service.call("login", email=user.email, password=PASSWORD).info == "PASSWORD INCORRECT"
    service.ok("login", email=user.email, password=OTHER)
    # All tokens end, this one and those of before.
    assert db.value("SELECT count(*) FROM account_token WHERE user_id = %s", user.id) == 0
    assert service.call("resetPassword", token=token, password=PASSWORD).info == "TOKEN INVALID"
    # The owner hears once that there is another password.
    assert outbox.subjects(user.email)[3:] == ["Your account of the map diary has another password"]


def test_a_disabled_user_comes_back_by_no_token(service, db, newcomer, outbox):
    user = newcomer()
    service.ok("requestPasswordReset", email=user.email)
    service.ok("changeEmail", user=user, password=PASSWORD, email=new_email())
    db.run("UPDATE user_account SET disabled = true WHERE user_id = %s", user.id)
    tokens = [re.search("^[0-9a-f]{32}$", text, re.M) for text in db.column("SELECT body FROM mail WHERE user_id = %s", user.id)]
    for token in filter(None, tokens):
        assert service.call("resetPassword", token=token[0], password=OTHER).info == "TOKEN INVALID"
        assert service.call("confirmEmail", token=token[0], password=PASSWORD).info == "TOKEN INVALID"


@pytest.mark.parametrize("commands, text", [
    ([("passwd",)], OTHER + "\n"), ([("update", "--email", "moved@example.org")], None), ([("disable",), ("enable",)], None)])
def test_what_an_operator_changes_voids_what_was_mailed(service, db, newcomer, outbox, commands, text):
    user, email = newcomer(), new_email()
    service.ok("requestPasswordReset", email=user.email)
    service.ok("changeEmail", user=user, password=PASSWORD, email=email)
    tokens = outbox.token(email), re.search("^[0-9a-f]{32}$", outbox.texts(user.email)[-2], re.M)[0]
    for name, *options in commands:
        assert service.ctl("user", name, user.id, *options, text=text).returncode == 0
    assert db.value("SELECT count(*) FROM account_token WHERE user_id = %s", user.id) == 0
    for token in tokens:
        assert service.call("resetPassword", token=token, password=OTHER).info == "TOKEN INVALID"
        assert service.call("confirmEmail", token=token, password=PASSWORD).info == "TOKEN INVALID"


def test_disabled_users_get_no_mail_that_waits(service, db, newcomer):
    user = newcomer()
    service.ok("requestPasswordReset", email=user.email)
    db.run("UPDATE mail SET state = 'sent', ended_at = now() WHERE user_id = %s AND body NOT LIKE '%%resetPassword%%'", user.id)
    assert service.ctl("user", "disable", user.id).returncode == 0
    assert db.column("SELECT state::text FROM mail WHERE user_id = %s", user.id) == ["sent"]


# Changing.


def test_change_a_password(service, db, newcomer, outbox):
    user = newcomer()
    db.run("UPDATE user_account SET language = 'zh-Hant' WHERE user_id = %s", user.id)
    elsewhere = dataclasses.replace(user, token=service.ok("login", email=user.email, password=PASSWORD)["idrand"])
    assert service.call("changePassword", user=user, password=OTHER, newPassword=OTHER).info == "PASSWORD INCORRECT"
    service.ok("getMe", user=elsewhere)
    assert outbox.subjects(user.email)[1:] == []
    assert service.ok("changePassword", user=user, password=PASSWORD, newPassword=OTHER).names == []
    service.ok("getMe", user=user)
    assert service.call("getMe", user=elsewhere).info == "LOGIN REQUIRED"
    assert service.call("login", email=user.email, password=PASSWORD).info == "PASSWORD INCORRECT"
    service.ok("login", email=user.email, password=OTHER)
    assert outbox.subjects(user.email)[1:] == ["您的地圖日記帳號密碼已變更"]
    assert service.settings["public_url"] in outbox.texts(user.email)[-1]


def test_many_new_passwords_fill_no_outbox(service, db, newcomer, outbox):
    user, passwords = newcomer(), [PASSWORD, OTHER]
    for _ in range(6):
        service.ok("changePassword", user=user, password=passwords[0], newPassword=passwords[1])
        passwords.reverse()
    assert len(outbox.subjects(user.email)[1:]) == 3
    db.run("UPDATE mail SET created_at = now() - interval '61 minutes' WHERE user_id = %s", user.id)
    service.ok("changePassword", user=user, password=passwords[0], newPassword=passwords[1])
    assert len(outbox.subjects(user.email)[1:]) == 4


def test_change_an_address(service, db, newcomer, outbox):
    user, email = newcomer(), new_email()
    assert service.call("changeEmail", user=user, password=OTHER, email=email).info == "PASSWORD INCORRECT"
    assert outbox.texts(email) == []
    service.ok("changeEmail", user=user, password=PASSWORD, email=email)
    assert outbox.subjects(user.email)[1:] == ["Your account of the map diary is to have another address"]
    assert outbox.token(email) not in outbox.texts(user.email)[-1]
    assert service.ok("getMe", user=user)["email"] == user.email
    assert service.call("confirmEmail", token=outbox.token(email), password=OTHER).info == "PASSWORD INCORRECT"
    answer = service.ok("confirmEmail", token=outbox.token(email), password=PASSWORD)
    assert answer["id"] == str(user.id)
    assert service.ok("getMe", user=user)["email"] == email
    assert service.call("login", email=user.email, password=PASSWORD).info == "PASSWORD INCORRECT"
    service.ok("login", email=email, password=PASSWORD)
    service.ok("register", **registration(user.email))  # which is nobody's now
    service.ok("confirmEmail", token=outbox.token(user.email), password=PASSWORD)


def test_an_address_that_is_taken_meanwhile(service, db, newcomer, register, outbox):
    user, (email, theirs) = newcomer(), register()
    service.ok("changeEmail", user=user, password=PASSWORD, email=email)
    token = outbox.token(email)
    service.ok("confirmEmail", token=theirs, password=PASSWORD)
    assert service.call("confirmEmail", token=token, password=PASSWORD).info == "TOKEN INVALID"
    assert service.ok("getMe", user=user)["email"] == user.email


def test_another_spelling_of_the_same_address(service, newcomer, outbox):
    user = newcomer()
    service.ok("changeEmail", user=user, password=PASSWORD, email=user.email.upper())
    service.ok("confirmEmail", token=outbox.token(user.email.upper()), password=PASSWORD)
    assert service.ok("getMe", user=user)["email"] == user.email.upper()


# Showing.


def test_what_others_see_of_a_user(service, db, newcomer, bob):
    user = newcomer()
    blog = service.ok("postBlog", user=user, **samples.BLOG)["blogID"]
    service.ok("postBlog", user=user, **samples.BLOG | samples.date_params(samples.today(days=400)))
    service.ok("addAlbum", user=user, **samples.ALBUM)
    private = service.ok("addAlbum", user=user, **samples.ALBUM, visibility="private")["albumID"]
    db.run("UPDATE blog SET score = 5 WHERE number = %s", blog)
    db.run("UPDATE album SET score = 70 WHERE number = %s", private)
    db.insert("poi", owner_id=user.id, title="x", slot=17, lat="0", lng="0", score=300)
    db.run("UPDATE user_account SET created_at = %s WHERE user_id = %s", samples.LONG_AGO, user.id)
    for asker, counts in (None, (1, 1, 305)), (bob, (1, 1, 305)), (user, (2, 2, 375)):
        answer = service.ok("getUser", user=asker, userID=user.id)
        assert (answer["userID"], answer["name"], answer["icon"]) == (str(user.id), "新人", "")
        assert [answer[f"joinDate/{name}"] for name, _ in samples.LONG_AGO_ELEMENTS] == ["2001", "02", "03"]
        assert tuple(int(answer[name]) for name in ("blogCount", "albumCount", "score")) == counts
    assert user.email not in answer.body.decode()


def test_what_a_user_sees_of_himself(service, db, newcomer):
    user = newcomer()
    service.ok("postBlog", user=user, **samples.BLOG)
    album = service.ok("addAlbum", user=user, **samples.ALBUM)["albumID"]
    service.ok("addPhoto", user=user, albumID=album, photo=samples.drawn.FILE)
    on_disk = db.value("SELECT sum(bytes) FROM photo_space WHERE owner_id = %s", user.id)
    answer = service.ok("getMe", user=user)
    assert answer.header("Cache-Control") == "no-store"
    assert [answer[name] for name in answer.names] == [
        str(user.id), user.email, "新人", "", "10", str(on_disk), str(5 << 30)]
    assert on_disk > len(samples.drawn.FILE)


# Leaving.


@pytest.fixture
def rich(service, db, newcomer, bob):
    """Somebody who has some of everything, and things of others, who have some under his."""
    user = newcomer()
    album = int(service.ok("addAlbum", user=user, **samples.ALBUM)["albumID"])
    service.ok("addPhoto", user=user, albumID=album, photo=samples.drawn.FILE)
    blog = int(service.ok("postBlog", user=user, **samples.BLOG)["blogID"])
    of_bob = int(service.ok("postBlog", user=bob, **samples.BLOG, replyBlogID=blog)["blogID"])
    db.insert("comment", kind=2, number=blog, commenter_id=bob.id, comment="under his")
    db.insert("comment", kind=2, number=of_bob, commenter_id=user.id, comment="his")
    samples.insert_vote(db, of_bob, 3)
    db.insert("ballot", blog_id=of_bob, user_id=user.id, position=2)
    db.insert("recommendation", kind=2, number=of_bob, user_id=user.id)
    db.run("UPDATE blog SET score = 7 WHERE number = %s", of_bob)
    service.ok("requestPasswordReset", email=user.email)
    service.ok("changeEmail", user=user, password=PASSWORD, email=new_email())
    return user, of_bob


OF_USERS = {"session": "user_id", "album": "owner_id", "blog": "owner_id", "comment": "commenter_id", "ledger": "user_id",
            "ballot": "user_id", "recommendation": "user_id", "mail": "user_id", "account_token": "user_id",
            "login_network": "user_id", "user_account": "user_id"}


def test_leave(service, db, rich, bob, outbox):
    user, of_bob = rich
    assert all(db.value(f"SELECT count(*) FROM {table} WHERE {column} = %s", user.id) for table, column in OF_USERS.items())
    reward = service.ok("getMe", user=bob)["reward"]
    with db.unchanged("session"):
        assert service.call("deleteUser", user=user, password=OTHER).info == "PASSWORD INCORRECT"
    service.ok("getMe", user=user)
    answer = service.ok("deleteUser", user=user, password=PASSWORD)
    assert answer.names == []
    assert {name: value for name, (value, _) in set_cookies(answer).items()} == {"id": "", "idrand": ""}
    for table, column in OF_USERS.items():
        assert db.value(f"SELECT count(*) FROM {table} WHERE {column} = %s", user.id) == 0, table
    assert db.value("SELECT count(*) FROM comment WHERE comment = 'under his'") == 0
    assert service.ok("getMe", user=bob)["reward"] == reward
    read = service.ok("getBlog", blogID=of_bob)
    assert "replyBlogID" not in read.names and read["score"] == "6"
    assert [read[f"vote/choices/choice{position}/votes"] for position in (1, 2, 3)] == ["10", "20", "30"]
    assert service.call("getMe", user=user).info == "LOGIN REQUIRED"
    assert service.call("getUser", userID=user.id).info == "USER NOT FOUND"
    assert outbox.texts(user.email) == []
    service.ok("register", **registration(user.email))
    assert int(service.ok("confirmEmail", token=outbox.token(user.email), password=PASSWORD)["id"]) > user.id


def test_the_photos_of_who_leaves_are_gone(service, db, rich):
    user, _ = rich
    name = db.value("SELECT encode(p.name, 'hex') FROM photo p JOIN album USING (number) WHERE owner_id = %s", user.id)
    (photo,) = db.column("SELECT photo_id FROM photo WHERE name = decode(%s, 'hex')", name)
    path = service.ok("getPhoto", photoID=photo)["photoPath"].partition(f":{service.port}")[2]
    assert service.request(path=path).http_status == 200
    service.ok("deleteUser", user=user, password=PASSWORD)
    assert service.request(path=path).http_status == 404


def test_leaving_is_done_once_and_answered_again(service, newcomer):
    user = newcomer()
    key = [("Idempotency-Key", "leave")]
    answers = [service.call("deleteUser", user=user, headers=key, password=PASSWORD) for _ in range(3)]
    assert [answer.info for answer in answers] == 3 * [None]
    assert len({answer.body for answer in answers}) == 1


@pytest.mark.parametrize("func, params", [
    ("changePassword", {"newPassword": OTHER}), ("changeEmail", {"email": "refused@example.org"}), ("deleteUser", {})])
def test_a_refusal_is_answered_again(service, newcomer, func, params):
    user = newcomer()
    key = [("Idempotency-Key", func)]
    wrong = {"password": "wrong password"} | params
    for _ in range(2):
        assert service.call(func, user=user, headers=key, **wrong).info == "PASSWORD INCORRECT"
    assert service.call(func, user=user, headers=key, **wrong | {"password": PASSWORD}).info == "REQUEST REPLAYED"
    service.ok(func, user=user, **wrong | {"password": PASSWORD})


@pytest.mark.parametrize("func, params", [("changePassword", {"newPassword": OTHER}), ("changeEmail", {"email": "again@example.org"})])
def test_what_has_succeeded_is_answered_again_and_counted_once(start_service, db, newcomer, outbox, func, params):
    """However often: the password of before is no wrong one, and no further mail is caused."""
    service, user = start_service(login_failures_per_account=2, mails_per_address=1), newcomer()
    db.run("DELETE FROM login_throttle; DELETE FROM mail")
    answers = [service.call(func, user=user, headers=[("Idempotency-Key", func)], password=PASSWORD, **params) for _ in range(6)]
    assert [answer.info for answer in answers] == 6 * [None]
    assert len({answer.body for answer in answers}) == 1
    assert db.value("SELECT count(*) FROM mail") == (2 if func == "changeEmail" else 1)
    service.ok("login", email=user.email, password=params.get("newPassword", PASSWORD))


# Where secrets may stand.


@pytest.mark.parametrize("func, name", [
    ("register", "password"), ("confirmEmail", "token"), ("confirmEmail", "password"), ("resetPassword", "token"),
    ("resetPassword", "password"), ("changePassword", "password"), ("changePassword", "newPassword"),
    ("changeEmail", "password"), ("deleteUser", "password")])
def test_secrets_are_taken_from_the_body_alone(service, newcomer, func, name):
    params = {"register": registration(new_email()), "changePassword": {"password": PASSWORD, "newPassword": OTHER},
              "changeEmail": {"password": PASSWORD, "email": new_email()}, "deleteUser": {"password": PASSWORD}}.get(
                  func, {"token": 32 * "0", "password": PASSWORD})
    user = newcomer()
    query = encode({name: params.pop(name)})
    answer = service.request("POST", query=query, body=encode({"func": func} | params), headers=[("Cookie", user.cookie)])
    assert answer.info == f"INVALID PARAMETER: {name}"


# How often.


def let_them_wait_longer(db):
    """Whoever must wait a second, for as long as a test may take: others wait as little as before."""
    db.run("UPDATE login_throttle SET failures = failures + 9")


def test_mails_to_an_address_are_throttled(start_service, db, newcomer, outbox):
    service, email = start_service(mails_per_address=3), new_email()
    user = newcomer()
    db.run("DELETE FROM login_throttle")
    for call in range(3):
        service.ok("register" if call else "requestPasswordReset", **registration(email) if call else {"email": email})
    assert db.column("SELECT failures FROM login_throttle") == 2 * [3]  # the address's, and that of the client and the address
    let_them_wait_longer(db)
    answers = [service.call("register", **registration(email)), service.call("requestPasswordReset", email=email.upper()),
               service.call("changeEmail", user=user, password=PASSWORD, email=email)]
    for answer in answers:
        assert (answer.http_status, answer.info) == (429, "TOO MANY ATTEMPTS")
        assert int(answer.header("Retry-After")) >= 1
    assert len(outbox.texts(email)) == 2
    service.ok("requestPasswordReset", email=new_email())
    service.ok("login", email=user.email, password=PASSWORD)


@pytest.mark.parametrize("func", ["register", "requestPasswordReset"])
def test_mails_to_a_mailbox_count_together(start_service, db, outbox, func):
    service, email = start_service(mails_per_address=3), new_email()
    db.run("DELETE FROM login_throttle")

    def ask(email):
        return service.call(func, **(registration(email) if func == "register" else {"email": email}))

    tagged = [email.replace("@", f"+{tag}@") for tag in ("a", "b+c", "", "D")]
    for address in [email, *tagged[:2]]:
        assert ask(address).info is None
    let_them_wait_longer(db)
    assert [ask(address).http_status for address in [email.upper(), *tagged]] == 5 * [429]
    # Others are not concerned: not those who have a + for a name, nor another domain.
    for address in "+x@plus.example", "+y@plus.example", email.replace("@", "+a@another."):
        db.run("DELETE FROM login_throttle WHERE subject <> login_subject('account', %s)", f"mail {email}")
        assert ask(address).info is None


def test_an_owner_gets_a_new_password_while_strangers_ask_for_one(start_service, db, newcomer, outbox):
    """From where the owner has logged in, as often as one client may."""
    service, owner = start_service(mails_per_address=3, logins_per_account=1), newcomer()
    db.run("DELETE FROM login_throttle; DELETE FROM login_network WHERE user_id = %s; DELETE FROM login_rate", owner.id)

    def ask(func, source, **params):
        return service.request("POST", body=encode({"func": func, "email": owner.email} | params), source=source)

    assert ask("login", "127.0.0.7", password=PASSWORD).info is None
    for stranger in range(10):
        for _ in range(3):
            assert ask("requestPasswordReset", f"127.0.1.{stranger}").info is None
    let_them_wait_longer(db)
    for stranger in "127.0.1.1", "127.0.1.99":
        assert ask("requestPasswordReset", stranger).http_status == 429
    for _ in range(3):
        before = len(outbox.texts(owner.email))
        assert ask("requestPasswordReset", "127.0.0.7").info is None
        assert len(outbox.texts(owner.email)) == before + 1
    let_them_wait_longer(db)
    assert ask("requestPasswordReset", "127.0.0.7").http_status == 429


def test_mails_of_a_client_keep_nobody_from_logging_in(start_service, db, newcomer):
    """Whatever address each is to: a client waits with the next mail, and an hour forgives some."""
    service, user = start_service(login_failures_per_address=3), newcomer()
    db.run("DELETE FROM login_throttle; DELETE FROM login_network WHERE user_id = %s", user.id)
    for _ in range(3):
        service.ok("register", **registration(new_email()))
    db.run("UPDATE login_throttle SET failures = failures + 6")
    assert service.call("register", **registration(new_email())).info == "TOO MANY ATTEMPTS"
    assert service.call("requestPasswordReset", email=new_email()).info == "TOO MANY ATTEMPTS"
    assert service.call("changeEmail", user=user, password=PASSWORD, email=new_email()).info == "TOO MANY ATTEMPTS"
    service.ok("login", email=user.email, password=PASSWORD)
    db.run("UPDATE login_throttle SET failures = 3, last_attempt = last_attempt - interval '1 hour'")
    service.ok("register", **registration(new_email()))


def failures_of_clients(db):
    return db.value("SELECT coalesce(sum(failures), 0) FROM login_throttle"
                    " WHERE subject = mapdiary.login_subject('address', '127.0.0.1')")


def test_whoever_is_right_counts_nothing_against_his_network(start_service, db, newcomer, register, outbox):
    service, user = start_service(login_failures_per_address=1000), newcomer()
    db.run("DELETE FROM login_throttle")
    assert service.call("login", email=user.email, password="wrong").info == "PASSWORD INCORRECT"
    assert failures_of_clients(db) == 1
    service.ok("changePassword", user=user, password=PASSWORD, newPassword=PASSWORD)
    service.ok("changeEmail", user=user, password=PASSWORD, email=new_email())
    service.ok("requestPasswordReset", email=user.email)
    answer = service.ok("resetPassword", token=outbox.token(user.email), password=PASSWORD)
    assert failures_of_clients(db) == 1
    service.ok("deleteUser", cookie=f"id={answer['id']}; idrand={answer['idrand']}", password=PASSWORD)
    email, token = register()
    service.ok("confirmEmail", token=token, password=PASSWORD)
    assert failures_of_clients(db) == 1


@pytest.mark.few(2)
@pytest.mark.parametrize("func, params", [
    ("changePassword", {"newPassword": OTHER}), ("changeEmail", {"email": "throttled@example.org"}), ("deleteUser", {}),
    ("confirmEmail", {})])
def test_wrong_passwords_count_everywhere(start_service, db, newcomer, register, func, params):
    service = start_service(login_failures_per_account=2)
    db.run("DELETE FROM login_throttle")
    if func == "confirmEmail":
        email, params["token"] = register()
        user = None
    else:
        user = newcomer()
        email = user.email
    for _ in range(2):
        assert service.call(func, user=user, **params, password="wrong password").info == "PASSWORD INCORRECT"
    assert db.column("SELECT failures FROM login_throttle") == 2 * [2]  # the account's, and that of the client and the account
    let_them_wait_longer(db)
    answer = service.call(func, user=user, **params, password=PASSWORD)
    assert (answer.http_status, answer.info) == (429, "TOO MANY ATTEMPTS")
    assert service.call("login", email=email, password=PASSWORD).info == "TOO MANY ATTEMPTS"


def permits(pid):
    """How many of the permits to hash the workers of a service have: locks of the kernel."""
    mine = {str(worker) for worker in workers(pid)}
    with open("/proc/locks", encoding="ascii") as locks:
        return sum(line.split()[4] in mine for line in locks if " POSIX " in line)


@pytest.mark.parametrize("func", ["changePassword", "changeEmail", "deleteUser", "confirmEmail", "resetPassword", "login"])
def test_nobody_keeps_others_from_hashing_while_he_waits_for_the_database(service, db, connect_owner, newcomer, outbox, func):
    user, email = newcomer(), new_email()
    service.ok("changeEmail", user=user, password=PASSWORD, email=email)
    service.ok("requestPasswordReset", email=user.email)
    params = {"changePassword": {"password": PASSWORD, "newPassword": OTHER}, "deleteUser": {"password": PASSWORD},
              "changeEmail": {"password": PASSWORD, "email": new_email()}, "login": {"email": user.email, "password": PASSWORD},
              "confirmEmail": {"token": outbox.token(email), "password": PASSWORD},
              "resetPassword": {"token": outbox.token(user.email), "password": OTHER}}[func]
    owner = connect_owner()
    owner.run("BEGIN")
    owner.run("SELECT FROM user_account WHERE user_id = %s FOR UPDATE", user.id)
    with in_background(lambda: service.call(func, user=None if func == "login" else user, **params)):
        try:
            until(db.waiting, "it waits for the user's row")
            assert permits(service.daemon.pid) == 0
        finally:
            owner.run("ROLLBACK")


# What is forgotten.


def test_what_has_expired_goes(service, db, register):
    for _ in range(3):
        register()
    db.run("UPDATE account_token SET expires_at = now() - interval '1 minute'")
    db.run("UPDATE mail SET created_at = now() - interval '31 days'")
    before = db.value("SELECT count(*) FROM mail"), db.value("SELECT count(*) FROM account_token")
    register()
    after = db.value("SELECT count(*) FROM mail"), db.value("SELECT count(*) FROM account_token")
    assert all(now <= then - min(then, 4) + 1 for now, then in zip(after, before))
