// A field with a list of suggestions under the field during typing (WAI-ARIA Authoring Practices, combobox).

import { charactersOf } from "./forms.js";
import { el, fill, icon, queryAll } from "./dom.js";
import { lifetime } from "./lifetime.js";
import { announce } from "./notes.js";
import { t } from "./texts.js";

const PAUSE = 200;    // milliseconds without a key, after which is looked for more

// One character of Chinese, Japanese or Korean is a word; of other scripts, words begin with two.
const isEnough = (text) => charactersOf(text) > 1 || /[\u3007\u3040-\ud7ff\uf900-\ufaff]/.test(text) || text.codePointAt(0) > 0x1ffff;

/**
 * What stands in the list. `it` is for the caller alone.
 * @typedef {{title: string, facts: any[], drawing: string, it: any}} Option
 */

// The list, and which of its options is marked.
function listUnder(field, id) {
    const list = el("ul", { class: "found", id, role: "listbox", "aria-label": t("search.found"), hidden: true,
        onmousedown: (event) => event.preventDefault() });    // the field keeps the focus
    let options = [];
    const rows = () => queryAll(list, "[role=option]");
    const marked = () => rows().findIndex((row) => row.getAttribute("aria-selected") === "true");
    const mark = (n) => {
        for (const [i, row] of rows().entries()) row.setAttribute("aria-selected", String(i === n));
        rows()[n]?.scrollIntoView({ block: "nearest" });
        if (rows()[n]) field.setAttribute("aria-activedescendant", rows()[n].id);
        else field.removeAttribute("aria-activedescendant");
    };
    const draw = ({ title, facts, drawing }, n) => el("li", { class: "found-place", id: `${id}-${n}`, role: "option", "aria-selected": "false" },
        icon(drawing), el("span", { class: "found-title", dir: "auto" }, title), el("span", { class: "found-facts" }, facts));
    const show = (all) => {
        options = all;
        fill(list, all.map(draw)).hidden = !all.length;
        field.removeAttribute("aria-activedescendant");
        field.setAttribute("aria-expanded", String(all.length > 0));
    };
    const step = (by) => {
        const next = marked() + by;
        mark(next < -1 ? options.length - 1 : next < options.length ? next : -1);    // between the last and the first none is marked
    };
    return { list, show, step, marked: () => options[marked()], of: (row) => options[rows().indexOf(row)] };
}

// Looks for what is typed, a moment after the last letter. What comes too late is dropped.
function lookUp(field, find, show) {
    const ended = lifetime();
    let [asking, timer] = [new AbortController(), 0];
    const stop = () => {
        clearTimeout(timer);
        asking.abort();
    };
    const ask = async () => {
        stop();
        asking = new AbortController();
        if (!isEnough(field.value.trim())) return show([]);
        try {
            const signal = AbortSignal.any([asking.signal, ended]);
            const options = await find(field.value, signal);
            if (signal.aborted) return;
            show(options);
            announce(t("found", { n: options.length }));
        } catch (error) {
            if (error.name !== "AbortError") show([]);
        }
    };
    const askSoon = (event) => {
        clearTimeout(timer);
        if (!event.isComposing) timer = setTimeout(ask, PAUSE);
    };
    field.addEventListener("input", askSoon);
    field.addEventListener("compositionend", askSoon);
    return stop;
}

/**
 * Makes a combobox of a field.
 * @param {any} field
 * @param {object} means
 * @param {string} means.id of the list
 * @param {(text: string, signal: AbortSignal) => Promise<Option[]>} means.find
 * @param {(it: any, title: string) => void} means.take what is done with the option that is chosen
 * @param {boolean} [means.marksFirst] whether Enter takes the first option, if no other one is marked
 * @returns {HTMLElement} the list, to be shown under the field
 */
export function combobox(field, { id, find, take, marksFirst = false }) {
    for (const [name, value] of Object.entries({ role: "combobox", "aria-expanded": "false", "aria-controls": id, "aria-autocomplete": "list",
        autocomplete: "off", enterkeyhint: "search" })) field.setAttribute(name, value);
    const { list, show, step, marked, of } = listUnder(field, id);
    const stop = lookUp(field, find, (options) => {
        show(options);
        if (marksFirst) step(1);
    });
    const close = () => {
        stop();
        show([]);
    };
    const choose = ({ it, title }) => {
        close();
        take(it, title);
    };
    const keys = { ArrowDown: () => step(1), ArrowUp: () => step(-1), Escape: close, Enter: () => choose(marked()) };
    const onkeydown = (event) => {
        if (event.key === "Enter" && !event.isComposing && !marked()) return close();    // the form is sent
        if (event.isComposing || list.hidden || !keys[event.key]) return;
        event.preventDefault();
        keys[event.key]();
    };
    field.addEventListener("keydown", onkeydown);
    field.addEventListener("blur", close);
    list.addEventListener("click", ({ target }) => {
        const option = of(target.closest("[role=option]"));
        if (option) choose(option);
    });
    lifetime().addEventListener("abort", close);
    return list;
}
