// Photos, one at a time over all else: by buttons, keys and swipes.

import { button, el, fill } from "./dom.js";
import { announce } from "./notes.js";
import { isOwnPicture } from "./own_picture.js";
import { styleSheet } from "./style_sheet.js";
import { t } from "./texts.js";

await styleSheet("viewer.css");

const SWIPE = 50;    // pixels
const KEYS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -1, PageDown: 1, Home: -Infinity, End: Infinity };

/** @type {HTMLDialogElement | null} */
let dialog = null;

/** Closes the viewer, if one is open; nobody is told. */
export function closeViewer() {
    dialog?.remove();
    dialog = null;
}

/**
 * Opens the viewer.
 * @param {{description: string, load: () => Promise<string>, tool?: any}[]} photos `load` gives the address of the picture
 * @param {number} first which one is shown, from 0
 * @param {{onshow: (index: number) => void, onclose: (index: number) => void}} events of the photo that is shown
 */
export function openViewer(photos, first, { onshow, onclose }) {
    closeViewer();
    let index = -1;
    const stage = el("div", { class: "viewer-stage" });
    const caption = el("p", { class: "viewer-caption", dir: "auto" });
    const count = el("p", { class: "viewer-count" });
    const tools = el("div");
    const step = (by) => show(Math.max(0, Math.min(photos.length - 1, index + by)));
    const previous = button("previous", t("previous"), () => step(-1), { className: "viewer-button previous", text: false });
    const next = button("next", t("next"), () => step(1), { className: "viewer-button next", text: false });
    const close = button("close", t("close"), () => opened.close(), { className: "viewer-button close", text: false, autofocus: true });

    async function show(wanted) {
        if (wanted === index) return;
        index = wanted;
        const { description, tool } = photos[index];
        fill(tools, tool);
        caption.textContent = description;
        count.textContent = `${index + 1} / ${photos.length}`;
        // One that is disabled itself would lose the focus, and the keys would not reach the dialog any more.
        previous.ariaDisabled = String(index === 0);
        next.ariaDisabled = String(index === photos.length - 1);
        announce(t("photoOf", { n: index + 1, of: photos.length, description }));
        onshow(index);
        const shown = await picture(photos[index]);
        if (index !== wanted) return;
        fill(stage, shown);
        for (const near of [photos[index + 1], photos[index - 1]]) near?.load().then(preload, () => {});
    }

    const opened = el("dialog", { class: "viewer", "aria-label": t("photos"), onkeydown: (event) => onKey(event, step),
        onclose: () => { if (dialog === opened) { closeViewer(); onclose(index); } } },
        stage, el("div", { class: "viewer-foot" }, caption, count, tools), previous, next, close);
    dialog = opened;
    listenToSwipes(stage, step, () => opened.close());
    document.body.append(opened);
    opened.showModal();
    show(first);
}

async function picture({ load, description }) {
    try {
        const source = await load();
        if (!isOwnPicture(source)) return elsewhere(source);
        return el("img", { src: source, alt: description || t("photo"), draggable: "false", decoding: "async" });
    } catch {
        return el("p", { class: "viewer-message" }, t("error.photo"));
    }
}

/** A picture of another site is a link: fetching it would tell that site who reads. */
export function elsewhere(source) {
    const safe = /^https?:\/\//i.test(source);
    return el("p", { class: "viewer-message" }, safe
        ? el("a", { href: source, rel: "nofollow noopener noreferrer", target: "_blank" }, t("photoElsewhere"))
        : t("photoElsewhere"));
}

function preload(source) {
    if (isOwnPicture(source)) new Image().src = source;
}

function onKey(event, step) {
    if (!(event.key in KEYS) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    step(KEYS[event.key]);
}

// To the side for another photo, down to close.
function listenToSwipes(stage, step, close) {
    let from = null;
    stage.addEventListener("pointerdown", (event) => { from = event.isPrimary ? event : null; });
    stage.addEventListener("pointerup", (event) => {
        if (from === null || !event.isPrimary) return;
        const [aside, down] = [event.clientX - from.clientX, event.clientY - from.clientY];
        from = null;
        if (down > SWIPE && down > Math.abs(aside)) close();
        else if (Math.abs(aside) > SWIPE) step(aside < 0 ? 1 : -1);
    });
    stage.addEventListener("pointercancel", () => { from = null; });
}
