// Writing a blog: new, or one's own.

import { newKey, read, write } from "../api.js";
import { BLOG_TYPES, today, WEATHERS } from "../domain.js";
import { button, el, fill, icon, linkButton } from "../dom.js";
import { draftOf } from "../drafts.js";
import { editor } from "../editor.js";
import { choices, clearErrors, field, input, showFieldError, submitButton, valuesOf } from "../forms.js";
import { nothing, waiting } from "../lists.js";
import { mapType, view } from "../map.js";
import { complain, note } from "../notes.js";
import { placeField } from "../place_field.js";
import { address, go } from "../router.js";
import { user } from "../session.js";
import { t } from "../texts.js";

const CHOICES = 10;
const MOST = 100_000;

/** The form; the address names the blog that is changed, or the one that is answered ("reply"). */
export async function showWrite(panel, { value: blogID, params }) {
    if (!user()) return go(address("login", "", { then: location.hash.slice(1) }));
    fill(panel, waiting());
    const draft = draftOf(`blog.${blogID || "new"}`);
    try {
        const before = blogID ? await stored(blogID) : { type: "0_2", weather: "晴空萬里", visibility: "public", ...dateFields(today()) };
        before.replyBlogID = params.get("reply") ?? before.replyBlogID;
        fill(panel, make(blogID, { ...before, ...draft.values() }, draft));
        panel.querySelector("[name=blogTitle]").focus({ preventScroll: true });
    } catch (error) {
        fill(panel, nothing(t("error.piece"), "warning", linkButton(address("latest"), "back", t("toLatest"))));
        complain(error);
    }
}

const two = (number) => String(number).padStart(2, "0");
const dateFields = ({ year, month, day }) => ({ date: `${String(year).padStart(4, "0")}-${two(Number(month))}-${two(Number(day))}` });

async function stored(blogID) {
    const [blog, about] = await Promise.all([read("getBlog", { blogID }), read("getPiece", { blogID }).catch(() => ({}))]);
    return { ...blog, ...blog.Location, ...dateFields(blog.postDate), visibility: about.visibility ?? "public", hasVote: Boolean(blog.vote) };
}

function make(blogID, values, draft) {
    const content = editor(values.blogContent ?? "", () => keep());
    const place = values.lat !== undefined && values.lat !== "" ? { lat: Number(values.lat), lng: Number(values.lng) } : null;
    const title = input("text", { required: true, maxlength: 255, autocomplete: "off", value: values.blogTitle ?? "" });
    const current = () => ({ ...valuesOf(form), blogContent: content.value(), replyBlogID: values.replyBlogID });
    const keep = () => {
        const kept = draft.keep(current());
        state.textContent = kept ? t("draft.kept") : "";
    };
    const state = el("span", { class: "quiet", role: "status" });
    const form = el("form", { class: "form", novalidate: false, oninput: keep, onsubmit: (event) => {
        event.preventDefault();
        send(form, blogID, current(), draft);
    } },
    el("h1", { class: "panel-title", tabindex: "-1" }, t(blogID ? "write.edit" : "write.new")),
    draft.exists() && restored(draft, blogID),
    values.replyBlogID && el("p", { class: "quiet" }, icon("reply"), t("answers")),
    field("blogTitle", title),
    content.element,
    placeField(place, () => keep()),
    choices("type", Object.entries(BLOG_TYPES).map(([value, drawing]) => ({ value, drawing, text: t(`type.${value}`) })), values.type),
    choices("weather", Object.entries(WEATHERS).map(([value, drawing]) => ({ value, drawing, text: t(`weather.${value}`) })), values.weather),
    field("date", input("date", { required: true, value: values.date })),
    choices("visibility", ["public", "private"].map((value) => ({ value, drawing: value === "public" ? "globe" : "lock", text: t(`visibility.${value}`) })), values.visibility),
    field("userCategory", input("text", { maxlength: 255, value: values.userCategory ?? "" }), { hint: t("userCategory.hint") }),
    !values.hasVote && voteFields(values),
    el("div", { class: "form-end" }, submitButton(t(blogID ? "save" : "publish"), "send"),
        el("a", { class: "button", href: blogID ? address("blog", blogID) : address("latest") }, t("cancel")), state));
    return form;
}

function restored(draft, blogID) {
    const discard = () => {
        draft.forget();
        go(address("write", blogID));
    };
    return el("div", { class: "info-box", role: "status" }, icon("clock"), el("p", {}, t("draft.restored")),
        button("trash", t("draft.discard"), discard, { className: "button small" }));
}

function voteFields(values) {
    const list = el("div", { class: "vote-fields" });
    const add = (value = "") => {
        const n = list.children.length + 1;
        if (n > CHOICES) return;
        list.append(field(`choice${n}`, input("text", { maxlength: 255, value }), { label: t("vote.choice", { n }) }));
    };
    for (let n = 1; n <= Math.max(2, countChoices(values)); n++) add(values[`choice${n}`] ?? "");
    return el("details", { class: "vote-editor", open: Boolean(values.voteDescription) },
        el("summary", {}, icon("vote"), t("vote.add")),
        field("voteDescription", input("text", { maxlength: 255, value: values.voteDescription ?? "" }), { label: t("vote.question") }),
        list, button("plus", t("vote.more"), () => add(), { className: "button small" }));
}

const countChoices = (values) => Object.keys(values).filter((name) => /^choice\d+$/.test(name) && values[name]).length;

// Sending ------------------------------------------------------------------------------------------------------------

function blogParams(blogID, { date, blogTitle, blogContent, type, weather, lat, lng, visibility, userCategory, replyBlogID }) {
    const [year, month, day] = date.split("-").map(Number);
    return {
        blogID: blogID || undefined, type, lat, lng, blogTitle: blogTitle.trim(), blogContent, year, month, day, weather, visibility,
        replyBlogID: replyBlogID || undefined, userCategory: userCategory || undefined,
    };
}

function voteParams(values) {
    const given = Array.from({ length: CHOICES }, (_, i) => values[`choice${i + 1}`]?.trim()).filter(Boolean);
    if (!values.voteDescription?.trim() || given.length < 2) return null;
    return { description: values.voteDescription.trim(), ...Object.fromEntries(given.map((text, i) => [`choice${i + 1}`, text])) };
}

async function send(form, blogID, values, draft) {
    clearErrors(form);
    if (!values.blogContent) return note(t("content.empty"), { kind: "error" });
    if (values.blogContent.length > MOST) return note(t("content.long"), { kind: "error" });
    draft.keep(values);
    const params = blogParams(blogID, values);
    // What the map shows is part of a blog, and another try may find it elsewhere: the request is the same one.
    const sent = draft.sent(params, () => ({ ...params, zoomLevel: view().zoom, mapType: mapType(), key: newKey() }));
    form.setAttribute("aria-busy", "true");
    try {
        const id = blogID || (await post("postBlog", sent)).blogID;
        if (blogID) await post("updateBlog", sent);
        const vote = voteParams(values);
        if (vote) await write("addVote", { blogID: id, ...vote }, `${sent.key}-vote`);
        draft.forget();
        note(t(blogID ? "saved" : "published"));
        go(address("blog", id));
    } catch (error) {
        draft.failed(error);
        if (!showFieldError(form, error)) complain(error, () => form.requestSubmit());
    }
    form.removeAttribute("aria-busy");
}

const post = (func, { key, ...params }) => write(func, params, key);
