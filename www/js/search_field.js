// The field that searches. What is found stands in a list under it while somebody types (WAI-ARIA Authoring Practices, combobox with
// a list of suggestions).

import { read } from "./api.js";
import { categoryText, placeIcon } from "./domain.js";
import { el, fill, icon, queryAll } from "./dom.js";
import { bounded, charactersOf } from "./forms.js";
import { lifetime } from "./lifetime.js";
import { view } from "./map.js";
import { announce } from "./notes.js";
import { titleOf } from "./people.js";
import { address, go, idOf } from "./router.js";
import { formatDistance, t } from "./texts.js";

const PAUSE = 200;    // milliseconds without a key, after which the service is asked
const LIMIT = 8;
const LIST = "found";

// One character of Chinese, Japanese or Korean is a word; of other scripts, words begin with two.
const isEnough = (text) => charactersOf(text) > 1 || /[\u3007\u3040-\ud7ff\uf900-\ufaff]/.test(text) || text.codePointAt(0) > 0x1ffff;

function option(place, n) {
    return el("li", { class: "found-place", id: `${LIST}-${n}`, role: "option", "aria-selected": "false", "data-address": address(place.kind, idOf(place)) },
        icon(placeIcon(place)),
        el("span", { class: "found-title", dir: "auto" }, titleOf(place.title)),
        el("span", { class: "found-facts" }, t(categoryText(place.kind, place.type ?? place.category)),
            place.distance !== undefined && ` · ${formatDistance(place.distance)}`));
}

async function placesFor(q, signal) {
    const { lat, lng } = view();
    return (await read("search", { q, lat, lng, limit: LIMIT }, signal)).placeList;
}

// The list of a field, one of whose places may be chosen.
function listUnder(field) {
    const list = el("ul", { class: "found", id: LIST, role: "listbox", "aria-label": t("search.found"), hidden: true,
        onmousedown: (event) => event.preventDefault() });    // the field keeps the focus
    const chosen = () => queryAll(list, "[aria-selected=true]")[0];
    const choose = (place) => {
        chosen()?.setAttribute("aria-selected", "false");
        place?.setAttribute("aria-selected", "true");
        place?.scrollIntoView({ block: "nearest" });
        if (place) field.setAttribute("aria-activedescendant", place.id);
        else field.removeAttribute("aria-activedescendant");
    };
    const show = (places) => {
        choose(null);
        fill(list, places.map(option)).hidden = !places.length;
        field.setAttribute("aria-expanded", String(places.length > 0));
    };
    const step = (by) => {
        const places = queryAll(list, "[role=option]");
        const next = places.indexOf(chosen()) + by;
        choose(next < -1 ? places.at(-1) : places[next]);    // between the last and the first none is chosen
    };
    return { list, chosen, show, step };
}

/**
 * The field, and the list under it.
 * @param {string} q
 * @returns {any[]}
 */
export function searchField(q) {
    const ended = lifetime();
    let [asking, timer] = [new AbortController(), 0];
    const field = bounded(el("input", { type: "search", name: "q", dir: "auto", value: q, placeholder: t("search.placeholder"),
        "aria-label": t("search"), autocomplete: "off", enterkeyhint: "search", role: "combobox", "aria-expanded": "false",
        "aria-controls": LIST, "aria-autocomplete": "list" }), { most: 100, beside: false });
    const { list, chosen, show, step } = listUnder(field);
    const close = () => {
        clearTimeout(timer);
        asking.abort();
        show([]);
    };
    const ask = async () => {
        asking.abort();
        asking = new AbortController();
        if (!isEnough(field.value.trim())) return show([]);
        try {
            const places = await placesFor(field.value, AbortSignal.any([asking.signal, ended]));
            show(places);
            announce(t("found", { n: places.length }));
        } catch (error) {
            if (error.name !== "AbortError") show([]);    // Enter asks again, and says what is wrong
        }
    };
    const askSoon = (event) => {
        clearTimeout(timer);
        if (!event.isComposing) timer = setTimeout(ask, PAUSE);
    };
    const goTo = (place) => {
        close();
        go(place.dataset.address);
    };
    const keys = { ArrowDown: () => step(1), ArrowUp: () => step(-1), Escape: close, Enter: () => goTo(chosen()) };
    const onkeydown = (event) => {
        if (event.key === "Enter" && !event.isComposing && !chosen()) return close();    // the form is sent
        if (event.isComposing || list.hidden || !keys[event.key]) return;
        event.preventDefault();
        keys[event.key]();
    };
    field.addEventListener("input", askSoon);
    field.addEventListener("compositionend", askSoon);
    field.addEventListener("keydown", onkeydown);
    field.addEventListener("blur", close);
    list.addEventListener("click", ({ target }) => {
        const place = target.closest("[role=option]");
        if (place) goTo(place);
    });
    ended.addEventListener("abort", close);
    return [field, list];
}
