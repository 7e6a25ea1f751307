// Forms: fields with names, errors where they belong, one request at a time.

import { isDecided, newKey, NoAnswer, Refusal } from "./api.js";
import { button, el, icon, setWaiting } from "./dom.js";
import { keepTexts } from "./kept_texts.js";
import { lifetime } from "./lifetime.js";
import { complain, complainIn, explain } from "./notes.js";
import { t } from "./texts.js";

let numbers = 0;

/** A field with its name above it, and room for what is wrong with it, or with `others` that it is sent as. */
export function field(name, control, { label = t(`field.${name}`), hint = "", others = [] } = {}) {
    const id = `field-${++numbers}`;
    control.id = id;
    control.name = name;
    const hintID = hint && `${id}-hint`;
    if (hint) control.setAttribute("aria-describedby", hintID);
    return el("div", { class: "field", "data-field": [name, ...others].join(" ") },
        el("label", { for: id }, label), control, hint && el("p", { class: "hint", id: hintID }, hint));
}

export const input = (type, attributes = {}) => el("input", { type, ...attributes });

/** How many characters a text has for the service, which counts code points. */
export const charactersOf = (text) => [...text].length;

/** How many bytes a text has in UTF-8. */
export const bytesOf = (text) => new TextEncoder().encode(text).length;

/**
 * Bounds what a control may hold. What is too much stays, and the words for it stand below the control.
 * @param {any} control with the value that it begins with
 * @param {{most: number, least?: number, count?: (text: string) => number, beside?: boolean}} bounds `beside`: whether the words stand
 *     in the form, and not in the browser's own bubble alone
 */
export function bounded(control, { most, least = 0, count = charactersOf, beside = true }) {
    const words = el("p", { class: "hint over", role: "status" });
    const check = () => {
        const n = count(control.value);
        const unit = count === bytesOf ? "bytes" : "characters";
        const wrong = n > most ? t(`tooLong.${unit}`, { n: n - most }) : n > 0 && n < least ? t("tooShort") : "";
        control.setCustomValidity(wrong);
        words.textContent = wrong;
        if (!wrong) words.remove();
        else if (beside && !words.isConnected) control.after(words);
    };
    control.addEventListener("input", check);
    check();
    return control;
}

/** A field for one line of text, such as a title or a name. */
export const line = (attributes = {}) => bounded(input("text", { dir: "auto", ...attributes }), { most: 255 });

/** A group of which one is chosen. */
export function choices(name, options, chosen, { label = t(`field.${name}`), onchange = null } = {}) {
    return el("fieldset", { class: "field choices", "data-field": name }, el("legend", {}, label),
        el("div", { class: "choice-row" }, options.map(({ value, text, drawing }) => el("label", { class: "choice" },
            el("input", { type: "radio", name, value, required: true, checked: String(value) === String(chosen), onchange }),
            drawing && icon(drawing), el("span", {}, text)))));
}

/** Who may see a piece, for choices(). */
export const visibilities = () => [["public", "globe"], ["private", "lock"]].map(([value, drawing]) => ({ value, drawing, text: t(`visibility.${value}`) }));

export const select = (options, chosen, attributes = {}) => el("select", attributes,
    options.map(([value, text]) => el("option", { value, selected: String(value) === String(chosen) }, text)));

export const submitButton = (label, iconName = "check", className = "button primary") =>
    el("button", { type: "submit", class: className }, icon(iconName), el("span", {}, label));

/** The values of a form, by the names of its fields. */
export const valuesOf = (one) => Object.fromEntries(new FormData(one));

// Which field an error means, if one.
function fieldOf(where, error) {
    return error instanceof Refusal && error.parameter
        ? where.querySelector(`[data-field~="${CSS.escape(error.parameter)}"]`) : null;
}

/** Says beside its field what is wrong with it, and goes there. */
export function showFieldError(where, error) {
    clearErrors(where);
    const place = fieldOf(where, error);
    if (!place) return false;
    const message = el("p", { class: "field-error", role: "alert" }, icon("warning"), explain(error));
    place.append(message);
    place.classList.add("wrong");
    const control = place.querySelector("input, textarea, select, [contenteditable]");
    control?.setAttribute("aria-invalid", "true");
    unfold(place);
    control?.focus();
    return true;
}

/** Opens what a field is folded into, so that the field can have the focus. */
export function unfold(place) {
    const box = place.closest("details");
    if (box) box.open = true;
}

/** Takes back what was said of fields. */
export function clearErrors(where) {
    for (const message of where.querySelectorAll(".field-error")) message.remove();
    for (const place of where.querySelectorAll(".wrong")) place.classList.remove("wrong");
    for (const control of where.querySelectorAll("[aria-invalid]")) control.removeAttribute("aria-invalid");
}

/**
 * A form that sends: `send` gets the values and a key, which stays the same as long as nobody knows what became of the request.
 * @param {any[]} children
 * @param {(values: any, key: string) => Promise<any>} send
 * @param {{className?: string, submit?: HTMLElement, onerror?: (error: Error, again: (() => void) | null) => void}} [options]
 */
export function form(children, send, { className = "form", onerror = complain, ...others } = {}) {
    let pending = null;
    const onsubmit = async (event) => {
        event.preventDefault();
        const values = valuesOf(made);
        const sent = JSON.stringify(values);
        if (pending?.sent !== sent) pending = { sent, key: newKey() };
        const buttons = made.querySelectorAll("button[type=submit]");
        setWaiting(buttons, true);
        made.setAttribute("aria-busy", "true");
        clearErrors(made);
        try {
            await send(values, pending.key);
            pending = null;
        } catch (error) {
            if (isDecided(error)) pending = null;
            if (!showFieldError(made, error)) onerror(error, error instanceof NoAnswer ? () => made.requestSubmit() : null);
        }
        made.removeAttribute("aria-busy");
        setWaiting(buttons, false);
    };
    const made = el("form", { class: className, onsubmit, ...others }, ...children);
    return made;
}

/** A question in a dialog; closes once `send` is done. With a `thing`, what is typed is kept as its draft until then. */
export function ask(title, fields, send, { submit = submitButton(t("send")), thing = "" } = {}) {
    const close = () => dialog.close();
    const said = el("p", { class: "dialog-error", role: "alert" });
    const made = form([...fields, said, el("div", { class: "actions" }, submit, button("close", t("cancel"), close))], async (values, key) => {
        said.replaceChildren();
        await send(values, key);
        await (await kept)?.sent(values);
        close();
    }, { onerror: (error) => complainIn(said, error) });
    const dialog = el("dialog", { class: "dialog", "aria-label": title, onclose: () => dialog.remove() }, el("h2", {}, title), made);
    const kept = thing ? keepTexts(made, thing) : null;
    lifetime().addEventListener("abort", close);
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
}

