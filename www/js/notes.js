// What the page says beside what it shows: for eyes at the lower edge, for screen readers in a live region.

import { NoAnswer, Refusal } from "./api.js";
import { button, byId, el, icon } from "./dom.js";
import { lifetime } from "./lifetime.js";
import { sessionEnded } from "./session.js";
import { hasText, t } from "./texts.js";

const STAYS = 8000;

/** Tells screen readers alone. */
export function announce(text) {
    byId("announcer").textContent = "";
    setTimeout(() => { byId("announcer").textContent = text; }, 50);
}

/** Says something for a while, or until it is closed. `again` offers to do it again, as long as the view is there. */
export function note(text, { kind = "info", again = null, stays = again !== null } = {}) {
    const close = () => box.remove();
    if ([...byId("notes").querySelectorAll("p")].some((said) => said.textContent === text)) return;
    const box = el("div", { class: `note note-${kind}`, role: kind === "error" ? "alert" : "status" },
        icon(kind === "error" ? "warning" : "check"), el("p", {}, text),
        again && button("retry", t("retry"), () => { close(); again(); }, { className: "button small" }),
        button("close", t("close"), close, { className: "icon-button", text: false }));
    byId("notes").append(box);
    if (!stays) setTimeout(close, STAYS);
    if (again) lifetime().addEventListener("abort", close);
}

/** An error of the interface in words of the reader. */
export function explain(error) {
    if (error instanceof NoAnswer) return t(navigator.onLine ? "error.noAnswer" : "error.offline");
    if (!(error instanceof Refusal)) return t("error.unknown");
    if (hasText(error.info)) return t(error.info);
    const special = `error.${error.info}: ${error.parameter}`;
    const text = hasText(special) ? special : `error.${error.info}`;
    return hasText(text) ? t(text, { parameter: fieldName(error.parameter) }) : `${error.info} ${error.parameter}`;
}

function fieldName(parameter) {
    return hasText(`field.${parameter}`) ? t(`field.${parameter}`) : parameter;
}

// What is no error of the interface goes to the console.
function heed(error) {
    if (error instanceof Refusal && error.info === "LOGIN REQUIRED") sessionEnded();
    if (!(error instanceof Refusal || error instanceof NoAnswer)) console.error(error);
}

/** Says an error in a box, where a dialog covers all else. */
export function complainIn(box, error) {
    heed(error);
    box.replaceChildren(icon("warning"), explain(error));
}

/** Shows an error. */
export function complain(error, again = null) {
    if (error.name === "AbortError") return;
    heed(error);
    note(explain(error), { kind: "error", again, stays: again !== null || error.message === "SESSION LOST" });
}

/** Keeps notes within what a keyboard, or a view that is zoomed in, leaves of the page. */
export function watchVisibleArea() {
    const measure = () => {
        const { height, offsetTop } = visualViewport;
        byId("notes").style.setProperty("--covered", `${Math.max(0, innerHeight - height - offsetTop)}px`);
    };
    visualViewport.addEventListener("resize", measure);
    visualViewport.addEventListener("scroll", measure);
}

/** Says while the network is away that it is. */
export function watchNetwork() {
    const show = () => {
        const box = byId("offline");
        box.hidden = navigator.onLine;
        box.textContent = navigator.onLine ? "" : t("offline");
    };
    addEventListener("online", show);
    addEventListener("offline", show);
    show();
}
