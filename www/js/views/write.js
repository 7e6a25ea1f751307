// Writing a blog: new, or one's own.

import { isDecided, newKey, Refusal, write } from "../api.js";
import { BLOG_TYPES, today, WEATHERS } from "../domain.js";
import { el, fill, icon } from "../dom.js";
import { draftOf, isKnown } from "../drafts.js";
import { editor } from "../editor.js";
import { charactersOf, choices, clearErrors, field, input, line, showFieldError, submitButton, valuesOf, visibilities } from "../forms.js";
import { waiting } from "../lists.js";
import { mapType, view } from "../map.js";
import { complain, note } from "../notes.js";
import { placeField } from "../place_field.js";
import { address, go, replaceAddress } from "../router.js";
import { user } from "../session.js";
import { changedOrStored, readStored, unreadable } from "../stored.js";
import { t } from "../texts.js";
import { olderDraft, restoredDraft } from "./draft_boxes.js";
import { isBegun, voteFields, voteParams } from "./vote_fields.js";

const MOST = 100_000;

/**
 * @typedef {object} Entry what a form writes
 * @property {string | number} id of the stored blog; "" before there is one
 * @property {any} stored the fields as they are stored; null before
 * @property {string} reply the blog that a new one answers; "" for none
 * @property {ReturnType<typeof draftOf>} draft
 * @property {import("../drafts.js").Post | null} post which may have made the blog already
 * @property {boolean} busy whether it is being sent
 */

/** The form; the address names the blog that is changed, or the one that is answered ("reply"). */
export async function showWrite(panel, { value: blogID, params }) {
    if (!user()) return go(address("login", "", { then: location.hash.slice(1) }));
    fill(panel, waiting());
    const reply = blogID ? "" : params.get("reply") ?? "";
    const draft = draftOf(blogID ? `blog.${blogID}` : reply ? `blog.reply.${reply}` : "blog.new");
    try {
        const stored = blogID ? storedFields(await readStored("getBlog", { blogID })) : null;
        const entry = { id: blogID, stored, reply, draft, post: draft.post(), busy: false };
        open(panel, entry, stored ? restored(draft, stored) : { ...NEW, date: dateOf(today()), ...draft.values() });
    } catch (error) {
        unreadable(panel, error, () => showWrite(panel, { value: blogID, params }));
    }
}

const NEW = { type: "0_2", weather: "晴空萬里", visibility: "public" };

const two = (number) => String(number).padStart(2, "0");
const dateOf = ({ year, month, day }) => `${String(year).padStart(4, "0")}-${two(Number(month))}-${two(Number(day))}`;

// What an update sends, each as a text, so that it compares with what a field has; "" for what is absent.
const STORED = ["type", "lat", "lng", "blogTitle", "blogContent", "weather", "visibility", "userCategory", "replyBlogID", "zoomLevel", "mapType"];

function storedFields(blog) {
    const fields = Object.fromEntries(STORED.map((name) => [name, String(blog[name] ?? "")]));
    return { ...fields, date: dateOf(blog.postDate), hasVote: Boolean(blog.vote) };
}

const NAMES = [...STORED, "date"];
const isSame = (one, other) => Boolean(one) && NAMES.every((name) => (one[name] ?? "") === other[name]);

// What a form has of the fields that are stored, in the place of what is stored.
function merged(values, stored) {
    const changed = Object.fromEntries(NAMES.filter((name) => values[name] !== undefined).map((name) => [name, values[name]]));
    return { ...stored, ...changed, replyBlogID: stored.replyBlogID,
        blogTitle: changedOrStored(values.blogTitle, stored.blogTitle), userCategory: changedOrStored(values.userCategory, stored.userCategory) };
}

// What the form opens with. Whoever stored something else after a draft began finds that here, and the draft beside it.
function restored(draft, stored) {
    const [values, base] = [draft.values(), draft.base()];
    if (values.blogTitle === undefined) return stored;
    if (isSame(base, stored)) {
        return { ...stored, ...values, visibility: [stored.visibility, values.visibility].includes("private") ? "private" : "public" };
    }
    // A draft may have nothing of its own: nothing was changed in it, or its update was carried out and the answer was lost.
    const changed = isBegun(values) || ![base, stored].some((fields) => fields && isSame(merged(values, fields), fields));
    draft.keep({}, { base: undefined, older: [...draft.older(), ...(changed ? [{ values, base }] : [])] });
    return stored;
}

function open(panel, entry, values) {
    fill(panel, make(panel, entry, values));
    panel.querySelector("[name=blogTitle]").focus({ preventScroll: true });
}

