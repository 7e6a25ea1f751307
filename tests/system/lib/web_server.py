"""The web servers before mapdiaryd, each with the configuration that ships."""

import os
import pathlib
import re
import shutil
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("MAPDIARY_BUILD", TOP / "build")).resolve()
AS_ROOT = os.geteuid() == 0


def program(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


def uncommented(text, *starts):
    """A configuration with the # removed from the lines that go on like one of these."""
    pattern = "|".join(map(re.escape, starts))
    text, count = re.subn(rf"(?m)^( *)#({pattern})", r"\1\2", text)
    assert count == len(starts), f"{count} lines of {starts}"
    return text


def unchanged(text):
    return text


# The address of the proxy in the configurations that ship, and the one from which the tests call as if they were it.
SHIPPED_PROXY, PROXY = "192.0.2.10", "127.0.0.3"


def make_certificate(folder, days):
    """key.pem and cert.pem, of localhost, good for so many days."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
         "/CN=localhost", "-days", str(days), "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True, stderr=subprocess.DEVNULL,
    )


def install_page(folder):
    """The files of the page, as they are installed. Returns where."""
    page = folder / "www"
    if not page.exists():
        shutil.copytree(TOP / "www", page, symlinks=True)
        subprocess.run([TOP / "build-aux/page", page], check=True)
    return page


class Nginx:
    """`edit` changes the text of the shipped file for http { }; `tls` is a further port, for HTTPS."""

    name = "nginx"
    settings = {}
    page = "/"    # where it is
    tiles = ""    # the servers that it may ask for tiles
    days = 2      # of its certificate
    http2 = ""    # or a word of listen

    def __init__(self, folder, backend, edit=unchanged, tls=None, photos=None):
        self.folder = folder
        self.photos = photos or folder / "photos"
        self.backend = "{}:{}".format(*backend) if isinstance(backend, tuple) else f"unix:{backend}"
        self.edit = edit
        self.tls = tls
        self.log = folder / "nginx.log"

    @staticmethod
    def behind_proxy(text):
        lines = "set_real_ip_from", "real_ip_header", "real_ip_recursive", SHIPPED_PROXY
        return uncommented(text, *lines).replace(SHIPPED_PROXY, PROXY)

    @staticmethod
    def microcache(text):
        return uncommented(text, "fastcgi_cache_path", '""')

    def command(self, port):
        shipped = self.folder / "nginx"
        shipped.mkdir(exist_ok=True)
        shutil.copy(TOP / "conf/nginx/mapdiary.conf", shipped)
        (shipped / "mapdiary-web.conf").write_text(self.location_of_page(), encoding="utf-8")
        text = self.edit((BUILD / "conf/nginx/mapdiary-http.conf").read_text(encoding="utf-8"))
        text = re.sub(r"\S+/lib/mapdiary/photos;", f"{self.photos};", text).replace("/var/lib/nginx/", f"{self.folder}/")
        (shipped / "mapdiary-http.conf").write_text(text, encoding="utf-8")
        text = (BUILD / "conf/nginx/mapdiary-web-http.conf").read_text(encoding="utf-8")
        text = re.sub(r"\S+/mapdiary/www;", f"{install_page(self.folder)};", text).replace('""', f'"{self.tiles}"')
        (shipped / "mapdiary-web-http.conf").write_text(text, encoding="utf-8")
        # As doc/configure.md says.
        (self.folder / "snippets").mkdir(exist_ok=True)
        (self.folder / "snippets/mapdiary-brotli.conf").write_text("brotli on;\n", encoding="utf-8")
        conf = self.folder / "nginx.conf"
        conf.write_text(self.conf(port), encoding="utf-8")
        return [program("nginx"), "-p", self.folder, "-e", self.log, "-c", conf]

    def location_of_page(self):
        text = (TOP / "conf/nginx/mapdiary-web.conf").read_text(encoding="utf-8")
        if self.page == "/":
            return text
        text = re.sub("(?m)^location /", f"location {self.page}", text)
        text = re.sub("root .*", "alias $mapdiary_www/;", text)
        return f"location = / {{ return 302 {self.page}; }}\n{text}"

    def conf(self, port):
        temporary = "".join(
            f"    {module}_temp_path {self.folder}/{module};\n"
            for module in ("client_body", "fastcgi", "proxy", "uwsgi", "scgi")
        )
        https = ""
        if self.tls:
            make_certificate(self.folder, self.days)
            https = f"listen 127.0.0.1:{self.tls} ssl{self.http2}; ssl_certificate cert.pem; ssl_certificate_key key.pem;"
        return f"""{"user root;" if AS_ROOT else ""}
load_module /usr/lib/nginx/modules/ngx_http_brotli_filter_module.so;
daemon off;
worker_processes 1;
error_log {self.log};
pid {self.folder}/nginx.pid;
worker_rlimit_nofile 16384;
events {{ worker_connections 12000; }}
http {{
    access_log off;
    brotli_min_length 1024;
    brotli_types text/xml application/json application/geo+json application/atom+xml;
{temporary}
    upstream mapdiary {{ server {self.backend}; }}
    include nginx/mapdiary-http.conf;
    include nginx/mapdiary-web-http.conf;
    server {{
        listen 127.0.0.1:{port};
        {https}
        # What a server for other things as well may have; none of it is for mapdiary.
        fastcgi_param REMOTE_ADDR 203.0.113.1;
        fastcgi_intercept_errors on;
        include nginx/mapdiary.conf;
        include nginx/mapdiary-web.conf;
    }}
}}
"""


class Apache:
    """`edit` changes the text of the shipped file; `tls` is a further port, for HTTPS."""

    name = "apache"
    page = "/"
    tiles = "'self'"
    days = 2
    # Apache does not run as root: the socket and the folder belong to its group.
    settings = {"listen_group": "www-data"} if AS_ROOT else {}
    USER = "User www-data\nGroup www-data" if AS_ROOT else ""
    MODULES = """mpm_event authz_core authz_host alias asis env setenvif reqtimeout proxy proxy_fcgi unique_id security2
        headers remoteip cache cache_socache socache_shmcb ssl dir autoindex mime xsendfile deflate brotli filter""".split()

    def __init__(self, folder, backend, edit=unchanged, tls=None, photos=None):
        self.folder = folder
        self.photos = photos or folder / "photos"
        self.backend = "fcgi://{}:{}".format(*backend) if isinstance(backend, tuple) else f"unix:{backend}|fcgi://mapdiary"
        self.edit = edit
        self.tls = tls
        self.log = folder / "apache.log"

    @staticmethod
    def behind_proxy(text):
        remoteip = f"RemoteIPHeader X-Forwarded-For\nRemoteIPInternalProxy {PROXY}\n"
        return remoteip + uncommented(text, "SetEnvIfExpr").replace(SHIPPED_PROXY, PROXY)

    @staticmethod
    def microcache(text):
        return "Define MAPDIARY_MICROCACHE\n" + text

    def command(self, port):
        if AS_ROOT:
            shutil.chown(self.folder, group="www-data")
            self.folder.chmod(0o710)
        shutil.copytree(TOP / "conf/apache/errors", self.folder / "errors", dirs_exist_ok=True)
        data = self.folder / "modsecurity"
        data.mkdir(exist_ok=True)
        if AS_ROOT:
            shutil.chown(data, user="www-data")
        shipped = (BUILD / "conf/apache/mapdiary.conf").read_text(encoding="utf-8")
        (self.folder / "shipped.conf").write_text(self.edit(shipped), encoding="utf-8")
        shutil.copy(BUILD / "conf/apache/mapdiary-web.conf", self.folder)
        install_page(self.folder)
        conf = self.folder / "apache.conf"
        conf.write_text(self.conf(port), encoding="utf-8")
        return [program("apache2"), "-d", self.folder, "-E", self.log, "-f", conf, "-DFOREGROUND"]

    def conf(self, port):
        modules = "".join(f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n" for name in self.MODULES)
        https = ""
        if self.tls:
            make_certificate(self.folder, self.days)
            https = f"""Listen 127.0.0.1:{self.tls} https
<VirtualHost *:{self.tls}>
    SSLEngine on
    SSLCertificateFile {self.folder}/cert.pem
    SSLCertificateKeyFile {self.folder}/key.pem
</VirtualHost>"""
        return f"""{modules}
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {self.folder}/apache.pid
DefaultRuntimeDir {self.folder}
ErrorLog {self.log}
DocumentRoot {self.folder}
TypesConfig /dev/null
TraceEnable off
StartServers 1
ThreadsPerChild 64
MaxRequestWorkers 64
ServerLimit 1
{self.USER}
<Directory />
    Require all denied
    AllowOverride None
</Directory>
RequestReadTimeout header=20-40,MinRate=500 body=10,MinRate=500
SecDataDir {self.folder}/modsecurity
# Such a rule, for other things, is not for mapdiary.
SecRule ARGS "@unconditionalMatch" "id:1,phase:2,deny,status:403"
Define MAPDIARY_BACKEND "{self.backend}"
Define MAPDIARY_ERRORS "{self.folder}/errors"
Define MAPDIARY_PHOTOS "{self.photos}"
Define MAPDIARY_WWW "{self.folder}/www"
Define MAPDIARY_WWW_PATH "{self.page}"
Define MAPDIARY_TILES "{self.tiles}"
{"" if self.page == "/" else f'RedirectMatch 302 "^/$" "{self.page}"'}
Include shipped.conf
Include mapdiary-web.conf
{https}
"""


class RoomyApache(Apache):
    """With a thread for each of a hundred slow clients, and more."""

    def conf(self, port):
        text = super().conf(port).replace("PerChild 64", "PerChild 250").replace("Workers 64", "Workers 250")
        return f"ThreadLimit 250\n{text}"


SERVERS = {server.name: server for server in (Nginx, Apache)}
