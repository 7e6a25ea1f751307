"""The work: for each operation the HTTP requests that ask for it, and the same statements as a script of pgbench."""

import dataclasses
import hashlib
import random
import re
import urllib.parse

PASSWORD = "map diary"
DATE = {"year": 2026, "month": 2, "day": 3}
ALBUM = {"albumTitle": "海邊的週末", "category": 5, "lat": "25.0330", "lng": "121.5654"}
BLOG = {
    "type": "0_4", "lat": "25.0478", "lng": "121.5170", "blogTitle": "巷口的早餐店",
    "blogContent": "蛋餅 & 豆漿，<b>不加糖</b>。\r\n" * 10, "weather": "晴空萬里", "userCategory": "日常",
} | DATE

COMMENT = "店員很親切，座位 & 音樂都剛好，下次還會再來，推薦給大家。"

# Workers of each contestant, and connections of pgbench.
PROCESSES = 8
# Of HTTP, at a time.
CONNECTIONS = 16

# What the scripts of pgbench call by name: parameters of the statements, as they are of the service's.
CONSTANTS = ALBUM | BLOG | {"comment": COMMENT, "date": "2026-02-03", "zoomLevel": 14, "mapType": 1, "reward": 10, "rewardsADay": 5}


@dataclasses.dataclass
class Size:
    """What a database holds: data.sql."""

    users: int
    pois: int
    blogs: int
    albums: int = 20  # of each user
    categories: int = 5
    extras: bool = True  # photos, comments, votes


def framed(requests):
    """As the load takes them."""
    return b"".join(b"%d\n%s" % (len(request), request) for request in requests)


def get(paths):
    return framed(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() for path in paths)


def token(user):
    """The session token of a user, and the hash of it that the database holds: BLAKE2b-256."""
    raw = user.to_bytes(16, "big")
    return raw.hex(), hashlib.blake2b(raw, digest_size=32).digest()


@dataclasses.dataclass
class Operation:
    """The parameters of a request, given a random generator and the size of the database; and how pgbench does the same:
    the statements with an expression for each parameter, where :id is a random number from the lowest to the highest."""

    func: str
    parameters: callable
    highest: callable
    statements: list
    writes: bool = False
    seconds: float = 1  # as a multiple of the usual time
    processes: int = PROCESSES  # of the service and of the peer
    may_be_refused: bool = False
    lowest: callable = lambda size: 1
    counted: int = 100  # requests, where instructions are counted
    has_least: bool = False  # bare.c can do it
    has_peer: bool = True  # PHP can
    others: callable = lambda size: 1  # :other is a random number from 1 to that
    name: str = ""  # what it is called in the table, where that is not func

    def __post_init__(self):
        self.name = self.name or self.func

    def request(self, chance, size, path):
        user, parameters = self.parameters(chance, size)
        form = urllib.parse.urlencode({"func": self.func} | parameters)
        head = ["Host: localhost"]
        if user:
            head.append(f"Cookie: id={user}; idrand={token(user)[0]}")
        if not self.writes:
            return "\r\n".join([f"GET {path}?{form} HTTP/1.1", *head, "", ""]).encode()
        head += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(form)}"]
        return "\r\n".join([f"POST {path} HTTP/1.1", *head, "", form]).encode()

    def requests(self, size, path, count=20000):
        """The same for every contestant."""
        chance = random.Random(self.name)
        return framed(self.request(chance, size, path) for _ in range(count))

    def as_json(self):
        """The same, answered as JSON."""
        def parameters(chance, size):
            user, given = self.parameters(chance, size)
            return user, given | {"responseFormat": "JSON"}

        return dataclasses.replace(self, parameters=parameters)

    def script(self, size, registry):
        """pgbench gives :id a value for each transaction; -M prepared makes a parameter of each :name."""
        statements = [registry[name].with_values(values) for name, values in self.statements]
        if self.writes:
            statements = ["BEGIN ISOLATION LEVEL READ COMMITTED", *statements, "COMMIT"]
        lines = [f"\\set id random({self.lowest(size)}, {self.highest(size)})",
                 f"\\set other random(1, {self.others(size)})", f"\\set users {size.users}", "\\startpipeline"]
        return "\n".join(lines + [f"{statement};" for statement in statements] + ["\\endpipeline", ""])


