"""Signs requests as the interface says, by what Python brings along."""

import dataclasses
import hashlib
import hmac
import secrets
import time
import urllib.parse


def quote(text):
    return urllib.parse.quote(str(text), safe="")


def canonical(params):
    pairs = sorted((quote(name), quote(value)) for name, value in params.items() if name != "sig")
    return "&".join(f"{name}={value}" for name, value in pairs)


@dataclasses.dataclass
class Application:
    key: str
    secret: str

    def signature(self, params):
        return hmac.new(self.secret.encode(), canonical(params).encode(), hashlib.sha256).hexdigest()

    def sign(self, func, ts=None, **params):
        """All parameters of a signed request, func among them."""
        params = {"func": func, "key": self.key, "ts": int(time.time()) if ts is None else ts} | params
        return params | {"sig": self.signature(params)}


def secret_of(master, key):
    """The secret of a key, by the master key in hexadecimal."""
    return hmac.new(bytes.fromhex(master), f"application key {key}".encode(), hashlib.sha256).hexdigest()


def new_application(service, db, name="tests"):
    """A key as mapdiaryctl makes it. The master key is made where there is none."""
    path = service.settings["master_key_file"]
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_hex(32) + "\n")
    key = secrets.token_hex(16)
    db.run("INSERT INTO application_key (key_id, name) VALUES (decode(%s, 'hex'), %s)", key, name)
    return Application(key, secret_of(path.read_text().strip(), key))
