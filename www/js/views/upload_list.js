// The photos that are on their way to a piece, where it is shown: each with its progress, or why it has not arrived.

import { button, el, icon, query } from "../dom.js";
import { explain } from "../notes.js";
import { whyUnreadable } from "../photo_file.js";
import { t } from "../texts.js";
import { uploads } from "../uploads.js";

/**
 * A list that follows the queue until the view ends.
 * @param {string} where the address of the piece
 * @param {AbortSignal} signal the end of the view
 * @param {() => HTMLElement | null} next what has the focus if the row that had it goes
 */
export function uploadList(where, signal, next) {
    const rows = new Map();
    const list = el("ul", { class: "uploads", "aria-label": t("uploads") });
    const follow = () => {
        const there = uploads.list(where).filter(({ state }) => state !== "arrived");
        for (const [one, made] of rows) if (!there.includes(one)) leave(one, made);
        for (const one of there.filter((each) => !rows.has(each))) {
            rows.set(one, row(one));
            list.append(rows.get(one).element);
        }
    };
    const leave = (one, { element }) => {
        const hadFocus = element.contains(document.activeElement);
        const beside = element.nextElementSibling ?? element.previousElementSibling;
        element.remove();
        rows.delete(one);
        if (hadFocus) (beside ? query(beside, "button:not([hidden])") : next())?.focus();
    };
    uploads.watch((one) => {
        if (one && one.state !== "arrived") rows.get(one)?.draw();
        else follow();
    }, signal);
    follow();
    return list;
}

function row(one) {
    const bar = el("progress", { max: 1, value: 0, "aria-label": one.file.name });
    const state = el("span", { class: "upload-state" });
    const retry = button("retry", t("retry"), () => uploads.retry(one), { className: "icon-button", text: false });
    const drop = button("close", t("cancel"), () => uploads.drop(one), { className: "icon-button", text: false });
    const text = el("div", { class: "upload-text" }, el("bdi", {}, one.file.name), bar, state);
    const element = el("li", { class: "upload" }, thumbnail(one.file), text, retry, drop);
    async function draw() {
        const isFailed = one.state === "stopped" || one.state === "refused";
        element.classList.toggle("failed", isFailed);
        bar.hidden = isFailed;
        bar.value = one.state === "sending" ? one.part : 0;
        retry.hidden = one.state !== "stopped";
        state.textContent = isFailed ? await reasonOf(one) : t(TEXTS[one.state](one));
    }
    draw();
    return { element, draw };
}

const TEXTS = {
    waiting: () => "upload.waiting",
    sending: ({ part }) => (part < 1 ? "upload.sending" : "upload.working"),
    again: () => (navigator.onLine ? "upload.again" : "upload.offline"),
};

const reasonOf = async ({ error, file }) => (error.info === "PHOTO NOT READABLE" ? t(await whyUnreadable(file)) : explain(error));

// What no browser draws (HEIC) has a drawing instead.
function thumbnail(file) {
    const source = URL.createObjectURL(file);
    const picture = el("img", { src: source, alt: "", class: "upload-picture" });
    picture.onload = () => URL.revokeObjectURL(source);
    picture.onerror = () => {
        URL.revokeObjectURL(source);
        picture.replaceWith(el("span", { class: "upload-picture" }, icon("photos")));
    };
    return picture;
}