@dataclasses.dataclass
class Statement:
    """A statement of the service's registry, with the types of its parameters as PostgreSQL has inferred them."""

    sql: str
    types: list

    def with_values(self, values):
        """With an expression for each parameter; those beyond are of whoever has a session, which nobody has. pgbench
        makes a parameter of its own of each, which has to have the type that the service's one has."""
        expressions = [*values, *["NULL"] * (len(self.types) - len(values))]
        return re.sub(
            r"\$(\d+)(?!\d|::)|\$(\d+)::\w+",
            lambda match: f"({expressions[int(match[1] or match[2]) - 1]})::{self.types[int(match[1] or match[2]) - 1]}",
            self.sql,
        )


def reading(func, name, highest, *statements, **others):
    """A read by one identifier; who reads, which some of its statements ask, is nobody."""
    return Operation(
        func, lambda chance, size: (None, {name: chance.randint(1, highest(size))}), highest,
        [(statement, [":id", "NULL", "NULL"]) for statement in statements], **others,
    )


def session_of(user):
    """The user is an expression of pgbench."""
    return "session_require", [f"({user})", f"decode(lpad(to_hex(({user})::bigint), 64, '0'), 'hex')"]


SESSION = session_of(":id")


def half(size):
    """The users up to here keep the albums that they have; the others add some."""
    return size.users // 2


def add_album(chance, size):
    return chance.randint(half(size) + 1, size.users), ALBUM


def post_blog(chance, size):
    return chance.randint(1, size.users), BLOG | {"replyBlogID": chance.randint(1, size.users)}


def update_blog(chance, size):
    """By its author, as data.sql has it."""
    blog = chance.randint(1, size.blogs)
    return 1 + blog % size.users, BLOG | {"blogID": blog}


def add_comment(chance, size):
    return chance.randint(1, size.users), {"POIID": chance.randint(1, size.pois), "comment": COMMENT}


def recommend(chance, size):
    """Of a place whose owner is another user, as data.sql has it."""
    user, poi = chance.randint(1, size.users), chance.randint(1, size.pois)
    return user, {"POIID": poi if 1 + poi % size.users != user else poi % size.pois + 1}


