"""Editing texts in the page: what an editor keeps, what it says that it cannot keep, what is pasted from other programs."""

import pytest
from selenium.webdriver.common.keys import Keys

import samples
from browser import PHONE
from service import until

EDITOR, TITLE, LABEL = ".editor", "[name=blogTitle]", "[name=userCategory]"

ELEMENTS = """a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption cite code col colgroup data
    datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr
    html i iframe img input ins kbd label legend li link main map mark menu meta meter nav noscript object ol optgroup option output p
    picture pre progress q rp rt ruby s samp script search section select slot small source span strong style sub summary sup table tbody
    td template textarea tfoot th thead time title tr track u ul var video wbr acronym applet basefont big center dir font frame frameset
    isindex listing marquee menuitem nobr noembed noframes param plaintext rb rtc strike tt xmp math svg""".split()
ATTRIBUTES = 'id="n1" onclick="x()" data-x=1 style="color: red"'
ALL_OF_HTML = "".join(f"<{name} {ATTRIBUTES}>{name}</{name}>\r\n" for name in ELEMENTS)
KEPT = """<h1>one</h1><p>two <a href="#blog=7">here</a> <a href="/photos/1.jpg">a photo</a> <a href="tel:+886-2-1234">call</a>
<a href="geo:25.033,121.5654">there</a> <a href="mailto:a@example.org">mail</a> <a href="https://example.org/?a=1&amp;b=2">far</a></p>
<ol start="4" reversed=""><li value="9">nine</li><li>eight<ul><li>inner</li></ul></li></ol>
<table><caption>what</caption><thead><tr><th colspan="2">a</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>
<dl><dt>term</dt><dd>words</dd></dl><pre>  as
    it is</pre><blockquote><p>said</p></blockquote>
<p>字 &lt;b&gt; &amp; 👩‍👩‍👧 <b>b</b><i>i</i><sub>2</sub><mark lang="zh" dir="ltr">m</mark></p>
<figure><figcaption>f</figcaption></figure><hr><p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></p>"""


def plane(number):
    """Two characters of it, which XML may have."""
    return "".join(chr(number * 0x10000 + offset) for offset in (0x4321, 0xFDF1 if number == 0 else 0xFFFD))


PLANES = "".join(map(plane, range(17)))


@pytest.fixture
def post(service, author):
    return lambda **others: int(service.ok("postBlog", user=author, **samples.BLOG | others)["blogID"])


@pytest.fixture
def row(db):
    return lambda number: db.value("SELECT to_jsonb(b) || jsonb_build_object('lat', lat::text, 'lng', lng::text)"
                                   " FROM blog AS b WHERE number = %s", number)


def changes(before, after):
    return {name for name in before if before[name] != after[name]} - {"updated_at", "version"}


def press(page, *keys):
    """With a key that is held."""
    page.driver.switch_to.active_element.send_keys(*keys)


def saved(page):
    page.click(".form-end button[type=submit]")
    page.find(".piece h1")


# What was not touched --------------------------------------------------------------------------------------------------


OTHERS = {"weather": "大雪數日", "type": "0_0", "zoomLevel": 18, "mapType": 3, "year": 50, "month": 1, "day": 2}
PIECES = {
    "all of HTML": {"blogContent": ALL_OF_HTML, "lat": "25.0330", "lng": "0.0000005"},
    "kept": {"blogContent": KEPT, "lat": "-0.000000512345678901234", "lng": "-180"},
    "planes": {"blogContent": PLANES, "blogTitle": PLANES, "lat": "1e0".replace("e0", ""), "lng": "121.50"},
    "planes in HTML": {"blogContent": f"<p title='{PLANES}'>{PLANES}</p>", "blogTitle": f" {PLANES} "},
    "lone breaks": {"blogContent": "one\rtwo\nthree\r\nfour \t five"},
}


