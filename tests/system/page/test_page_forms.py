"""Forms lose nothing of what is stored, of what somebody typed, and of who may see it. The pieces are another client's."""

import urllib.parse

import pytest

import drawn
import samples
from browser import PHONE
from service import until

EDITOR, TITLE = ".editor", "[name=blogTitle]"
BUSY = (429, "TOO MANY ATTEMPTS")


@pytest.fixture
def writer(page, new_user, lossy):
    """Somebody at the page, behind a network that can be told to fail."""
    user = new_user()
    page.begin(f"http://127.0.0.1:{lossy.port}")
    page.become(user)
    yield user
    page.console()  # which tells of each request that failed


@pytest.fixture
def post(service, writer):
    """Stores a blog of the writer's."""
    return lambda **others: int(service.ok("postBlog", user=writer, **samples.BLOG | others)["blogID"])


@pytest.fixture
def row(db):
    """What is stored of a piece, by the names of the columns."""
    def read(kind, number):
        return db.value("SELECT to_jsonb(p) || jsonb_build_object('lat', lat::text, 'lng', lng::text)"
                        f" FROM {kind} AS p WHERE number = %s", number)

    return read


def changes(before, after):
    return {name for name in before if before[name] != after[name]} - {"updated_at", "version"}


def save(page):
    page.click(".form-end button[type=submit]")


def saved(page):
    save(page)
    page.find(".piece h1")


def value(page, selector):
    return page.find(selector).get_attribute("value")


def chosen(page, name):
    return page.run("return document.querySelector(`[name=${arguments[0]}]:checked`)?.value", name)


def sent(lossy, operation):
    return [dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True)) for name, body in lossy.seen if name == operation and body]


# What cannot be read -------------------------------------------------------------------------------------------------


@pytest.mark.few(1)
@pytest.mark.parametrize("kind, fates", [
    ("blog", {"getPiece": "cut", "getBlog": BUSY}), ("album", {"getPiece": BUSY, "getAlbum": (503, "SERVICE UNAVAILABLE")}),
])
def test_a_form_opens_with_all_that_is_stored_or_not_at_all(page, service, writer, lossy, post, row, kind, fates):
    if kind == "blog":
        number, form, field = post(visibility="private"), "write", TITLE
    else:
        number = int(service.ok("addAlbum", user=writer, **samples.ALBUM, visibility="private")["albumID"])
        form, field = "album-edit", "[name=albumTitle]"
    before = row(kind, number)
    for operation, fate in reversed(fates.items()):
        lossy.fates = {operation: fate}
        page.go(f"#{form}={number}", ready=".nothing")
        page.says("could not be read", ".nothing")
        assert not page.all("#panel form")
        page.go("#me", ready=".settings")
    lossy.fates = {"getPiece": BUSY}
    page.go(f"#{form}={number}", ready=".nothing")
    lossy.fates = {}
    page.click(".nothing button", "Try again")
    page.type(field, "another title")
    assert chosen(page, "visibility") == "private"
    saved(page)
    after = row(kind, number)
    assert changes(before, after) == {"title"} and after["visibility"] == "private"


def test_no_form_opens_after_the_session(page, writer, post, service):
    blog = post()
    service.ok("logout", user=writer)
    page.go(f"#write={blog}", ready=".nothing")
    page.says("Please log in", ".nothing")


# What is sent --------------------------------------------------------------------------------------------------------

OTHERS_HTML = """<h1>日</h1>\r\n<p class="x" style="color: red">a <font color=red>b</font> <!-- c -->
<a href="#n1" id=n0>1</a> <a href="geo:25,121">here</a></p>
<img src="https://elsewhere.example/1.jpg"><img src=//elsewhere.example/2.jpg><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
<video controls src="https://elsewhere.example/v.mp4"></video><ol start=4><li>four</li></ol><math><mi>x</mi></math>\r\n
<iframe src="https://elsewhere.example/"></iframe>   <pre>\r\n  1\r\n\t2</pre>"""
STORED = [
    {"blogContent": OTHERS_HTML, "zoomLevel": 18, "mapType": 3, "userCategory": " label ", "lat": "25.0330", "lng": "0.0000005"},
    {"blogContent": "one\r\n  two\r\n\tthree & <b>four</b>", "zoomLevel": 3, "mapType": 2, "lat": "-0.10", "lng": "121.565400"},
    {"blogContent": "<p>one<p>two", "blogTitle": "  blanks around ", "visibility": "private"},
    {"blogContent": " ", "year": 50, "month": 1, "day": 2, "weather": "大雪數日", "type": "0_0"},
]


