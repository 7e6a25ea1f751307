// How far the photos are that are on their way, above every view: "3 of 8 photos".

import { button, byId, el, fill, icon } from "../dom.js";
import { announce, explain } from "../notes.js";
import { t } from "../texts.js";
import { uploads } from "../uploads.js";

const count = (all, ...states) => all.filter(({ state }) => states.includes(state)).length;

/** Begins to show it. */
export function startUploadBar() {
    const text = el("p", { class: "upload-bar-text" });
    const state = el("p", { class: "upload-bar-state", role: "status" });
    const progress = el("progress", { "aria-label": t("uploads") });
    const link = el("a", { class: "button small" }, t("uploads.show"));
    const close = button("close", t("close"), () => uploads.clear({ withRefused: true }), { className: "icon-button", text: false });
    const parts = { box: byId("uploads"), text, state, progress, link, close, wasBusy: false };
    fill(parts.box, icon("photos"), el("div", { class: "upload-bar-words" }, text, state, progress), link, close);
    uploads.watch(() => draw(parts));
    addEventListener("hashchange", () => draw(parts));
    for (const event of ["online", "offline"]) addEventListener(event, () => draw(parts));
    draw(parts);
}

function draw(parts) {
    const all = uploads.list();
    const isBusy = uploads.isBusy();
    const isOver = !isBusy && all.length > 0;
    const where = shownFirst(all);
    if (parts.wasBusy && isOver) announce(t("uploads.done", { n: count(all, "arrived") }));
    parts.wasBusy = isBusy;
    // The piece itself shows what has arrived and what was refused.
    const isShown = isOver && where === location.hash;
    if (isShown && count(all, "arrived")) return uploads.clear();
    parts.box.hidden = isShown || all.length === 0;
    if (parts.box.hidden) return;
    say(parts.text, isBusy ? t("uploads.count", { done: count(all, "arrived"), n: all.length - count(all, "refused") })
        : t("uploads.done", { n: count(all, "arrived") }));
    say(parts.state, stateOf(all));
    parts.progress.hidden = isOver;
    parts.progress.max = all.length || 1;
    parts.progress.value = all.reduce((sum, { state, part }) => sum + (state === "sending" ? part : Number(state === "arrived")), 0);
    parts.link.hidden = !where || where === location.hash;
    parts.link.href = where;
    parts.close.hidden = isBusy;
}

// What is said already is not said again.
const say = (element, text) => { if (element.textContent !== text) element.textContent = text; };

// Where something waits for its owner, else where something is on its way, else where something arrived.
const shownFirst = (all) => (all.find(({ state }) => state === "stopped") ?? all.find(({ state }) => state === "refused")
    ?? all.find(({ state }) => state !== "arrived") ?? all.at(-1))?.where ?? "";

function stateOf(all) {
    const stopped = all.find(({ state }) => state === "stopped");
    if (stopped) return explain(stopped.error);
    if (count(all, "again")) return t(navigator.onLine ? "upload.again" : "upload.offline");
    const refused = count(all, "refused");
    return refused ? t("uploads.refused", { n: refused }) : "";
}
