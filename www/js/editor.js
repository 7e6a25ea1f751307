// A field for text with little markup: what is written here is the HTML of a blog.

import { button, el, fill, icon } from "./dom.js";
import { structureOf } from "./paste.js";
import { hasText, t } from "./texts.js";
import { editable, sanitized, trusted } from "./trusted.js";

const COMMANDS = [["bold", "bold", "format.bold"], ["italic", "italic", "format.italic"],
    ["insertUnorderedList", "list", "format.list"], ["formatBlock:blockquote", "quote", "format.quote"]];
const TAB = "\u00a0".repeat(8);

/**
 * The field. Its `value()` is HTML, "" where nothing is written, and byte for byte what the field began with while nobody has
 * changed it. HTML that would not survive editing is shown and kept, until somebody chooses to edit it all the same. `set(html)`
 * begins anew with another text.
 * @param {string} html what it begins with
 * @param {() => void} oninput
 */
export function editor(html, oninput) {
    const element = el("div", { class: "field", "data-field": "blogContent" });
    let value = () => html;
    const show = (control, ...above) => {
        value = control.value;
        fill(element, el("span", { class: "label-line" }, t("field.blogContent")), ...above, control.parts);
    };
    const edit = (control, ...above) => {
        show(control, ...above);
        control.area.focus({ preventScroll: true });
    };
    const set = (text) => {
        const { lost } = editable(text);
        if (!lost.length) return show(richText(text, oninput));
        const back = button("back", t("content.back"), () => { set(text); oninput(); }, { className: "button small" });
        show(readOnly(text), notice("lock", t("content.locked", { what: inWords(lost) }),
            button("pen", t("content.editText"), () => edit(richText(text, oninput), notice("warning", t("content.drops", { what: inWords(lost) }), back)),
                { className: "button small" }),
            button("pen", t("content.editHTML"), () => edit(source(text, oninput), notice("pen", t("content.asHTML"), back)),
                { className: "button small" })));
    };
    set(html);
    return { element, set, value: () => value() };
}

const notice = (iconName, text, ...buttons) => el("div", { class: "info-box" }, icon(iconName), el("p", {}, text), ...buttons);

// The text as its reader sees it.
function richText(text, oninput) {
    const area = el("div", { class: "editor prose", contenteditable: "true", role: "textbox", "aria-multiline": "true",
        "aria-label": t("field.blogContent"), "data-placeholder": t("content.placeholder"), dir: "auto", oninput, onpaste: paste,
        onblur: () => leave(area) });
    area.append(asBlocks(editable(text)));
    document.execCommand("defaultParagraphSeparator", false, "p");
    const begun = area.innerHTML;
    return { area, parts: [bar(area), area], value: () => (area.innerHTML === begun ? text : isEmpty(area) ? "" : serialized(area)) };
}

// The text as it is stored. A textarea has no CR: they come back where all lines ended so.
function source(text, oninput) {
    const area = el("textarea", { class: "source", rows: 16, spellcheck: "false", "aria-label": t("content.editHTML"), oninput });
    area.value = text;
    const begun = area.value;
    const changed = () => (/(?:^|[^\r])\n/.test(text) ? area.value : area.value.replaceAll("\n", "\r\n"));
    return { area, parts: [area], value: () => (area.value === begun ? text : changed()) };
}

const readOnly = (text) => ({ parts: [el("div", { class: "locked" }, prose(text))], value: () => text });

const bar = (area) => el("div", { class: "editor-bar", role: "toolbar", "aria-label": t("format") },
    COMMANDS.map(([command, iconName, text]) => button(iconName, t(text), () => run(area, command),
        { className: "icon-button", text: false, onmousedown: (event) => event.preventDefault() })),
    button("link", t("format.link"), () => link(area), { className: "icon-button", text: false }));

// What is shown as it is ----------------------------------------------------------------------------------------------

/** A text of an author, to be read. */
export function prose(html) {
    const { fragment, lines } = sanitized(html);
    return el("div", { class: lines ? "prose prose-lines" : "prose", dir: "auto" }, fragment);
}

// "3 pictures of other sites, 1 video"
function inWords(lost) {
    return [...new Set(lost)].map((name) => {
        const n = lost.filter((one) => one === name).length;
        const text = hasText(`lost.${name}`) ? `lost.${name}` : name.startsWith("@") ? "lost.attribute" : "lost.element";
        return t(text, { n, name: name.replace(/^@/, "") });
    }).join(t("comma"));
}

// What is edited -----------------------------------------------------------------------------------------------------

// Without blocks the line breaks and the blanks of a text are meant. They become elements and blanks that stay, as what is written
// beside them may be blocks.
function asBlocks({ fragment, lines }) {
    if (!lines) return fragment;
    const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
    /** @type {any[]} */
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    let behind = true;    // whether what comes stands behind a blank, or begins a line
    for (const node of texts) {
        const kept = node.textContent.split(/\r?\n/).map((line, i) => withBlanks(line, behind || i > 0));
        behind = /(?:^|[ \n])$/.test(node.textContent);
        node.replaceWith(...kept.flatMap((line, i) => (i ? [el("br"), line] : [line])));
    }
    return fragment;
}

const withBlanks = (text, behind) => text.replaceAll("\t", TAB)
    .replace(behind ? /^ +| {2,}/g : / {2,}/g, (blanks) => "\u00a0".repeat(blanks.length));

const isEmpty = (area) => !area.textContent.trim() && !area.querySelector("img");

function serialized(area) {
    const box = el("div");
    box.append(editable(area.innerHTML).fragment);
    return box.innerHTML;
}

function paste(event) {
    event.preventDefault();
    const html = structureOf(event.clipboardData.getData("text/html"));
    if (html) document.execCommand("insertHTML", false, trusted(html));
    else document.execCommand("insertText", false, event.clipboardData.getData("text/plain"));
}

const left = new WeakMap();    // where the writing goes on in each area that something else took the focus from

function leave(area) {
    const selection = getSelection();
    if (selection?.rangeCount && area.contains(selection.anchorNode)) left.set(area, selection.getRangeAt(0).cloneRange());
}

function enter(area) {
    const range = area === document.activeElement ? null : left.get(area);
    area.focus();
    if (!range) return;
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(range);
}

function run(area, command) {
    enter(area);
    const [name, value] = command.split(":");
    document.execCommand(name, false, value);
}

function link(area) {
    enter(area);
    const given = prompt(t("format.linkAsk"), "https://");
    if (given && /^(?:https?:\/\/|mailto:|tel:|geo:|#)./i.test(given)) document.execCommand("createLink", false, given);
}
