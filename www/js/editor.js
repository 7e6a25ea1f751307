// A field for text with little markup: what is written here is the HTML of a blog.

import { button, el } from "./dom.js";
import { t } from "./texts.js";
import { hasBlocks, sanitized } from "./trusted.js";

const COMMANDS = [["bold", "bold", "format.bold"], ["italic", "italic", "format.italic"],
    ["insertUnorderedList", "list", "format.list"], ["formatBlock:blockquote", "quote", "format.quote"]];

/**
 * The field. Its `value()` is HTML, "" where nothing is written.
 * @param {string} html what it begins with
 * @param {() => void} oninput
 */
export function editor(html, oninput) {
    const area = el("div", { class: "editor prose", contenteditable: "true", role: "textbox", "aria-multiline": "true",
        "aria-label": t("field.blogContent"), "data-placeholder": t("content.placeholder"), oninput, onpaste: pastePlain });
    area.append(asBlocks(html));
    document.execCommand("defaultParagraphSeparator", false, "p");
    const bar = el("div", { class: "editor-bar", role: "toolbar", "aria-label": t("format") },
        COMMANDS.map(([command, iconName, text]) => button(iconName, t(text), () => run(area, command),
            { className: "icon-button", text: false, onmousedown: (event) => event.preventDefault() })),
        button("link", t("format.link"), () => link(area), { className: "icon-button", text: false }));
    return {
        element: el("div", { class: "field", "data-field": "blogContent" }, el("span", { class: "label-line" }, t("field.blogContent")), bar, area),
        value: () => (isEmpty(area) ? "" : serialized(area)),
    };
}

// Line breaks that are meant become elements, so that what is written beside them is none the worse.
function asBlocks(html) {
    const fragment = sanitized(html);
    if (hasBlocks(fragment)) return fragment;
    const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
    /** @type {any[]} */
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const node of texts) {
        const lines = node.textContent.split(/\r?\n/);
        node.replaceWith(...lines.flatMap((line, i) => (i ? [el("br"), line] : [line])));
    }
    return fragment;
}

const isEmpty = (area) => !area.textContent.trim() && !area.querySelector("img");

function serialized(area) {
    const box = el("div");
    box.append(sanitized(area.innerHTML));
    for (const anchor of box.querySelectorAll("a")) {
        anchor.removeAttribute("rel");
        anchor.removeAttribute("target");
    }
    return box.innerHTML;
}

// As text: what other programs put into the clipboard is more than was meant.
function pastePlain(event) {
    event.preventDefault();
    document.execCommand("insertText", false, event.clipboardData.getData("text/plain"));
}

function run(area, command) {
    area.focus();
    const [name, value] = command.split(":");
    document.execCommand(name, false, value);
}

function link(area) {
    area.focus();
    const given = prompt(t("format.linkAsk"), "https://");
    if (given && /^(https?|mailto):./i.test(given)) document.execCommand("createLink", false, given);
}