def test_an_update_changes_what_was_changed(page, writer, post, row, lossy):
    for stored in STORED:
        blog = post(**stored, replyBlogID=post())
        before = row("blog", blog)
        page.go(f"#write={blog}", ready=TITLE)
        page.unfold()
        page.type("[name=userCategory]", "new label")
        saved(page)
        after = row("blog", blog)
        assert changes(before, after) == {"user_category"} and after["user_category"] == "new label"
        assert "visibility" not in sent(lossy, "updateBlog")[-1]


def test_nothing_is_sent_where_nothing_was_changed(page, writer, post, lossy):
    page.go(f"#write={post()}", ready=TITLE)
    saved(page)
    assert sent(lossy, "updateBlog") == []


@pytest.mark.slow
def test_an_update_of_an_album_changes_what_was_changed(page, service, writer, row, lossy):
    params = samples.ALBUM | {"albumTitle": " 墾丁 ", "lat": "25.0330", "lng": "0.0000005", "visibility": "private"}
    album = int(service.ok("addAlbum", user=writer, **params)["albumID"])
    before = row("album", album)
    page.go(f"#album-edit={album}", ready="[name=albumTitle]")
    page.run("const one = document.querySelector('[name=category]'); one.value = '9'; one.dispatchEvent(new Event('change'))")
    saved(page)
    assert changes(before, row("album", album)) == {"slot"}
    assert "visibility" not in sent(lossy, "updateAlbum")[-1]


@pytest.mark.slow
def test_who_may_see_it_is_changed_by_its_control_alone(page, service, writer, post, row):
    blog = post()
    page.go(f"#write={blog}", ready=TITLE)
    service.ok("updateBlog", user=writer, blogID=blog, **samples.BLOG, visibility="private")
    page.type(TITLE, "another title")
    saved(page)
    assert row("blog", blog)["visibility"] == "private"
    page.go(f"#write={blog}", ready=TITLE)
    page.unfold()
    page.click("[data-field=visibility] .choice", "Everybody")
    saved(page)
    assert row("blog", blog)["visibility"] == "public"


# What an editor cannot keep ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_the_editor_cannot_keep_is_shown_and_named(page, writer, post, row):
    blog = post(blogContent='<p>mine</p><img src="https://a.example/1"><img src="/x"><img><video src="https://a.example/2"></video>')
    page.go(f"#write={blog}", ready=".locked")
    page.says("mine", ".locked")
    page.says("3 pictures of other sites, 1 video", "[data-field=blogContent]")
    assert not page.all("[contenteditable]")
    before = row("blog", blog)
    page.type(TITLE, "another title")
    saved(page)
    assert changes(before, row("blog", blog)) == {"title"}


KEPT = [
    "", "text", "a < b", "a\r\n  b", "<p>a</p><p>b<br>c</p>", "<b>a</b><i>b</i>", "&nbsp;&lt;p&gt;&eacute;", "<UL><LI>a<LI>b</UL>",
    '<a href="https://a.example" target="_blank" rel="nofollow">a</a>', '<table><tr><td colspan="2" lang="zh">a</td></tr></table>',
    "<h1>a</h1><h2>b</h2><blockquote>c</blockquote>", "<ol start=3 reversed><li value=7>a</ol>", "<table><caption>a</caption></table>",
    *(f"<a href='{link}'>a</a>" for link in ("geo:1,2", "tel:+1", "#blog=7", "/photos/1.jpg", "?a=b", "//a.example", "a/b:c")),
]
LOST = {
    "<style>p {}</style>a": {"style"}, "<p style='x'>a": {"@style"}, "<title>a</title>": {"title"}, "<!-- a -->b": {"comment"},
    "<tr><td>a": {"tr", "td"}, "<body bgcolor=red>a": {"@bgcolor"}, "<!DOCTYPE html><p>a": {"!doctype"}, "a <b and c": {"b"},
    "<details><summary>a</summary>b</details>": {"details", "summary"},
    "<a href='ftp://a.example'>a</a>": {"link"},
    "<a id=n1>a</a>": {"@id"}, "<svg><a></a></svg>": {"svg"}, "<ol type=a><li>a</ol>": {"@type"},
    "<script>a</script>": {"script"}, "<img src=x onerror=y>": {"img", "@onerror"}, "<x-y>a</x-y>": {"x-y"}, "<font>a</font>": {"font"},
    "<html><p>a": {"html"},
}


