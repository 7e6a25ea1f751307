// A field for text with little markup: what is written here is the HTML of a blog.

import { button, el, fill, icon } from "./dom.js";
import { hasText, language, t } from "./texts.js";
import { editable, hasBlocks, sanitized } from "./trusted.js";

const COMMANDS = [["bold", "bold", "format.bold"], ["italic", "italic", "format.italic"],
    ["insertUnorderedList", "list", "format.list"], ["formatBlock:blockquote", "quote", "format.quote"]];
const TAB = "\u00a0".repeat(8);

/**
 * The field. Its `value()` is HTML, "" where nothing is written, and byte for byte what the field began with while nobody has
 * changed it. HTML that would not survive editing is shown and kept. `set(html)` begins anew with another text.
 * @param {string} html what it begins with
 * @param {() => void} oninput
 */
export function editor(html, oninput) {
    const element = el("div", { class: "field", "data-field": "blogContent" });
    let value = () => html;
    const set = (text) => {
        const { fragment, lost } = editable(text);
        const area = lost.length ? null : writable(fragment, oninput);
        const begun = area?.innerHTML;
        value = () => (!area || area.innerHTML === begun ? text : isEmpty(area) ? "" : serialized(area));
        fill(element, el("span", { class: "label-line" }, t("field.blogContent")), area ? [bar(area), area] : locked(text, lost));
    };
    set(html);
    return { element, set, value: () => value() };
}

function writable(fragment, oninput) {
    const area = el("div", { class: "editor prose", contenteditable: "true", role: "textbox", "aria-multiline": "true",
        "aria-label": t("field.blogContent"), "data-placeholder": t("content.placeholder"), oninput, onpaste: pastePlain });
    area.append(asBlocks(fragment));
    document.execCommand("defaultParagraphSeparator", false, "p");
    return area;
}

const bar = (area) => el("div", { class: "editor-bar", role: "toolbar", "aria-label": t("format") },
    COMMANDS.map(([command, iconName, text]) => button(iconName, t(text), () => run(area, command),
        { className: "icon-button", text: false, onmousedown: (event) => event.preventDefault() })),
    button("link", t("format.link"), () => link(area), { className: "icon-button", text: false }));

// What is shown as it is ----------------------------------------------------------------------------------------------

function locked(html, lost) {
    return [el("div", { class: "info-box" }, icon("lock"), el("p", {}, t("content.locked", { what: inWords(lost) }))),
        el("div", { class: "locked" }, prose(html))];
}

/** A text of an author, to be read. */
export function prose(html) {
    const fragment = sanitized(html);
    return el("div", { class: hasBlocks(fragment) ? "prose" : "prose prose-lines", dir: "auto" }, fragment);
}

// "3 pictures of other sites, 1 video"
function inWords(lost) {
    return [...new Set(lost)].map((name) => {
        const n = lost.filter((one) => one === name).length;
        const text = hasText(`lost.${name}`) ? `lost.${name}` : name.startsWith("@") ? "lost.attribute" : "lost.element";
        return t(text, { n, name: name.replace(/^@/, "") });
    }).join(language() === "en" ? ", " : "、");
}

// What is edited -----------------------------------------------------------------------------------------------------

// Without blocks the line breaks and the blanks of a text are meant. They become elements and blanks that stay, as what is written
// beside them may be blocks.
function asBlocks(fragment) {
    if (hasBlocks(fragment)) return fragment;
    const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
    /** @type {any[]} */
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const node of texts) {
        const first = node === fragment.firstChild;
        const lines = node.textContent.split(/\r?\n/).map((line, i) => withBlanks(line, first || i > 0));
        node.replaceWith(...lines.flatMap((line, i) => (i ? [el("br"), line] : [line])));
    }
    return fragment;
}

const withBlanks = (text, begins) => text.replaceAll("\t", TAB)
    .replace(begins ? /^ +| {2,}/g : / {2,}/g, (blanks) => "\u00a0".repeat(blanks.length));

const isEmpty = (area) => !area.textContent.trim() && !area.querySelector("img");

function serialized(area) {
    const box = el("div");
    box.append(editable(area.innerHTML).fragment);
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
