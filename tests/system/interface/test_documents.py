"""What README.md, doc/client.md and mapdiary(7) show is what the service answers, with the content of the demo."""

import json
import re
import subprocess

import pytest

from demo import content_of_the_demo
from service import ENVIRONMENT
from web_server import BUILD, TOP

MANUAL = TOP / "man/mapdiary.7"

# What differs each time: sessions, names in feeds, and days and times, as the sample content counts from the day of its loading.
VARYING = [(r"\b[0-9a-f]{32}\b", "SESSION"), (r"urn:uuid:[0-9a-f-]{36}", "NAME"), (r"\b\d{4}(-\d\d){2}T[\d:]{8}Z", "MOMENT"),
           (r"(<time>|\"time\":)\d+", r"\1TIME"),
           (r"(<year>|\"year\":)\d+", r"\1YEAR"), (r"(<month>|<day>|\"month\":|\"day\":)\d+", r"\1NUMBER")]


@pytest.fixture
def sample(folder, postgres, request):
    with content_of_the_demo(folder, postgres, request.node.name) as service:
        yield service


# Taking examples out of a document -----------------------------------------------------------------------------------


def markdown_blocks(path, heading=None):
    """The code of a document, or of one of its sections."""
    text = path.read_text(encoding="utf-8")
    if heading:
        text = re.split(r"^## ", text.partition(f"\n## {heading}\n")[2], flags=re.MULTILINE)[0]
    found = re.findall(r"(?<=\n\n)(?: {4}.*\n)(?:\n*(?: {4}.*\n))*", text)
    return [re.sub("^ {4}", "", block, flags=re.MULTILINE) for block in found]


def manual_blocks():
    """The literal displays of the examples."""
    text = MANUAL.read_text(encoding="utf-8").partition(".Sh EXAMPLES\n")[2]
    found = re.findall(r"^\.Bd -literal\n(.*?)^\.Ed$", text, re.MULTILINE | re.DOTALL)
    return [block.replace("\\e", "\\") for block in found]


def is_shell(block):
    """Not of a browser, nor Python, nor a string to sign, nor what needs npm, nor a ctl: there is one here."""
    return not block.startswith(("const ", "await ", "import ", "blogID=", "npx ", "demo=", "ctl() "))


def examples(blocks):
    """Pairs of shell commands and the answer to them, None where the document shows none."""
    pairs = []
    for part in (part for block in filter(is_shell, blocks) for part in block.split("\n\n")):
        if part.startswith(("<?xml", "{")):
            pairs[-1][1] = part
        else:
            pairs.append([part, None])
    return pairs


def python_block(blocks):
    block, = (block for block in blocks if block.startswith("import "))
    return block


# Running them --------------------------------------------------------------------------------------------------------