def test_what_would_be_lost_is_known(page, writer):
    script = """const done = arguments[arguments.length - 1];
        import(new URL("trusted.js", document.querySelector("[type=module]").src))
            .then(({ editable }) => done(arguments[0].map((html) => editable(html).lost)))"""
    texts = KEPT + list(LOST)
    lost = dict(zip(texts, page.driver.execute_async_script(script, texts)))
    assert {html: names for html, names in lost.items() if html in KEPT and names} == {}
    assert {html: names for html in LOST if (names := set(lost[html])) != LOST[html]} == {}


@pytest.mark.slow
def test_indented_lines_stay_indented_after_a_change(page, writer, post, row):
    blog = post(blogContent="one\r\n  two")
    page.go(f"#write={blog}", ready=EDITOR)
    page.click(EDITOR)
    page.keys("x")
    saved(page)
    content = row("blog", blog)["content"]
    assert "x" in content and content.replace("x", "") == "one<br>&nbsp;&nbsp;two"


# Drafts --------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_each_thing_that_is_written_has_a_draft_of_its_own(page, writer, post, db):
    first, second = post(), post()
    page.go(f"#write&reply={first}", ready=EDITOR)
    page.type(TITLE, "an answer to the first")
    for address in f"#write&reply={second}", "#write", f"#write={second}":
        page.open(address, ready=EDITOR)
        assert value(page, TITLE) == ("登山 <記>" if address.endswith(f"write={second}") else "")
        assert not page.all(".info-box")
    page.open("#write", ready=EDITOR)
    page.type(TITLE, "no answer")
    page.type(EDITOR, "text")
    page.tap_map(0.5, 0.7)
    saved(page)
    assert db.value("SELECT reply_number FROM blog WHERE title = 'no answer'") is None
    page.open(f"#write&reply={first}", ready=EDITOR)
    assert value(page, TITLE) == "an answer to the first"
    page.type(EDITOR, "text")
    page.tap_map(0.5, 0.7)
    saved(page)
    assert db.value("SELECT reply_number FROM blog WHERE title = 'an answer to the first'") == first


OTHERS = {"blogTitle": "new title", "blogContent": "<p>a longer text</p>", "visibility": "private"}


def resolve(page, choice):
    page.find(".conflict-field", "Text")
    page.find(".marked ins", "a longer")
    page.find(".marked del", "the draft's")
    page.click(".conflict button", choice)
    page.gone(".conflict")


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["Keep mine", "Keep the other", "Edit"])
def test_a_draft_of_what_was_changed_elsewhere_meets_it(page, service, writer, post, row, choice):
    blog = post(blogContent="<p>the first text</p>")
    page.go(f"#write={blog}", ready=EDITOR)
    page.type(EDITOR, "the draft's text")
    service.ok("updateBlog", user=writer, blogID=blog, **samples.BLOG | OTHERS)
    page.open(f"#write={blog}", ready=EDITOR)
    assert (page.find(EDITOR).text, value(page, TITLE), chosen(page, "visibility")) == ("the draft's text", "new title", "private")
    assert len(page.all(".conflict-field")) == 1
    page.unfold()
    page.type("[name=userCategory]", "label")
    save(page)
    assert page.run("return document.activeElement.id") == "conflict-title" and row("blog", blog)["title"] == "new title"
    resolve(page, choice)
    if choice == "Edit":
        assert page.run("return document.activeElement.classList.contains('editor')")
        page.keys("!")
    saved(page)
    after = row("blog", blog)
    assert (after["title"], after["visibility"], after["user_category"]) == ("new title", "private", "label")
    expected = {"Keep mine": "the draft's text", "Keep the other": "a longer text", "Edit": "!"}[choice]
    assert expected in after["content"]
    page.open(f"#write={blog}", ready=EDITOR)
    assert not page.all(".conflict")
    (aside,) = page.kept()
    dropped = "the draft's text" if choice == "Keep the other" else "a longer text"
    assert dropped in aside["edit"]["values"]["blogContent"]
    assert aside["until"] - aside["at"] == 30 * 24 * 3600 * 1000
    page.go("#drafts", ready=".draft")
    page.click(".draft summary")
    page.says(dropped, ".draft dd .prose")


