"""The operations of the interface with parameters that each of them takes."""

import dataclasses
import datetime
import hmac
import struct
import typing
import urllib.parse
import zoneinfo

import drawn


def noon_zone():
    """A time zone in which it is about noon now, so that no day begins while the tests run."""
    offset = 12 - datetime.datetime.now(datetime.timezone.utc).hour
    return f"Etc/GMT{-offset:+d}" if offset else "Etc/GMT"  # POSIX counts westwards


ZONE = noon_zone()
# Where the day begins first and last: 26 hours apart, so their dates differ at any time.
FIRST_ZONE, LAST_ZONE = "Pacific/Kiritimati", "Etc/GMT+12"
# A moment as the database reads it, and its day in the answers of a service in that zone.
LONG_AGO, LONG_AGO_ELEMENTS = f"2001-02-03 12:00 {ZONE}", [("year", "2001"), ("month", "02"), ("day", "03")]


def today(zone=ZONE, days=0):
    return datetime.datetime.now(zoneinfo.ZoneInfo(zone)).date() + datetime.timedelta(days)


def date_params(date):
    return {"year": date.year, "month": date.month, "day": date.day}


ALBUM = {"albumTitle": "墾丁之旅", "category": 5, "lat": "21.9483", "lng": "120.7798"}
BLOG = {
    "type": "0_8", "lat": "25.0330", "lng": "121.5654", "blogTitle": "登山 <記>", "blogContent": "<b>好</b>\r\n&amp;",
    "year": 2024, "month": 2, "day": 29, "weather": "晴空萬里",
}
BLOG_OPTIONAL = {"replyBlogID": None, "zoomLevel": 15, "mapType": 2, "userCategory": "登山", "visibility": "public"}

WEATHERS = "晴空萬里 狂風暴雨 陰雨綿綿 雨過天晴 烏雲滿天 大雪數日 有彩虹".split()
TYPES = [f"0_{number}" for number in range(9)]
# As the schema numbers the kinds of pieces, and the identifiers by which clients name them.
KINDS = {"album": 0, "poi": 1, "blog": 2}
KIND_OF = {"albumID": 0, "POIID": 1, "blogID": 2}


@dataclasses.dataclass(eq=False)
class User:
    id: int
    email: str
    password: str
    name: str
    icon: str
    token: str = ""

    @property
    def cookie(self):
        return f"id={self.id}; idrand={self.token}"


PAGE_KEY = "the key of pages in these tests"


POSITIONS = {"getUserAlbumList": "=q", "getCategoryPOIList": "=q", "getComments": "=qq"}  # and of pieces of any kind:
FOUND = "=qdqqqiiiiq"


def after(func, *position, key=PAGE_KEY, **params):
    """What a page gives as `next`, as api/paging.h says; the members of the position that are not given are 0."""
    layout = POSITIONS.get(func, FOUND)
    position = struct.pack(layout, *position, *[0] * (len(layout) - 1 - len(position))).hex()
    asked = "&".join(sorted(f"{name}={urllib.parse.quote(str(value), safe='~')}" for name, value in (params | {"func": func}).items()))
    return hmac.new(key.encode(), f"{position} {asked}".encode(), "sha256").hexdigest()[:32] + position


class Operation(typing.NamedTuple):
    """A row of the operations table. Parameters are in its order; {album} and so on stand for what a test has made."""

    func: str
    writes: bool
    login: bool
    params: dict
    optional: tuple = ()
    delete: bool = False
    instead: tuple = ()  # of which, or the first parameter, exactly one is to be there
    others: tuple = ()  # that are optional, and not taken beside these, or not twice

    @property
    def listed(self):
        """All parameters, and whether each has to be there."""
        needs = {name: name in self.required for name in self.params} | dict.fromkeys(self.others, False)
        return needs | dict.fromkeys([*list(needs)[:1], *self.instead], False) if self.instead else needs

    @property
    def required(self):
        return [name for name in self.params if name not in self.optional]

    def filled(self, things):
        """The parameters with the identifiers of things that exist."""
        return ({"delete": "true"} if self.delete else {}) | {
            name: things[value[1:-1]] if str(value).startswith("{") else value for name, value in self.params.items()
        }


VISIBILITY = {"visibility": "public"}
PHOTO = {"photoID": "{photo}", "description": "字\r\n<b>", "position": 1, "cover": "true"}
NEW_PHOTO = {"albumID": "{another}", "photo": drawn.FILE, "description": "字", "position": 1}
VOTE = {"description": "哪一座?"} | {f"choice{n}": f"山 <{n}>" for n in range(1, 11)}
POST_BLOG = BLOG | BLOG_OPTIONAL | {"replyBlogID": "{quoted}"}
REGISTRATION = {"email": "registers@example.org", "password": "correct horse", "name": "新人", "invitation": "none",
                "language": "zh-Hant"}
NEARBY = {"lat": "21.9", "lng": "120.7", "radius": 100000, "kind": "album", "category": 5, "limit": 1,
          "after": "{after_nearby}"}
