// The same field was changed in this form and somewhere else: both are shown, and the author says which one stays.

import { button, el, icon } from "../dom.js";
import { differences } from "../differences.js";
import { prose } from "../editor.js";
import { formatDate, hasText, t } from "../texts.js";

// Fields with long texts, whose differences are marked.
const MARKED = ["blogTitle", "albumTitle", "blogContent", "userCategory"];

/** What a field has, in words. */
const WORDS = {
    lat: ({ lat, lng }) => `${lat}, ${lng}`,
    type: ({ type }) => t(`type.${type}`),
    weather: ({ weather }) => t(`weather.${weather}`),
    visibility: ({ visibility }) => t(`visibility.${visibility}`),
    category: ({ category }) => t(`album.${category}`),
    date: ({ date }) => formatDate(date),
    blogContent: ({ blogContent }) => readable(blogContent),
};

const wordsOf = (name, values) => (WORDS[name] ?? ((all) => all[name]))(values) || t("conflict.nothing");
const labelOf = (name) => t(name === "lat" ? "field.place" : hasText(`field.${name}`) ? `field.${name}` : "conflict.other");

// The text of HTML, as its reader sees it: blocks are lines.
function readable(html) {
    const shown = prose(html);
    for (const end of shown.querySelectorAll("br")) end.replaceWith("\n");
    for (const block of shown.querySelectorAll("p, div, li, h3, h4, h5, h6, blockquote, tr, pre")) block.append("\n");
    return shown.textContent.trim();
}

/**
 * The fields in conflict, each with its buttons.
 * @param {{conflicts: string[][], there: {values: any}, current?: () => any, edit: {values: any}}} work
 * @param {(field: string[], choice: "mine" | "other" | "edit") => void} onchoice
 */
export function conflictBox({ conflicts, there, edit }, onchoice) {
    return el("section", { class: "conflict", "aria-labelledby": "conflict-title" },
        el("h2", { id: "conflict-title", tabindex: "-1" }, icon("warning"), t("conflict.title")),
        el("p", {}, t("conflict.text")),
        conflicts.map((field) => el("div", { class: "conflict-field", "data-conflict": field[0] },
            el("h3", {}, labelOf(field[0])),
            both(field[0], edit.values, there.values),
            el("div", { class: "actions" },
                button("check", t("conflict.mine"), () => onchoice(field, "mine"), { className: "button small" }),
                button("globe", t("conflict.theirs"), () => onchoice(field, "other"), { className: "button small" }),
                button("pen", t("conflict.edit"), () => onchoice(field, "edit"), { className: "button small" })))));
}

function both(name, mine, theirs) {
    const [one, other] = [wordsOf(name, mine), wordsOf(name, theirs)];
    const whole = el("dl", { class: "sides" },
        el("dt", {}, t("conflict.mineIs")), el("dd", { dir: "auto" }, one),
        el("dt", {}, t("conflict.theirsIs")), el("dd", { dir: "auto" }, other));
    if (!MARKED.includes(name)) return whole;
    const box = el("div", {}, whole);
    if (one === other) box.append(el("p", { class: "quiet" }, t("conflict.sameWords")));
    else mark(box, one, other);
    return box;
}

// Without the module that compares, both stand there whole.
async function mark(box, one, other) {
    try {
        const { diffArrays } = await import("../../vendor/diff/array.js");
        box.replaceChildren(
            el("p", { class: "quiet" }, el("del", {}, t("conflict.mineIs")), " ", el("ins", {}, t("conflict.theirsIs"))),
            el("p", { class: "marked", dir: "auto" }, differences(diffArrays, one, other).map(({ text, side }) =>
                (side === "both" ? text : el(side === "one" ? "del" : "ins", {}, text)))));
    } catch (error) {
        console.warn(error);
    }
}