# Changed meanwhile ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_update_names_the_version_it_is_upon(page, service, writer, post, lossy, db):
    blog = post()
    page.go(f"#write={blog}", ready=TITLE)
    page.type(TITLE, "another title")
    saved(page)
    assert sent(lossy, "updateBlog")[-1]["baseVersion"] == "1"
    album = int(service.ok("addAlbum", user=writer, **samples.ALBUM)["albumID"])
    page.go(f"#album-edit={album}", ready="[name=albumTitle]")
    page.type("[name=albumTitle]", "another title")
    saved(page)
    assert sent(lossy, "updateAlbum")[-1]["baseVersion"] == "1"
    assert db.value("SELECT version FROM blog WHERE number = %s", blog) == 2
    assert db.value("SELECT version FROM album WHERE number = %s", album) == 2


@pytest.mark.slow
def test_other_fields_that_were_changed_meanwhile_stay(page, service, writer, post, row, lossy):
    blog = post(lat="25.0330", lng="0.0000005")
    page.go(f"#write={blog}", ready=TITLE)
    page.type(TITLE, "another title")
    elsewhere = {"blogContent": "<p>elsewhere</p>", "lat": "-0.000000512345678901234", "lng": "1.50"}
    service.ok("updateBlog", user=writer, blogID=blog, **samples.BLOG | elsewhere)
    saved(page)
    after = row("blog", blog)
    assert (after["title"], after["content"]) == ("another title", "<p>elsewhere</p>")
    assert (after["lat"], after["lng"], after["version"]) == ("-0.000000512345678901234", "1.50", 3)
    first, second = sent(lossy, "updateBlog")
    assert (first["baseVersion"], second["baseVersion"]) == ("1", "2")


@pytest.mark.slow
def test_half_a_place_is_no_place(page, service, writer, row):
    """Latitude here and longitude there are one field in conflict."""
    album = int(service.ok("addAlbum", user=writer, **samples.ALBUM | {"lat": "1", "lng": "2"})["albumID"])
    page.go(f"#album-edit={album}", ready="[name=albumTitle]")
    page.type("[name=lat]", "3")
    service.ok("updateAlbum", user=writer, albumID=album, **samples.ALBUM | {"lat": "1", "lng": "4"})
    save(page)
    page.find(".conflict-field", "3, 2")
    page.find(".conflict-field", "1, 4")
    assert (row("album", album)["lat"], row("album", album)["lng"]) == ("1", "4")
    page.click(".conflict button", "Keep mine")
    page.gone(".conflict")
    saved(page)
    assert (row("album", album)["lat"], row("album", album)["lng"]) == ("3", "2")


@pytest.mark.slow
def test_own_values_that_are_stored_are_saved(page, service, writer, post, row):
    blog = post()
    page.go(f"#write={blog}", ready=TITLE)
    page.type(TITLE, "another title")
    service.ok("updateBlog", user=writer, blogID=blog, **samples.BLOG | {"blogTitle": "another title"})
    saved(page)
    assert row("blog", blog)["version"] == 2
    assert page.kept() == []


