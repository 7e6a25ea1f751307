// What is pasted from other programs: headings, links, lists, paragraphs and emphasis come along, looks do not.

import { el } from "./dom.js";
import { pasted } from "./trusted.js";

const STRUCTURE = "a, ul, ol, h1, h2, h3, h4, h5, h6, table, blockquote, pre, b, strong, i, em";
const BLOCKS = "p, div, ul, ol, li, dl, dt, dd, h1, h2, h3, h4, h5, h6, table, thead, tbody, tr, td, th, caption, blockquote, pre, hr, br, figure";
const KEPT = ["href", "start", "value", "colspan", "rowspan"];

/**
 * The HTML of a clipboard, ready for an editor.
 * @param {string} html
 * @returns {string} "" if it says no more than its text
 */
export function structureOf(html) {
    const fragment = pasted(html);
    makeLists(fragment);
    for (const span of all(fragment, "span[style]")) emphasise(span);
    for (const link of all(fragment, "a")) if (!/^[a-z]+:/i.test(link.getAttribute("href") ?? "")) unwrap(link);
    for (const bold of all(fragment, "b[style]")) if (declares(bold, "font-weight:\\s*(?:normal|400)")) unwrap(bold);
    for (const span of all(fragment, "span")) unwrap(span);
    for (const one of all(fragment, "*")) stripped(one);
    for (const one of all(fragment, "p, h1, h2, h3, h4, h5, h6, div")) if (!one.textContent.trim() && !one.querySelector("img")) one.remove();
    for (const text of textsOf(fragment)) collapse(text);
    return fragment.querySelector(STRUCTURE) ? el("div", {}, fragment).innerHTML : "";
}

const all = (fragment, selector) => [...fragment.querySelectorAll(selector)];
const styleOf = (element) => element.getAttribute("style") ?? "";
const declares = (element, declaration) => new RegExp(`(?:^|;)\\s*${declaration}`, "i").test(styleOf(element));
const unwrap = (element) => element.replaceWith(...element.childNodes);

function stripped(element) {
    for (const { name } of [...element.attributes]) if (!KEPT.includes(name)) element.removeAttribute(name);
}

// Some programs say by the style of a span what others say by an element.
function emphasise(span) {
    const names = [declares(span, "font-weight:\\s*(?:bold|[6-9]00)") && "b", declares(span, "font-style:\\s*italic") && "i"].filter(Boolean);
    for (const name of names) {
        const inner = el(name, {}, ...span.childNodes);
        span.append(inner);
    }
}

// White space counts in preformatted text alone.
function textsOf(fragment) {
    const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) if (!walker.currentNode.parentElement?.closest("pre")) found.push(walker.currentNode);
    return found;
}

function collapse(text) {
    text.data = text.data.replace(/[ \t\r\n\f]+/g, " ");
    const ends = [text.previousSibling, text.nextSibling].some((beside) => !beside || beside.matches?.(BLOCKS));
    if (text.data === " " && ends) text.remove();
}

// The lists of Word are paragraphs, each with its level and with a sign or number in its text.
function makeLists(fragment) {
    let open = [];    // the lists that the next item may belong to, {level, list}, outermost first
    for (const paragraph of all(fragment, "p[style*='mso-list'], div[style*='mso-list']")) {
        const level = Number(/mso-list:[^;]*level(\d)/.exec(styleOf(paragraph))?.[1]);
        if (!level) continue;
        const item = itemOf(paragraph);
        if (paragraph.previousElementSibling !== open[0]?.list) open = [];
        while (open.length && (open.at(-1).level > level || (open.at(-1).level === level && open.at(-1).list.nodeName !== item.list))) open.pop();
        if (open.at(-1)?.level !== level) open.push({ level, list: begun(item, open.at(-1)?.list, paragraph) });
        open.at(-1).list.append(el("li", {}, ...paragraph.childNodes));
        paragraph.remove();
    }
}

// What the sign before an item says of its list; the sign goes.
function itemOf(paragraph) {
    const sign = paragraph.querySelector("[style*='mso-list:Ignore'], [style*='mso-list: Ignore']");
    const [, number] = /^\s*\(?([0-9]+|[a-z]+)[.)]/i.exec(sign?.textContent ?? "") ?? [];
    sign?.remove();
    return { list: number ? "OL" : "UL", start: Number(number) > 1 ? number : null };
}

function begun({ list, start }, outer, paragraph) {
    const made = el(list.toLowerCase(), { start });
    if (outer) outer.lastElementChild.append(made);
    else paragraph.before(made);
    return made;
}
