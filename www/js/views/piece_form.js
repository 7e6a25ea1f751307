// The form of a piece, new or one's own: read whole, kept as a draft, sent, and put upon what others changed meanwhile.

import { NoAnswer, Refusal } from "../api.js";
import { button, el, fill, icon, linkButton, query } from "../dom.js";
import { onNewDay, today } from "../days.js";
import { drafts } from "../draft_store.js";
import { clearErrors, showFieldError, unfold, valuesOf } from "../forms.js";
import { keepSoon } from "../keeping.js";
import { nothing, waiting } from "../lists.js";
import { complain, explain, note } from "../notes.js";
import { address, go, leaveFor, replaceAddress } from "../router.js";
import { Conflict } from "../saving.js";
import { way } from "../sending.js";
import { user } from "../session.js";
import { readStored } from "../stored.js";
import { formatClock, formatDate, formatDay, t } from "../texts.js";
import { whenOnline } from "../unread.js";
import { begin, choose, follow, isUnsent, keep, sendPiece } from "../work.js";
import { conflictBox } from "./conflict.js";
import { moreDrafts, restoredDraft } from "./draft_boxes.js";

/**
 * @typedef {object} Opening
 * @property {import("../kinds.js").Kind} kind
 * @property {string} id "" for a new piece
 * @property {string} [thing] the name of a new piece's draft
 * @property {() => import("../edit.js").Values} [fresh] what a new piece begins with
 * @property {() => Record<string, any>} [shown] what the map shows, as a part of a new piece
 * @property {string} published the name of the text that says that a new piece is there
 * @property {(values: import("../edit.js").Values) => string} [faultOf] why the values cannot be sent, in words; "" if they can
 * @property {(work: any, tools: {boxes: any[], state: HTMLElement, touch: () => void, onsubmit: (event: Event) => void})
 *     => {form: HTMLFormElement, values?: () => Record<string, string>}} make draws the form; `values`: what no control has
 */

/**
 * Opens the form in the panel.
 * @param {HTMLElement} panel
 * @param {{params: URLSearchParams, signal: AbortSignal}} now
 * @param {Opening} opening
 */
export async function openForm(panel, now, opening) {
    const { kind, id, thing = `${kind.name}.${id}`, fresh } = opening;
    const me = user();
    if (!me) return go(address("login", "", { then: location.hash.slice(1) }));
    fill(panel, waiting());
    try {
        const there = id ? await readStored(kind, id) : { values: fresh(), version: null };
        const draft = await drafts.open(me.userID, thing, { wanted: now.params.get("draft") ?? "", where: location.hash });
        if (now.signal.aborted) return;
        const work = started(panel, now, { ...opening, draft, there });
        show(work);
        query(panel, `[name=${kind.title}]`)?.focus({ preventScroll: true });
    } catch (error) {
        if (!now.signal.aborted) unreadable(panel, error, () => openForm(panel, now, opening));
    }
}

// What it changes could not be read.
function unreadable(panel, error, retry) {
    const why = error instanceof NoAnswer ? "" : explain(error);
    fill(panel, nothing(`${t("error.form")} ${why}`, "warning", button("retry", t("retry"), retry),
        linkButton(address("drafts"), "pen", t("drafts")), linkButton(address("latest"), "back", t("toLatest"))));
    if (error instanceof NoAnswer) whenOnline(retry);
}

function started(panel, now, opening) {
    const redraw = () => { if (work.form.isConnected) show(work); };
    const work = Object.assign(begin({ ...opening, drafts, way }), { panel, redraw, busy: false });
    work.keeping = keepSoon(() => keepShown(work), now.signal);
    if (!work.id) onNewDay(() => newDay(work), now.signal);
    return work;
}