def test_the_same_field_is_a_question(page, service, writer, post, row):
    blog = post(blogContent="<p>one two three</p>")
    page.go(f"#write={blog}", ready=EDITOR)
    page.type(EDITOR, "one 2 three")
    service.ok("updateBlog", user=writer, blogID=blog, **samples.BLOG | {"blogContent": "<p>one two 3</p>"})
    save(page)
    page.find(".conflict")
    page.find(".marked ins", "two")
    assert [[one.text for one in page.all(f".marked {side}")] for side in ("del", "ins")] == [["2 three"], ["two 3"]]
    assert row("blog", blog)["content"] == "<p>one two 3</p>"
    page.click(".conflict button", "Keep mine")
    page.gone(".conflict")
    service.ok("updateBlog", user=writer, blogID=blog, **samples.BLOG | {"blogContent": "<p>and again</p>"})
    save(page)
    page.find(".marked ins", "and again")
    page.click(".conflict button", "Keep the other")
    page.gone(".conflict")
    assert page.find(EDITOR).text == "and again"
    saved(page)
    assert row("blog", blog)["content"] == "<p>and again</p>"
    assert len(page.kept()) == 2  # the texts that did not stay


@pytest.mark.slow
def test_twenty_thousand_words_are_compared(page, service, writer, post):
    words = [f"w{n}" for n in range(20_000)]
    blog = post(blogContent=" ".join(words[:1000]))
    page.go(f"#write={blog}", ready=EDITOR)
    page.run("const area = document.querySelector('.editor'); area.textContent = arguments[0];"
             "area.dispatchEvent(new Event('input', { bubbles: true }))",
             " ".join(reversed(words))[:99_000])
    service.ok("updateBlog", user=writer, blogID=blog, **samples.BLOG | {"blogContent": " ".join(words)[:99_000]})
    save(page)
    page.find(".marked ins", "w0 w1")
    page.find(".marked del")
    page.click(".conflict button", "Keep the other")
    page.gone(".conflict")
    page.find(EDITOR, "w0 w1")


@pytest.mark.slow
def test_moving_an_album_to_a_photo_keeps_what_was_changed_meanwhile(page, service, writer, row, folder):
    album = int(service.ok("addAlbum", user=writer, **samples.ALBUM)["albumID"])
    page.go(f"#album={album}", ready=".drop")
    service.ok("updateAlbum", user=writer, albumID=album, **samples.ALBUM | {"albumTitle": "new title", "category": 9})
    path = folder.make("files") / "taken.jpg"
    path.write_bytes(drawn.noted(place=(("N", 25.0, 30.0, 0.0), ("E", 121.0, 15.0, 0.0))))
    page.driver.find_element("id", "photo-files").send_keys(str(path))
    page.click(".place-question button", "Move the album there")
    until(lambda: row("album", album)["lat"] == "25.5", "the album has moved")
    assert (row("album", album)["title"], row("album", album)["slot"]) == ("new title", 9)


@pytest.mark.slow
def test_an_update_whose_answer_was_lost_is_no_draft_afterwards(page, writer, lossy, post, row):
    blog = post()
    page.go(f"#write={blog}", ready=EDITOR)
    page.type(TITLE, "another title")
    lossy.fates = {"updateBlog": "lost"}
    save(page)
    page.find(".note-error", "The service does not answer")
    lossy.fates = {}
    page.open(f"#write={blog}", ready=EDITOR)
    assert value(page, TITLE) == row("blog", blog)["title"] == "another title"
    assert not page.all(".conflict, .info-box")


@pytest.mark.slow
def test_a_draft_never_shows_more_to_others(page, writer, post, row):
    blog = post(visibility="private")
    page.go(f"#write={blog}", ready=EDITOR)
    page.type(TITLE, "a draft")
    page.unfold()
    page.click("[data-field=visibility] .choice", "Everybody")
    page.open(f"#write={blog}", ready=EDITOR)
    assert (value(page, TITLE), chosen(page, "visibility")) == ("a draft", "private")
    saved(page)
    assert (row("blog", blog)["title"], row("blog", blog)["visibility"]) == ("a draft", "private")


def test_a_session_that_ends_leaves_the_draft(page, service, writer, post):
    blog = post()
    page.go(f"#write={blog}", ready=EDITOR)
    page.type(TITLE, "a draft")
    service.ok("logout", user=writer)
    save(page)
    page.click(".dialog button", "Cancel")
    page.find(".note-error", "Please log in")
    page.login(writer)
    page.open(f"#write={blog}", ready=EDITOR)
    assert value(page, TITLE) == "a draft"


# One entry -----------------------------------------------------------------------------------------------------------