@pytest.mark.few(1)
@pytest.mark.parametrize("piece", PIECES)
def test_one_field_is_changed_and_no_other(page, post, row, piece):
    blog = post(**OTHERS | PIECES[piece], replyBlogID=post())
    before = row(blog)
    assert before["content"] == PIECES[piece]["blogContent"]
    page.go(f"#write={blog}", ready=TITLE)
    page.unfold()
    page.type(LABEL, "another")
    saved(page)
    after = row(blog)
    assert changes(before, after) == {"user_category"} and after["user_category"] == "another"
    page.console()


def test_a_changed_text_keeps_all_else(page, post, row):
    """What the editor keeps is there after a change, too."""
    blog = post(blogContent=KEPT)
    page.go(f"#write={blog}", ready=EDITOR)
    page.click(f"{EDITOR} h1")
    page.keys(Keys.END, "!")
    saved(page)
    assert row(blog)["content"] == KEPT.replace("<h1>one</h1>", "<h1>one!</h1>")
    assert page.run("return document.querySelector('.prose ol').start") == 4
    assert page.text(".prose caption") == "what"


# What is shown ---------------------------------------------------------------------------------------------------------


LINKS = """<p><a href="#blog={blog}">an entry</a><a href="{base}/#user=1">an author</a><a href="#n1">a note</a>
<a href="/photos/x.jpg">a photo</a><a href="tel:+1">call</a><a href="geo:1,2">there</a><a href="https://example.org/">far</a>
<a href="javascript:alert(1)">bad</a><a href="//example.org/x">other</a><a href=" java&#10;script:alert(1)">worse</a>
<a href="data:text/html,x">data</a></p>"""


def test_links_lead_where_they_say(page, post):
    other = post(blogTitle="the other one")
    blog = post(blogContent=LINKS.format(blog=other, base=page.base))
    page.go(f"#blog={blog}", ready=".prose a")
    shown = page.run(
        "return [...document.querySelectorAll('.prose a')].map((one) => [one.textContent, one.getAttribute('href'), one.target])"
    )
    assert shown == [
        ["an entry", f"#blog={other}", ""],
        ["an author", f"{page.base}/#user=1", ""],
        ["a note", None, ""],
        ["a photo", "/photos/x.jpg", "_blank"],
        ["call", "tel:+1", ""],
        ["there", "geo:1,2", ""],
        ["far", "https://example.org/", "_blank"],
        ["bad", None, ""],
        ["other", "//example.org/x", "_blank"],
        ["worse", None, ""],
        ["data", None, ""],
    ]
    page.click(".prose a", "an entry")
    page.find(".piece h1", "the other one")


FORMULA = """<p>so <math display="block" onclick="x()"><semantics><mrow><mi>x</mi><mo>=</mo>
<mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><msup><mi>b</mi><mn>2</mn></msup></mfrac></mrow>
<annotation encoding="application/x-tex">x=\\frac</annotation></semantics></math> it is</p>"""


def test_a_formula_shows_its_text(page, post):
    page.go(f"#blog={post(blogContent=FORMULA)}", ready=".prose")
    assert page.text(".prose").replace(" ", "") == "sox=(a+1)/(b^2)itis"
    assert not page.all(".prose math")
    page.console()


@pytest.mark.few(1)
@pytest.mark.parametrize("html, shown", [
    ("one\r\n  two   three\r\n\tfour <b> five</b>", "one\n  two   three\n\tfour  five"),
    ("<p>one\r\n  two   three\r\n</p>\r\n<p>four</p>", "one two three\n\nfour"),
    ("<section>\r\n  one\r\n    two</section>", "one two"),
    ("<li>one\r\n   two", "one two"),
    ("one<br>\r\n  two", "one\ntwo"),
])
def test_white_space_shows_where_it_is_meant(page, post, html, shown):
    page.go(f"#blog={post(blogContent=html)}", ready=".prose")
    assert page.text(".prose").strip() == shown
    page.console()