function make(panel, entry, values) {
    const { id, stored, draft } = entry;
    const content = editor(values.blogContent ?? "", () => keep());
    const title = line({ required: true, autocomplete: "off", value: values.blogTitle ?? "" });
    const current = () => ({ ...valuesOf(form), blogContent: content.value() });
    const keep = () => {
        const kept = entry.draft.keep(current(), entry.stored ? { base: entry.stored } : {});
        state.textContent = kept ? t("draft.kept") : "";
    };
    const use = (older) => {
        content.set(older.values.blogContent ?? "");
        if (older.values.blogTitle && older.values.blogTitle !== older.base?.blogTitle) title.value = older.values.blogTitle;
        keep();
    };
    const state = el("span", { class: "quiet", role: "status" });
    const form = el("form", { class: "form", novalidate: false, oninput: keep, onsubmit: (event) => {
        event.preventDefault();
        submit(panel, form, entry, current);
    } },
    el("h1", { class: "panel-title", tabindex: "-1" }, t(id ? "write.edit" : "write.new")),
    draft.older().map((older) => olderDraft(draft, older, use)),
    draft.values().blogTitle !== undefined && restoredDraft(draft, () => go(location.hash)),
    (entry.reply || stored?.replyBlogID) && el("p", { class: "quiet" }, icon("reply"), t("answers")),
    field("blogTitle", title),
    content.element,
    placeField(values.lat && values.lng ? values : null, () => keep()),
    choices("type", Object.entries(BLOG_TYPES).map(([value, drawing]) => ({ value, drawing, text: t(`type.${value}`) })), values.type),
    choices("weather", Object.entries(WEATHERS).map(([value, drawing]) => ({ value, drawing, text: t(`weather.${value}`) })), values.weather),
    field("date", input("date", { required: true, value: values.date })),
    choices("visibility", visibilities(), values.visibility),
    field("userCategory", line({ value: values.userCategory ?? "" }), { hint: t("userCategory.hint") }),
    !stored?.hasVote && voteFields(values),
    el("div", { class: "form-end" }, submitButton(t(id ? "save" : "publish"), "send"),
        el("a", { class: "button", href: id ? address("blog", id) : address("latest") }, t("cancel")), state));
    return form;
}

// Sending ------------------------------------------------------------------------------------------------------------

// What the service would refuse, in words.
function fault(values) {
    const tooMany = charactersOf(values.blogContent) - MOST;
    if (!values.blogContent) return t("content.empty");
    if (tooMany > 0) return t("content.long", { n: tooMany });
    return isBegun(values) && !voteParams(values) ? t("vote.incomplete") : "";
}

async function submit(panel, form, entry, current) {
    if (entry.busy) return;
    clearErrors(form);
    const isNew = !entry.id;
    const values = current();
    const wrong = fault(values);
    if (wrong) return note(wrong, { kind: "error" });
    entry.busy = true;
    form.setAttribute("aria-busy", "true");
    try {
        await send(entry, values, current);
        note(t(isNew ? "published" : "saved"));
        // What was typed meanwhile is not stored yet.
        if (JSON.stringify(current()) === JSON.stringify(values)) {
            entry.draft.done();
            if (form.isConnected) go(address("blog", entry.id));
        } else if (form.isConnected) open(panel, entry, current());
    } catch (error) {
        entry.draft.failed(error);
        if (isDecided(error)) entry.post = null;
        if (isNew && entry.id && form.isConnected) open(panel, entry, current());
        const shown = panel.querySelector("form.form") ?? form;
        if (!showFieldError(shown, error)) complain(error, () => shown.requestSubmit());
    }
    entry.busy = false;
    form.removeAttribute("aria-busy");
}

// Each step that was done is written down, so that the next try begins with the one that failed.
async function send(entry, values, current) {
    if (!entry.id) await post(entry, values, current);
    const wanted = merged(values, entry.stored);
    if (!isSame(wanted, entry.stored)) {
        const params = updateParams(entry, wanted);
        await write("updateBlog", params, entry.draft.keyFor(params));
        entry.stored = wanted;
        entry.draft.keep(current(), { base: wanted });
    }
    const vote = voteParams(values);
    if (vote && !entry.stored.hasVote) {
        const params = { blogID: entry.id, ...vote };
        await write("addVote", params, entry.draft.keyFor(params));
        entry.stored = { ...entry.stored, hasVote: true };
    }
}

// A post without an answer is sent again as it was, whatever was typed since; the blog that it made is changed then.
async function post(entry, values, current) {
    if (entry.post && !isKnown(entry.post)) {
        entry.post = null;
        entry.draft.keep(values, { post: undefined });
        throw new Refusal("POST UNKNOWN", 0);
    }
    // What the map shows is part of a blog.
    entry.post ??= { params: postParams(entry, values), key: newKey(), at: Date.now() };
    entry.draft.keep(values, { post: entry.post });
    const { params, key } = entry.post;
    const { blogID } = await write("postBlog", params, key);
    const draft = entry.draft;
    entry.id = blogID;
    entry.post = null;
    entry.stored = storedFields({ ...params, postDate: params });
    entry.draft = draftOf(`blog.${blogID}`);
    entry.draft.keep(current(), { base: entry.stored });
    draft.forget();
    replaceAddress(address("write", blogID));
}

function fieldParams({ type, lat, lng, blogTitle, blogContent, date, weather, userCategory, replyBlogID }) {
    const [year, month, day] = date.split("-").map(Number);
    return { type, lat, lng, blogTitle, blogContent, year, month, day, weather,
        replyBlogID: replyBlogID || undefined, userCategory: userCategory || undefined };
}

function postParams({ reply }, values) {
    const trimmed = { ...values, replyBlogID: reply, blogTitle: values.blogTitle.trim(), userCategory: values.userCategory.trim() };
    return { ...fieldParams(trimmed), visibility: values.visibility, zoomLevel: view().zoom, mapType: mapType() };
}

function updateParams({ id, stored }, wanted) {
    const visibility = wanted.visibility === stored.visibility ? undefined : wanted.visibility;
    return { blogID: id, ...fieldParams(wanted), visibility, zoomLevel: wanted.zoomLevel || undefined, mapType: wanted.mapType || undefined };
}
