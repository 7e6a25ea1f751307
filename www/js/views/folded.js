// Fields of a form that most people leave as they are. Their values stand in one line until a click unfolds the fields.

import { el, queryAll } from "../dom.js";
import { formatDate, t } from "../texts.js";

const textOf = (field) => {
    const control = /** @type {any} */ (field.querySelector("input, select"));
    if (control.type === "radio") return field.querySelector(".choice:has(:checked)")?.textContent;
    if (control.type === "date") return control.value && formatDate(control.value);
    return control.selectedOptions?.[0]?.text ?? control.value;
};

/** @param {HTMLElement[]} fields as of forms.js */
export function folded(...fields) {
    const words = el("span", { class: "folded-words" });
    const tell = () => { words.textContent = queryAll(box, ".field").map(textOf).filter(Boolean).join(" · "); };
    const box = /** @type {HTMLDetailsElement} */ (el("details", { class: "settings folded", onchange: tell },
        el("summary", {}, el("span", {}, t("details")), words), ...fields));
    // A browser asks for what is missing before anything is sent, and cannot do so where nothing is seen.
    box.addEventListener("invalid", () => { box.open = true; }, true);
    tell();
    return box;
}