@pytest.mark.slow
def test_runs_of_blanks_stay_after_a_change(page, post, row):
    blog = post(blogContent="one\r\n  two   three <b> four</b>")
    page.go(f"#write={blog}", ready=EDITOR)
    page.click(EDITOR)
    press(page, Keys.CONTROL, Keys.HOME)
    page.keys("x")
    saved(page)
    assert page.text(".prose").replace("\xa0", " ") == "xone\n  two   three  four"


# What an editor cannot keep ---------------------------------------------------------------------------------------------


LOCKED = "<p>mine <video src=x></video></p>\r\n<!-- a remark --><p style='color: red'>red</p>"


@pytest.mark.slow
def test_a_text_that_cannot_be_kept_is_edited_all_the_same(page, post, row):
    blog = post(blogContent=LOCKED)
    page.resize(PHONE)
    page.go(f"#write={blog}", ready=".locked")
    page.says("1 video, 1 hidden remark, 1 × style=", "[data-field=blogContent]")
    assert [one.text for one in page.all("[data-field=blogContent] .info-box button")] == ["Edit the text", "Edit the HTML"]
    before = row(blog)
    page.click(".info-box button", "Edit the text")
    page.find(EDITOR, "mine")
    page.says("As soon as you change the text, it loses", ".info-box")
    page.unfold()
    page.type(LABEL, "not the text")
    saved(page)
    assert changes(before, row(blog)) == {"user_category"}
    page.go(f"#write={blog}", ready=".locked")
    page.click(".info-box button", "Edit the text")
    page.click(EDITOR)
    press(page, Keys.CONTROL, Keys.END)
    page.keys(" more")
    page.click(".info-box button", "Leave it as it was")
    page.find(".locked", "mine")
    saved(page)
    assert row(blog)["content"] == LOCKED
    page.go(f"#write={blog}", ready=".locked")
    page.click(".info-box button", "Edit the text")
    page.click(EDITOR)
    press(page, Keys.CONTROL, Keys.END)
    page.keys(" more")
    saved(page)
    assert row(blog)["content"] == "<p>mine </p>\n<p>red more</p>"
    page.console()


@pytest.mark.slow
def test_the_html_of_a_text_is_edited(page, post, row):
    blog = post(blogContent=LOCKED)
    before = row(blog)
    page.go(f"#write={blog}", ready=".locked")
    page.click(".info-box button", "Edit the HTML")
    source = page.find(".source")
    assert source.get_attribute("value") == LOCKED.replace("\r\n", "\n")
    page.unfold()
    page.type(LABEL, "not the text")
    saved(page)
    assert changes(before, row(blog)) == {"user_category"}
    page.go(f"#write={blog}", ready=".locked")
    page.click(".info-box button", "Edit the HTML")
    page.click(".source")
    press(page, Keys.CONTROL, Keys.END)
    page.keys("<p>more")
    page.open(f"#write={blog}", ready=".locked")    # as a draft
    page.says("more", ".locked")
    saved(page)
    assert row(blog)["content"] == f"{LOCKED}<p>more"
    page.console()


# What is pasted ---------------------------------------------------------------------------------------------------------