def run(service, pairs, where, **variables):
    """All commands in one shell, as one pastes them. Returns what each of them printed."""
    mark = "\n-- 8< --\n"
    lines = [f'ctl() {{ "{BUILD}/mapdiaryctl" -c "{service.conf}" "$@"; }}', 'curl() { command curl -sS "$@"; }']
    for command, _ in pairs:
        lines += [command.replace("127.0.0.1:8080", f"127.0.0.1:{service.port}"), f"printf %s '{mark}'"]
    ran = subprocess.run(["bash", "-u", "-c", "\n".join(lines)], cwd=where, env=ENVIRONMENT | variables,
                         capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0 and not re.search("curl:|command not found|unbound", ran.stderr), ran.stderr
    return ran.stdout.replace(f"127.0.0.1:{service.port}", "127.0.0.1:8080").split(mark)[:-1]


def alike(text):
    """Without what differs each time, and without the line breaks of an answer that is shown in several lines."""
    for pattern, word in VARYING:
        text = re.sub(pattern, word, text)
    return re.sub(r"\n *", "", text)


def compare(pairs, printed):
    """What is shown is what was answered, nothing else failed, and what was sent twice was done once."""
    for (command, answer), got in zip(pairs, printed, strict=True):
        if answer:
            assert alike(got) == alike(answer), command
        else:
            assert not re.search(r"status\W+FAILED", got), (command, got)
        if "the first answer again" in command or "signed.py" in command:
            first, again = re.findall(r"albumID\W+(\d+)", got)
            assert first == again, command


def test_the_first_steps_of_the_readme(sample, tmp_path):
    pairs = examples(markdown_blocks(TOP / "README.md", "First steps"))
    assert len(pairs) > 3
    for _ in range(2):
        compare(pairs, run(sample, pairs, tmp_path))


@pytest.mark.slow
def test_the_guide_for_clients(sample, tmp_path):
    """As it stands, and again."""
    blocks = markdown_blocks(TOP / "doc/client.md")
    pairs = examples(blocks)
    (tmp_path / "signed.py").write_text(python_block(blocks), encoding="utf-8")
    assert len(pairs) > 12 and sum(answer is not None for _, answer in pairs) > 2
    for _ in range(2):
        compare(pairs, run(sample, pairs, tmp_path))


@pytest.mark.slow
def test_the_examples_of_the_manual(sample, tmp_path):
    sample.ctl("key", "init")
    key = dict(line.split("=") for line in sample.ctl("key", "add", "documents").stdout.splitlines())
    blocks = manual_blocks()
    pairs = [*examples(blocks), ["export api; python3 signed.py", None]]
    (tmp_path / "signed.py").write_text(python_block(blocks), encoding="utf-8")
    assert len(pairs) > 8 and sum(answer is not None for _, answer in pairs) > 7
    compare(pairs, run(sample, pairs, tmp_path, **key))


def test_all_other_commands_are_run_on_machines():
    """By tests/package; each block that is not has a reason there."""
    checked = subprocess.run([TOP / "tests/package/blocks", "--check"], capture_output=True, text=True, timeout=60)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_guide_signs_as_the_manual_does():
    guide, manual = markdown_blocks(TOP / "doc/client.md"), manual_blocks()
    assert python_block(guide) == python_block(manual)
    assert [block for block in guide if "openssl" in block] == [block for block in manual if "openssl" in block] != []


# Tables --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def operations(service):
    """{func: (method, operation)} of the description that the service gives of itself."""
    paths = json.loads(service.request(path="/openapi.json").body)["paths"]
    return {path.rpartition("/")[2]: pair for path, methods in paths.items() for pair in methods.items()}


def parameters(method, operation):
    """{name: whether it is required}, but for what every request may carry."""
    if method == "get":
        return {param["name"]: param.get("required", False) for param in operation["parameters"] if "name" in param}
    if "requestBody" not in operation:
        return {}
    schema = operation["requestBody"]["content"]["multipart/form-data"]["schema"]
    schema = schema.get("oneOf", [schema])[-1]
    return {name: name in schema["required"] for name in schema["properties"] if name != "delete"}


def test_the_guide_has_every_operation(operations):
    """With its login and its parameters; an update has those of the new thing."""
    text = (TOP / "doc/client.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \| (yes)? ?\| (.*?)\| .*\|$", text.partition("\n## Operations\n")[2], re.MULTILINE)
    assert [func for func, _, _ in rows] == list(operations)
    for func, login, words in rows:
        method, operation = operations[func]
        assert bool(login) == ({} not in operation["security"]), func
        wanted = parameters(method, operation)
        if same := re.search(r"as (\w+)", words):
            wanted = {name: required for name, required in wanted.items()
                      if name not in parameters(*operations[same[1]])}
            words = re.sub(r"(, and )?as .*", "", words)
        names = re.findall(r"(\w+)( [\d.]+)?(\*)?(?:,|$)", words.partition("; or ")[0].strip())
        assert {name: not star for name, _, star in names} == wanted, func


def tables_of_the_manual():
    """{what: {element: whether it is always there}}."""
    text = MANUAL.read_text(encoding="utf-8").partition(".Ss Elements\n")[2]
    section = re.split(r"^\.Ss ", text, flags=re.MULTILINE)[0]
    tables = {}
    for heads, table in re.findall(r"^\.It (.*)\n\.Bl .*\n((?:.*\n)*?)\.El$", section, re.MULTILINE):
        rows = {name: not bracket for bracket, name in re.findall(r"^\.It (Op )?Li (\w+)$", table, re.MULTILINE)}
        for head in re.sub(r"No [a-z ]*each \w+|\b(?:Cm|Li|No)\b|of", "", heads).split(" , "):
            tables[" ".join(head.split())] = rows
    return {head: rows for head, rows in tables.items() if head}


# What reads otherwise in one answer than in another.
OF_THEIR_OWN = "photos ", "comments getComments"


def tables_of(what, schema):
    """The same of a schema of the description."""
    required = schema["required"]
    yield what.rpartition(" ")[0] if " " in what and not what.startswith(OF_THEIR_OWN) else what, \
        {name: name in required for name in schema["properties"] if name != "status"}
    for name, child in schema["properties"].items():
        child = child.get("items", child)
        if "properties" in child:
            yield from tables_of(f"{name} {what}" if f"{name} {what}".startswith(OF_THEIR_OWN) else name, child)


def test_the_manual_has_every_element_of_every_answer(operations):
    wanted = {}
    for func, (_, operation) in operations.items():
        answer = operation["responses"]["200"]["content"]["application/json"]["schema"]["oneOf"][0]
        for what, rows in tables_of(func, answer):
            assert wanted.setdefault(what, rows) == rows, what
    found = tables_of_the_manual()
    assert len(found) > 12
    assert {what: list(rows.items()) for what, rows in found.items()} == {
        what: list(rows.items()) for what, rows in wanted.items() if rows}


def test_no_name_has_a_word_that_the_glossary_replaces():
    text = (TOP / "doc/architecture.md").read_text(encoding="utf-8").partition("\n## The words\n")[2].partition("\n## ")[0]
    words = re.findall(r"\*(\w+)\*", text)
    files = [path for pattern in ("schema/*.sql", "src/**/*.[chs]*", "www/js/**/*.js") for path in TOP.glob(pattern)]
    assert len(words) >= 2 and len(files) > 500
    for path in files:
        found = re.search("|".join(words), path.name + path.read_text(encoding="utf-8"), re.IGNORECASE)
        assert not found, f"{path}: {found[0]}"


def test_the_readme_is_short():
    """README is for a first reader; doc/ has what an operator or the author of a client reads later."""
    assert len((TOP / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


# A word in place of a noun. "One" is such a word unless a number.
STAND_IN = re.compile(
    r"\b(it|its|them|they|those|ones|who|whom|whose|whoever|what|whatever|(no|some|any|every)body|that of|that which)\b"
    r"|\bone(?=\s+(that|who|which|whose|is|was|has|had|can|may|must|does|did|of|in|by|for|with|at|on|to|as|and|or|but)\b"
    r"|\s*[,.;:)]|\s*$)", re.IGNORECASE)

# {document: the most that may be of sentences with two or more stand-ins, in percent, and of "where", in 1,000 words}.
PLAIN = {"README.md": (5, 2), "NEWS": (8, 2)} | {
    f"doc/{name}.md": (8, 2) for name in (
        "administer", "client", "cluster", "configure", "import", "install", "moderation", "performance", "security")} | {
    f"man/{name}": (8, 2) for name in (
        "mapdiary.7", "mapdiary.conf.5", "mapdiary-decoder.8", "mapdiary-mail.8", "mapdiaryd.8")}


def prose(path):
    """The text of a document. In a manual page, names stand in lines of their own, and each item begins a paragraph."""
    text = path.read_text(encoding="utf-8")
    if path.parent.name != "man":
        return text
    text = re.sub(r"^\.Bd.*?^\.Ed$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^\.(It|[BE]l|Pp|S[hs]|D[1dlt]|Os|N[dm]).*", "\n", text, flags=re.MULTILINE)
    return re.sub(r"^\.\w.*?( [.,:;])?$", r"x\1", text, flags=re.MULTILINE)


def plainness(text):
    """The two figures of PLAIN. Code, headings, tables and pictures are no sentences, and neither are three words."""
    text = re.sub(r"(?<=\n\n)(?: {4}.*\n)(?:\n*(?: {4}.*\n))*", "", text)
    text = re.sub(r"^(#|\||!\[).*", "", text, flags=re.MULTILINE)
    text = re.sub(r"^ *[-*] ", "\n", re.sub(r"`[^`]*`", "x", text), flags=re.MULTILINE)
    found = [part for part in re.split(r"(?<=[.!?])\s+|\n\s*\n", text) if len(part.split()) > 3]
    entangled = sum(len(STAND_IN.findall(part)) > 1 for part in found)
    where = sum(len(re.findall(r"\bwhere\b", part, re.IGNORECASE)) for part in found)
    return 100 * entangled / len(found), 1000 * where / sum(len(part.split()) for part in found)


@pytest.mark.parametrize("name", PLAIN)
def test_the_english_is_plain(name):
    found = plainness(prose(TOP / name))
    assert all(figure <= most for figure, most in zip(found, PLAIN[name], strict=True)), found


def test_english_that_is_not_plain_is_found():
    text = "The worker answers the request.\n\n- Whoever has it keeps it where it is.\n\n    it is what it is, where it is\n"
    assert plainness(text) == (50, 1000 / 13)


DOCUMENTS = [TOP / "README.md", *sorted((TOP / "doc").glob("*.md"))]


def anchors(path):
    """The headings of a document, as links name them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)]+)\)", path.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        document = path.parent / file if file else path
        assert document.exists(), target
        assert not anchor or anchor in anchors(document), target


def test_the_architecture_is_that_of_the_tree():
    text = (TOP / "doc/architecture.md").read_text(encoding="utf-8")
    table = text.partition("| folder |")[2].partition("\n\n")[0]
    layers = (TOP / "tests/unit/layers").read_text(encoding="utf-8")
    may_use = {folder: " ".join(word for word in words.split() if word != folder)
               for folder, words in re.findall(r'^ {4}"(\w+)": "([\w ]+)"', layers, re.MULTILINE)}
    assert dict(re.findall(r"^\| (\w+) \|.*\| *([\w ]*?) *\|$", table, re.MULTILINE)) == may_use
    folders = {path.name for path in (TOP / "src").iterdir() if path.is_dir()}
    for folder, file in re.findall(r"\b(\w+)/(\w+(?:\.(?:[ch]|sql))?)\b", text):
        if folder in folders:
            assert list((TOP / "src" / folder).glob(file if "." in file else f"{file}.[ch]")), f"{folder}/{file}"