def fill_in(page, text="the first text"):
    page.go("#write", ready=EDITOR)
    page.type(TITLE, "one entry")
    page.type(EDITOR, text)
    page.tap_map(0.5, 0.7)


def entries(db, user):
    return db.run("SELECT number, title, content FROM blog WHERE owner_id = %s ORDER BY 1", user.id)


@pytest.mark.few(1)
@pytest.mark.parametrize("fate, reopen", [(BUSY, False), ("cut", True)])
def test_a_vote_that_failed_makes_no_second_entry(page, writer, lossy, db, fate, reopen):
    fill_in(page)
    page.click(".vote-editor summary")
    for name, text in ("voteDescription", "Again?"), ("choice1", "yes"), ("choice2", "no"):
        page.type(f"[name={name}]", text)
    lossy.fates["addVote"] = fate
    save(page)
    page.find(".note-error")
    (stored,) = entries(db, writer)
    assert page.address == f"#write={stored[0]}"
    lossy.fates.clear()
    if reopen:
        page.open(page.address, ready=EDITOR)
    assert value(page, "[name=choice2]") == "no"
    page.type(TITLE, "still one entry")
    saved(page)
    assert [title for _, title, _ in entries(db, writer)] == ["still one entry"]
    assert db.column("SELECT description FROM vote WHERE blog_id = %s", stored[0]) == ["Again?"]


@pytest.mark.few(1)
@pytest.mark.parametrize("fate, reopen", [("lost", False), ("lost", True), ("cut", True)])
def test_a_post_without_an_answer_is_asked_for_first(page, writer, lossy, db, fate, reopen):
    fill_in(page)
    lossy.fates["postBlog"] = fate
    save(page)
    page.find(".note-error", "The service does not answer")
    before = sent(lossy, "postBlog")[-1]
    lossy.fates.clear()
    if reopen:
        page.open("#write", ready=EDITOR)
        page.says("Nobody knows yet whether it was published")
    page.type(EDITOR, "the second text")
    saved(page)
    ((_, title, content),) = entries(db, writer)
    assert title == "one entry" and "the second text" in content
    assert sent(lossy, "postBlog")[-1] == before  # its own bytes
    page.go("#write", ready=EDITOR)
    assert value(page, TITLE) == ""


@pytest.mark.slow
def test_a_post_whose_key_the_service_has_forgotten_is_not_sent_by_itself(page, writer, lossy, db):
    fill_in(page)
    lossy.fates["postBlog"] = "lost"
    save(page)
    page.find(".note-error", "The service does not answer")
    lossy.fates.clear()
    page.driver.execute_async_script("""const [done] = arguments, opening = indexedDB.open("mapdiary");
        opening.onsuccess = () => {
            const drafts = opening.result.transaction("drafts", "readwrite").objectStore("drafts");
            drafts.openCursor().onsuccess = ({ target: { result: cursor } }) => {
                const draft = cursor.value;
                draft.post.at -= 25 * 3600 * 1000;
                cursor.update(draft).onsuccess = () => { opening.result.close(); done(); };
            };
        };""")
    page.open("#write", ready=EDITOR)
    save(page)
    page.find(".note-error", "Look into your diary")
    assert len(entries(db, writer)) == 1
    saved(page)
    assert len(entries(db, writer)) == 2


@pytest.mark.slow
def test_half_a_vote_is_not_dropped(page, writer, db):
    fill_in(page)
    page.click(".vote-editor summary")
    page.type("[name=voteDescription]", "Again?")
    save(page)
    page.find(".note-error", "at least two choices")
    assert entries(db, writer) == []


# Limits --------------------------------------------------------------------------------------------------------------

EMOJI = "🍜"


def give(page, selector, text):
    """As a paste does, which Chromium's driver cannot do for such characters."""
    page.find(selector)
    page.run("""const field = document.querySelector(arguments[0]); field.focus(); field.select?.();
        document.execCommand("insertText", false, arguments[1])""", selector, text)


