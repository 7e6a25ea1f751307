// Photos on their way, one after the other: with progress, and again where the network was lost. Each has a key of its own, so
// that one that had arrived after all is there once.

import { newKey, NoAnswer, Refusal, upload } from "./api.js";
import { button, el, icon } from "./dom.js";
import { explain } from "./notes.js";
import { whyUnreadable } from "./photo_file.js";
import { site } from "./site.js";
import { t } from "./texts.js";

const PAUSES = [1000, 4000];
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let queue = Promise.resolve();
let waiting = 0;

// Who closes the page while photos are on their way is asked.
addEventListener("beforeunload", (event) => { if (waiting) event.preventDefault(); });

/**
 * A list of photos on their way to a piece.
 * @param {Record<string, any>} name the piece: {albumID: 4}
 * @param {{ondone: (answer: any) => void, onall: () => void}} events for each that arrived, and when no more is on its way
 */
export function uploadList(name, { ondone, onall }) {
    const list = el("ul", { class: "uploads", "aria-label": t("uploads") });
    let arrived = 0;
    // What failed stays to be seen, and to be tried again.
    const settle = () => {
        if (!arrived || list.children.length) return;
        arrived = 0;
        onall();
    };
    const events = { settle, done: (answer) => { arrived += 1; ondone(answer); } };
    const add = (files) => {
        for (const file of files) list.append(row(file, name, events));
    };
    return { list, add };
}

function row(file, name, { done, settle }) {
    const key = newKey();
    const bar = el("progress", { max: 1, value: 0, "aria-label": file.name });
    let given = null;
    const state = el("span", { class: "upload-state", role: "status" }, t("upload.waiting"));
    const retry = button("retry", t("retry"), () => start(), { className: "icon-button", text: false, hidden: true });
    const drop = button("close", t("cancel"), cancel, { className: "icon-button", text: false });
    const text = el("div", { class: "upload-text" }, el("span", {}, file.name), bar, state);
    const made = el("li", { class: "upload" }, thumbnail(file), text, retry, drop);

    async function send() {
        if (!made.isConnected) return;
        given = new AbortController();
        bar.removeAttribute("value");
        const onprogress = (part) => {
            bar.value = part;
            state.textContent = part < 1 ? t("upload.sending") : t("upload.working");
        };
        const answer = await persistently(() => upload("addPhoto", { ...name, photo: file }, { key, onprogress, signal: given.signal }), state);
        made.remove();
        done(answer);
    }
    async function fail(error) {
        if (error.name === "AbortError") return;
        bar.value = 0;
        made.classList.add("failed");
        state.textContent = error.info === "PHOTO NOT READABLE" ? t(await whyUnreadable(file)) : explain(error);
        retry.hidden = !(error instanceof NoAnswer) && error.info !== "TOO MANY ATTEMPTS";
    }
    function start() {
        if (file.size > site.photoSize) return fail(new Refusal("PHOTO TOO LARGE"));
        made.classList.remove("failed");
        retry.hidden = true;
        waiting += 1;
        queue = queue.then(send).catch(fail).then(() => {
            waiting -= 1;
            settle();
        });
    }
    function cancel() {
        given?.abort();
        made.remove();
        settle();
    }
    queueMicrotask(start);
    return made;
}

async function persistently(send, state) {
    for (const milliseconds of PAUSES) {
        try {
            return await send();
        } catch (error) {
            if (!(error instanceof NoAnswer)) throw error;
            state.textContent = t("upload.again");
            await pause(milliseconds);
        }
    }
    return send();
}

// What no browser draws (HEIC) has a drawing instead.
function thumbnail(file) {
    const source = URL.createObjectURL(file);
    const picture = el("img", { src: source, alt: "", class: "upload-picture" });
    picture.onload = () => URL.revokeObjectURL(source);
    picture.onerror = () => picture.replaceWith(el("span", { class: "upload-picture" }, icon("photos")));
    return picture;
}