MAP = {"west": "120", "south": "21", "east": "121", "north": "22.5", "zoomLevel": 8, "kind": "album", "category": 5}
SEARCH = {"q": "墾丁", "kind": "album", "lat": "21.9", "lng": "120.7", "limit": 1, "after": "{after_search}"}
DIARY = {"userID": "{user}", "from": "2001-01-01", "to": "2998-12-31", "limit": 1, "after": "{after_diary}"}
BLOG_LIST = {"userID": "{user}", "type": "0_8", "limit": 1, "after": "{after_blogs}"}
ALBUM_PAGE = {"limit": 7, "after": "{after_albums}"}
POI_PAGE = {"limit": 7, "after": "{after_pois}"}
OPERATIONS = {
    "addAlbum": Operation("addAlbum", True, True, ALBUM | VISIBILITY, tuple(VISIBILITY)),
    "updateAlbum": Operation("updateAlbum", True, True, {"albumID": "{album}"} | ALBUM | VISIBILITY, tuple(VISIBILITY),
                             others=("baseVersion",)),
    "updateAlbum delete": Operation("updateAlbum", True, True, {"albumID": "{album}"}, delete=True, others=("baseVersion",)),
    "getAlbum": Operation("getAlbum", False, False, {"albumID": "{album}"}),
    "getUserAlbumList": Operation("getUserAlbumList", False, False, {"userID": "{user}"} | ALBUM_PAGE, tuple(ALBUM_PAGE)),
    "getCategoryPOIList": Operation("getCategoryPOIList", False, False, {"category": 2} | POI_PAGE, tuple(POI_PAGE)),
    "getPOI": Operation("getPOI", False, False, {"POIID": "{poi}"}),
    "postBlog": Operation("postBlog", True, True, POST_BLOG, tuple(BLOG_OPTIONAL), others=("publish",)),
    "updateBlog": Operation("updateBlog", True, True, {"blogID": "{blog}"} | POST_BLOG, tuple(BLOG_OPTIONAL),
                            others=("publish", "baseVersion")),
    "updateBlog delete": Operation("updateBlog", True, True, {"blogID": "{blog}"}, delete=True, others=("baseVersion",)),
    "getBlog": Operation("getBlog", False, False, {"blogID": "{blog}"}),
    "addPhoto": Operation("addPhoto", True, True, NEW_PHOTO, ("description", "position"), instead=("POIID",)),
    "updatePhoto": Operation("updatePhoto", True, True, PHOTO, tuple(PHOTO)[1:]),
    "updatePhoto delete": Operation("updatePhoto", True, True, {"photoID": "{photo}"}, delete=True),
    "getPhoto": Operation("getPhoto", False, False, {"photoID": "{photo}"}),
    "updateUser": Operation("updateUser", True, True, {"name": "{name}", "icon": drawn.FILE}, ("name", "icon")),
    "getPiece": Operation("getPiece", False, False, {"albumID": "{album}"}, instead=("POIID", "blogID")),
    "getComments": Operation("getComments", False, False, {"albumID": "{album}", "limit": 7, "after": "{after}"},
                             ("limit", "after"), instead=("POIID", "blogID")),
    "addComment": Operation("addComment", True, True, {"albumID": "{album}", "comment": "讚 <i>\r\n"},
                            instead=("POIID", "blogID")),
    "updateComment": Operation("updateComment", True, True, {"commentID": "{comment}", "delete": "true"}),
    "replyComment": Operation("replyComment", True, True, {"commentID": "{comment}", "reply": "謝謝 &\r\n"}),
    "replyComment delete": Operation("replyComment", True, True, {"commentID": "{comment}"}, delete=True),
    "recommend": Operation("recommend", True, True, {"albumID": "{bobs}"}, instead=("POIID", "blogID")),
    "recommend delete": Operation("recommend", True, True, {"albumID": "{bobs}"}, delete=True, instead=("POIID", "blogID")),
    "report": Operation("report", True, True, {"albumID": "{bobs}", "reason": "請看\r\n<b>"},
                        instead=("POIID", "blogID", "commentID", "photoID")),
    "addVote": Operation("addVote", True, True, {"blogID": "{quoted}"} | VOTE, tuple(f"choice{n}" for n in range(3, 11))),
    "castVote": Operation("castVote", True, True, {"blogID": "{voted}", "choice": 2}),
    "closeVote": Operation("closeVote", True, True, {"blogID": "{voted}"}),
    "register": Operation("register", True, False, REGISTRATION, ("invitation", "language")),
    "requestPasswordReset": Operation("requestPasswordReset", True, False, {"email": "{email}"}),
    "changeEmail": Operation("changeEmail", True, True, {"password": "{password}", "email": "changed@example.org"}),
    "getUser": Operation("getUser", False, False, {"userID": "{user}"}),
    "getMe": Operation("getMe", False, True, {}),
    "getNearby": Operation("getNearby", False, False, NEARBY, tuple(NEARBY)[2:], others=("type",)),
    "getMap": Operation("getMap", False, False, MAP, tuple(MAP)[5:], others=("type",)),
    "search": Operation("search", False, False, SEARCH, tuple(SEARCH)[1:]),
    "getBlogList": Operation("getBlogList", False, False, BLOG_LIST, tuple(BLOG_LIST)),
    "getDiary": Operation("getDiary", False, False, DIARY, tuple(DIARY)[1:]),
    "getAdvertisement": Operation("getAdvertisement", False, False, {"lat": "21.9", "lng": "120.7"}),
    "clickAdvertisement": Operation("clickAdvertisement", True, False, {"advertisementID": "{advertisement}"}),
    "getSite": Operation("getSite", False, False, {}),
    "getStart": Operation("getStart", False, False, {}),
    "login": Operation("login", True, False, {"email": "{email}", "password": "{password}"}),
    "logout": Operation("logout", True, True, {}),
}
# What is done once, or after which a user is not the same any more.
FINAL_OPERATIONS = {
    "confirmEmail": Operation("confirmEmail", True, False, {"token": "", "password": ""}),
    "resetPassword": Operation("resetPassword", True, False, {"token": "", "password": ""}),
    "changePassword": Operation("changePassword", True, True, {"password": "", "newPassword": ""}),
    "deleteUser": Operation("deleteUser", True, True, {"password": ""}),
}