function show(work) {
    const { panel, draft, there } = work;
    const state = work.state = el("span", { class: "quiet", role: "status" });
    const boxes = [
        work.isRestored && restoredDraft(draft.get(), () => discard(work)),
        draft.others > 0 && moreDrafts(draft.others),
        there.publicFrom && el("p", { class: "info-box" }, icon("clock"), t("waits", { day: formatDay(there.publicFrom) })),
        work.conflicts.length > 0 && conflictBox(work, (field, choice) => chosen(work, field, choice)),
    ];
    const onsubmit = (event) => {
        event.preventDefault();
        submit(work);
    };
    const { form, values } = work.make(work, { boxes, state, touch: () => work.keeping.touch(), onsubmit });
    work.form = form;
    work.current = () => ({ ...work.edit.values, ...valuesOf(form), ...values?.() });
    showKept(work, draft.exists());
    fill(panel, form);
    if (work.conflicts.length) query(panel, ".conflict h2")?.focus();
}

// The draft ----------------------------------------------------------------------------------------------------------

async function keepShown(work) {
    const isKept = await keep(work);
    showKept(work, isKept === true, isKept !== null);
}

function showKept(work, isKept, isTyped = isKept) {
    work.state.textContent = isKept ? t("draft.savedAt", { time: formatClock(work.draft.get().at) }) : isTyped ? t("draft.notKept") : "";
}

async function discard(work) {
    await work.draft.forget();
    go(location.hash);
}

// A day that nobody chose follows the calendar.
function newDay(work) {
    if (work.id || work.busy || work.draft.get().post || !work.form.isConnected) return;
    follow(work, { date: today() });
    const field = /** @type {any} */ (query(work.form, "[name=date]"));
    if (!field) return;
    field.value = work.edit.values.date;
    field.dispatchEvent(new Event("change", { bubbles: true }));
}

// Conflicts ----------------------------------------------------------------------------------------------------------

async function chosen(work, field, choice) {
    if (work.busy) return;
    work.busy = true;
    await choose(work, field, choice !== "other");
    work.busy = false;
    show(work);
    if (choice === "edit") focusOn(work.form, field[0]);
}

function focusOn(form, name) {
    const control = query(form, `[data-field~="${name}"] :is(input, textarea, select, [contenteditable])`);
    if (control) unfold(control);
    control?.focus();
}

// Sending ------------------------------------------------------------------------------------------------------------

async function submit(work) {
    if (work.busy) return;
    if (work.conflicts.length) return query(work.panel, ".conflict h2")?.focus();
    clearErrors(work.form);
    newDay(work);
    const values = work.current();
    const missing = ["lat", "lng"].find((name) => !values[name]);
    if (missing) return showFieldError(work.form, new Refusal(`MISSING PARAMETER: ${missing}`, 200));
    const fault = work.faultOf?.(values) || (work.kind.faultOf(values) && t(work.kind.faultOf(values)));
    if (fault) return note(fault, { kind: "error" });
    work.busy = true;
    work.form.setAttribute("aria-busy", "true");
    const isNew = !work.id;
    try {
        await work.keeping.flush();
        await sendPiece(work, values);
        await done(work, values, isNew);
    } catch (error) {
        failed(work, error, isNew);
    }
    work.busy = false;
    work.form.removeAttribute("aria-busy");
}

async function done(work, values, isNew) {
    const { kind, id, draft } = work;
    const isFuture = values.date > today() && values.visibility !== "private";
    note(isFuture ? t("waits", { day: formatDate(values.date) }) : t(isNew ? work.published : "saved"));
    if (isUnsent(work)) return again(work, isNew);    // what was typed meanwhile is not stored yet
    await draft.forget();
    if (work.form.isConnected) leaveFor(address(kind.name, id));
}

function failed(work, error, isNew) {
    work.draft.failed(error);
    if (error instanceof Conflict || (isNew && work.id)) again(work, isNew);
    if (error instanceof Conflict) return;
    if (!showFieldError(work.form, error)) complain(error, () => work.form.requestSubmit());
}

// The form anew, with what it has.
function again(work, isNew) {
    if (!work.form.isConnected) return;
    if (isNew && work.id) replaceAddress(address(work.kind.view, work.id));
    work.isRestored = false;
    show(work);
    work.keeping.touch();
}