WORD = """<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word">
<head><meta charset=utf-8><title>x</title><!--[if gte mso 9]><xml><w:WordDocument/></xml><![endif]-->
<style><!-- @list l0:level1 {mso-level-number-format:bullet;} p.MsoNormal {margin:0cm;} --></style></head>
<body lang=EN-US style='tab-interval:36.0pt'><!--StartFragment-->
<h1><a name="_Toc1"></a><span lang=EN-US style='mso-ansi-language:EN-US'>The first
heading<o:p></o:p></span></h1>
<p class=MsoNormal><span style='mso-bidi-font-weight:bold'>Words with a <b style='mso-bidi-font-weight:normal'>bold</b> one and a <a
href="https://example.org/page?a=1&amp;b=2"><span style='color:blue'>link</span></a>, and <a href="#_Toc1">none</a>.<o:p></o:p></span></p>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;
</span></span></span><![endif]>one<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='margin-left:72.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span
style='font-family:"Courier New"'><span style='mso-list:Ignore'>o<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;
</span></span></span><![endif]>inner<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='font-family:Symbol'><span style='mso-list:Ignore'>·<span>&nbsp; </span></span></span><![endif]>two<o:p></o:p></p>
<h2>The second<o:p></o:p></h2>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><![if !supportLists]><span><span style='mso-list:Ignore'>3.<span>&nbsp;
</span></span></span><![endif]>three<o:p></o:p></p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><![if !supportLists]><span><span style='mso-list:Ignore'>4.<span>&nbsp;
</span></span></span><![endif]>four<o:p></o:p></p>
<table class=MsoTableGrid border=1><tr><td width=100><p class=MsoNormal>cell</p></td></tr></table>
<!--EndFragment--></body></html>"""
FROM_WORD = """<h1>The first heading</h1>
<p>Words with a <b>bold</b> one and a <a href="https://example.org/page?a=1&amp;b=2">link</a>, and none.</p>
<ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul><h2>The second</h2><ol start="3"><li>three</li><li>four</li></ol>
<table><tbody><tr><td><p>cell</p></td></tr></tbody></table>"""
GOOGLE = """<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1">
<h2 dir="ltr"><span style="font-weight:400;">Heading</span></h2>
<ul style="margin-top:0"><li dir="ltr"><p dir="ltr"><span style="font-weight:700;">one</span></p></li></ul>
<p><span style="font-style:italic">two</span></p></b>"""
FROM_GOOGLE = "<h2>Heading</h2><ul><li><p><b>one</b></p></li></ul><p><i>two</i></p>"
CODE = """<meta charset='utf-8'><div style="white-space: pre;"><div><span style="color: #00f;">if</span><span> x:</span></div>
<div>    y</div></div>"""
BAD = """<p>good <a href="javascript:alert(1)">link</a><img src=x onerror="window.pwned = 1"></p><h3 onclick="x()">three</h3>
<script>window.pwned = 2</script>"""
PASTES = {
    "Word": (WORD, "not this", FROM_WORD),
    "Google": (GOOGLE, "not this", FROM_GOOGLE),
    "code": (CODE, "if x:\n    y", None),
    "bad": (BAD, "not this", "<p>good link</p><h3>three</h3>"),
}
COPIED = """addEventListener('copy', (event) => {
        event.preventDefault();
        event.clipboardData.setData('text/html', arguments[0]);
        event.clipboardData.setData('text/plain', arguments[1]);
    }, { once: true });"""


def copy(page, html, text):
    """As another program would put it into the clipboard."""
    page.run(COPIED, html, text)
    page.click(TITLE)
    press(page, Keys.CONTROL, "a")
    press(page, Keys.CONTROL, "c")


def squeezed(html):
    return html.replace("\n", "").replace("> <", "><")


@pytest.mark.few(1)
@pytest.mark.parametrize("program", PASTES)
def test_what_is_pasted(page, post, row, program):
    html, text, wanted = PASTES[program]
    blog = post(blogContent="<p>before</p>")
    page.go(f"#write={blog}", ready=EDITOR)
    copy(page, html, text)
    page.click(EDITOR)
    press(page, Keys.CONTROL, Keys.END)
    page.keys(Keys.ENTER)
    press(page, Keys.CONTROL, "v")
    until(lambda: page.text(EDITOR).strip() != "before", "it is pasted")
    assert page.run("return window.pwned") is None
    page.console()
    saved(page)
    content = row(blog)["content"]
    if wanted is None:
        assert [line for line in page.text(".prose").replace("\xa0", " ").split("\n") if line] == ["before", "if x:", "    y"], content
    else:
        assert squeezed(content) == f"<p>before</p>{squeezed(wanted)}"
    page.console()