def test_limits_count_characters_and_cut_nothing(page, writer, post, service, db):
    blog = post()
    page.go(f"#write={blog}", ready=EDITOR)
    for name in "blogTitle", "userCategory", "voteDescription", "choice1":
        if name == "userCategory":
            page.unfold()
        if name == "voteDescription":
            page.click(".vote-editor summary")
        field = f"[name={name}]"
        give(page, field, EMOJI * 256)
        assert value(page, field) == EMOJI * 256
        page.says("1 character too many", f"[data-field={name}]")
        give(page, field, EMOJI * 255)
        assert not page.all(".hint.over")
    page.run("for (const name of ['voteDescription', 'choice1']) document.querySelector(`[name=${name}]`).value = ''")
    saved(page)
    assert db.run("SELECT title, user_category FROM blog WHERE number = %s", blog) == [(EMOJI * 255, EMOJI * 255)]
    give(page, "[name=comment]", EMOJI * 5001)
    page.says("1 character too many", ".comment-form")
    page.click(".comment-form button")
    assert db.value("SELECT count(*) FROM comment WHERE kind = 2 AND number = %s", blog) == 0
    give(page, "[name=comment]", EMOJI * 5000)
    page.click(".comment-form button")
    until(lambda: db.column("SELECT comment FROM comment WHERE kind = 2 AND number = %s", blog) == [EMOJI * 5000], "the comment is stored")


@pytest.mark.slow
def test_a_long_text_is_counted_in_characters(page, writer, post, row):
    blog = post(blogContent="x" * 100_000)
    page.go(f"#write={blog}", ready=EDITOR)
    page.click(EDITOR)
    page.keys("x")
    save(page)
    page.find(".note-error", "1 character too many")
    page.run("document.querySelector('.editor').textContent = arguments[0]", "𠮷" * 60_000)
    saved(page)
    assert row("blog", blog)["content"] == "𠮷" * 60_000


@pytest.mark.slow
def test_passwords_count_bytes(page, writer, service):
    page.go("#me", ready=".settings")
    page.click(".settings summary", "Password")
    page.type("[name=password]", writer.password)
    give(page, "[name=newPassword]", "密" * 342)
    page.says("2 bytes too many", "[data-field=newPassword]")
    give(page, "[name=newPassword]", "短短")
    page.says("too short", "[data-field=newPassword]")
    give(page, "[name=newPassword]", "五個中文字")
    assert not page.all(".hint.over")
    page.run("document.querySelector('[name=newPassword]').form.requestSubmit()")
    page.find(".note", "Saved")
    assert service.call("login", email=writer.email, password="五個中文字").info is None


# Narrow pages --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_nobodys_words_widen_a_page(page, service, writer, new_user):
    long = "W" * 255
    stranger = new_user(name=long)
    content = long * 3 + f"<pre>{long}</pre><table><tr><td>{long}</table>"
    blog = int(service.ok("postBlog", user=stranger, **samples.BLOG | {
        "blogTitle": long, "userCategory": long, "blogContent": content})["blogID"])
    service.ok("addVote", user=stranger, blogID=blog, description=long, choice1=long, choice2=long)
    album = int(service.ok("addAlbum", user=stranger, **samples.ALBUM | {"albumTitle": long})["albumID"])
    comment = service.ok("addComment", user=stranger, blogID=blog, comment=long)["commentID"]
    service.ok("replyComment", user=stranger, commentID=comment, reply=long)
    service.ok("addComment", user=stranger, albumID=album, comment=long)
    page.become(stranger)
    page.resize(PHONE)
    page.open("#me", ready=".settings")
    for address, ready in (("#latest", ".card"), (f"#blog={blog}", ".comment"), (f"#album={album}", ".comment"),
                           (f"#user={stranger.id}", ".card"), (f"#search={long[:100]}", ".nothing"), (f"#write={blog}", TITLE),
                           (f"#album-edit={album}", "[name=albumTitle]"), ("#me", ".settings"), (f"#write&reply={blog}", EDITOR)):
        page.run("document.getElementById('panel').replaceChildren()")  # what is found is not the view before
        page.go(address, ready=ready)
        widths = page.run("""return [[document.documentElement.scrollWidth, "page"],
            ...[...document.querySelectorAll("#panel *")].filter((one) => !one.closest("pre, table, .strip"))
                .map((one) => [one.getBoundingClientRect().right, `${one.tagName} ${one.getAttribute("class")}`])]""")
        assert max(right for right, _ in widths) <= PHONE[0], (address, max(widths))