def cast_vote(chance, size):
    return chance.randint(1, size.users), {"blogID": 10 * chance.randint(1, size.blogs // 10), "choice": 1}


def public_album_of_own(chance, size):
    user = chance.randint(1, size.users)
    return user, {"albumID": (user - 1) * size.albums + chance.randint(1, size.albums)}


def update_album(chance, size):
    user, album = public_album_of_own(chance, size)
    return user, album | ALBUM


def private_album(chance, size):
    """Of whoever asks: beyond those of everybody there is one of each user."""
    user = chance.randint(1, size.users)
    return user, {"albumID": size.users * size.albums + user}


def albums_of_reader(name, parameters, owner, lowest, highest):
    """A read by a session, whose user is that expression of :id."""
    reader = [f"({owner})", f"decode(lpad(to_hex(({owner})::bigint), 64, '0'), 'hex')"]
    return Operation("getAlbum", parameters, highest, [
        ("session_find", reader), *((statement, [":id", *reader]) for statement in ("album_read", "photo_of_album", "comment_on_album")),
    ], lowest=lowest, has_peer=False, name=name)


def login(chance, size):
    return None, {"email": f"user{chance.randint(1, size.users)}@example.org", "password": PASSWORD}


# Whose the album and the blog :id are, as data.sql has it.
ALBUM_OWNER, BLOG_AUTHOR = f"(:id - 1) / {Size.albums} + 1", "1 + :id::bigint % :users"

OPERATIONS = {
    operation.name: operation
    for operation in (
        reading("getPOI", "POIID", lambda size: size.pois, "poi_read", "photo_of_poi", "comment_on_poi",
                has_least=True),
        reading("getBlog", "blogID", lambda size: size.blogs, "blog_read", "vote_read", "comment_on_blog",
                has_least=True),
        reading("getAlbum", "albumID", lambda size: size.users * size.albums,
                "album_read", "photo_of_album", "comment_on_album", has_least=True),
        albums_of_reader("getAlbum, own", public_album_of_own, ALBUM_OWNER, lambda size: 1,
                         lambda size: size.users * size.albums),
        albums_of_reader("getAlbum, private", private_album, "(:id - 1) % :users + 1", lambda size: size.users * size.albums + 1,
                         lambda size: size.users * size.albums + size.users),
        reading("getUserAlbumList", "userID", half, "user_exists", "album_list"),
        reading("getCategoryPOIList", "category", lambda size: size.categories, "poi_list", counted=5),
        Operation("addAlbum", add_album, lambda size: size.users, [
            SESSION, ("album_insert", [":id", ":albumTitle", ":category", ":lat", ":lng", "NULL"]),
        ], writes=True, lowest=lambda size: half(size) + 1),
        Operation("postBlog", post_blog, lambda size: size.users, [
            SESSION, ("user_lock", [":id"]),
            ("blog_insert", [":id", ":type", ":lat", ":lng", ":blogTitle", ":blogContent", ":date", ":weather", ":id",
                             ":zoomLevel", ":mapType", ":userCategory", "NULL", ":reward", ":rewardsADay"]),
        ], writes=True),
        Operation("updateAlbum", update_album, lambda size: size.users * size.albums, [
            session_of(ALBUM_OWNER), *((name, [":id", ALBUM_OWNER]) for name in ("piece_hold_album", "published_album")),
            ("album_update", [":id", ALBUM_OWNER, ":albumTitle", ":category", ":lat", ":lng", "NULL"]),
        ], writes=True, has_peer=False),
        Operation("updateBlog", update_blog, lambda size: size.blogs, [
            session_of(BLOG_AUTHOR), ("piece_hold_blog", [":id", BLOG_AUTHOR]),
            ("blog_update", [BLOG_AUTHOR, ":type", ":lat", ":lng", ":blogTitle", ":blogContent", ":date", ":weather", "NULL",
                             ":zoomLevel", ":mapType", ":userCategory", "NULL", ":id"]),
        ], writes=True, has_peer=False),
        Operation("addComment", add_comment, lambda size: size.users, [
            SESSION, ("comment_insert_poi", [":other", ":id", ":comment"]),
        ], writes=True, others=lambda size: size.pois, has_peer=False),
        Operation("recommend", recommend, lambda size: size.users, [
            SESSION, *((name, [":other", ":id"]) for name in ("piece_hold_poi", "score_recommend_poi", "score_read_poi")),
        ], writes=True, others=lambda size: size.pois, has_peer=False),
        # Every tenth blog has a vote.
        Operation("castVote", cast_vote, lambda size: size.users, [
            SESSION, ("piece_keep_blog", [":other * 10", ":id"]), ("vote_lock", [":other * 10", ":id"]),
            ("vote_cast", [":other * 10", ":id", "1"]), ("vote_ballot", [":other * 10", ":id", "1"]),
            ("vote_tally", [":other * 10", ":id"]),
        ], writes=True, others=lambda size: size.blogs // 10, has_peer=False),
        # Argon2id is nothing that pgbench could do. A quarter of the service's workers may be busy with logins, and whoever comes
        # then, or has waited for two seconds, is turned away: so this takes more of them.
        Operation("login", login, lambda size: size.users, [], writes=True, seconds=3, processes=2 * CONNECTIONS,
                  may_be_refused=True),
    )
}