# What no operation writes. Each of these inserts so many and returns how a list of them must read.


def insert_photos(db, album, count):
    """In the reverse of their order in the album, as it is not their identifiers that make it."""
    photos = []
    for position in range(count, 0, -1):
        address, words = f"https://example.org/t/{position}.jpg?w=1&h=2", "" if position == 1 else f"第 {position} 張"
        photo = db.insert("photo", kind=0, number=album, position=position, address=address, description=words)
        photos.append([("photoID", str(photo)), ("thumbnail", address), ("description", words)])
    return numbered("photo", reversed(photos))


def insert_poi_photos(db, poi, count):
    photos = []
    for position in range(count, 0, -1):
        address, words = f"https://example.org/p/{position}.jpg?a&b", "" if position == 2 else f"<{position}>"
        db.insert("photo", kind=1, number=poi, position=position, address=address, description=words)
        photos.append([("photoPath", address), ("description", words)])
    return numbered("photo", reversed(photos))


def insert_comments(db, kind, identifier, commenter, count):
    """The last one first, as it is their time that orders them; every other one has a reply."""
    comments = []
    for number in range(count, 0, -1):
        time, text = 1_700_000_000 + 60 * number, f"第 {number} 則\r\n<i>"
        reply = f"謝謝 {number}" if number % 2 else None
        comment = [("time", str(time)), ("commenterName", commenter.name), ("commenterIcon", commenter.icon),
                   ("comment", text)]
        if reply:
            comment.append(("authorReply", [("time", str(time + 30)), ("reply", reply)]))
        db.run(
            "INSERT INTO comment (kind, number, commenter_id, comment, created_at, reply, replied_at)"
            " VALUES (%s, %s, %s, %s, to_timestamp(%s), %s, to_timestamp(%s))",
            KINDS[kind], identifier, commenter.id, text, time, reply, time + 30 if reply else None,
        )
        comments.append(comment)
    return numbered("comment", reversed(comments))


def of_blog(table):
    """The condition by which a table has what belongs to a blog."""
    return "blog_id = %s" if table in ("vote", "vote_choice", "ballot", "ledger") else "kind = 2 AND number = %s"


def insert_vote(db, blog, count):
    db.insert("vote", blog_id=blog, description="哪一座?")
    choices = []
    for position in range(count, 0, -1):
        db.insert("vote_choice", blog_id=blog, position=position, description=f"山 {position}", votes=10 * position)
        choices.append([("description", f"山 {position}"), ("votes", str(10 * position))])
    return [("description", "哪一座?"), ("choices", numbered("choice", reversed(choices)))]


def insert_all_that_is_optional(db, things, commenter):
    """Whatever an answer about the album, the POI and the blog of these things may have."""
    insert_photos(db, things["album"], 12)
    insert_poi_photos(db, things["poi"], 2)
    insert_vote(db, things["blog"], 3)
    for kind in KINDS:
        insert_comments(db, kind, things[kind], commenter, 11)
    db.run(
        "UPDATE album SET cover_photo_id = (SELECT max(photo_id) FROM photo p WHERE p.kind = 0 AND p.number = album.number)"
        " WHERE number = %s", things["album"],
    )


def numbered(name, items):
    """The children of a list; a list without any reads as an empty element."""
    return [(f"{name}{position}", item) for position, item in enumerate(items, 1)] or ""


def date_elements(date):
    return [("year", str(date.year)), ("month", f"{date.month:02}"), ("day", f"{date.day:02}")]
