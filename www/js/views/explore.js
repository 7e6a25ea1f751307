// What there is: the latest, what the map shows, what somebody searches for, what is near.

import { askForAdvertisement, insertAdvertisement } from "../advertisement.js";
import { NoAnswer, read, readAhead, Refusal } from "../api.js";
import { ALBUM_CATEGORIES, BLOG_TYPES, POI_CATEGORIES } from "../domain.js";
import { button, el, fill, icon, linkButton } from "../dom.js";
import { feedLinks } from "../feeds.js";
import { card, nothing, pagedList, pictureStrip, waiting } from "../lists.js";
import { lifetime } from "../lifetime.js";
import { fit, fitBox, moveTo, onMoved, position, view } from "../map.js";
import { clusterText, showPlaces } from "../markers.js";
import { announce, complain, note } from "../notes.js";
import { address, go, replaceAddress } from "../router.js";
import { searchField } from "../search_field.js";
import { siteTitle } from "../site.js";
import { t } from "../texts.js";
import { unread, whenOnline } from "../unread.js";

const LIMIT = 30;
const FILTERS = ["kind", "category", "type"];

let reading = new AbortController();    // of the map, which is read for the last one that asked
let isRead = false;                     // whether the map has what was read last

/** @returns {any} */
const filtersOf = (params) => Object.fromEntries(FILTERS.map((name) => [name, params.get(name) || undefined]));

// The place of the map in an address.
function placeOfMap() {
    const { zoom, lat, lng } = view();
    return `${zoom}/${Number(lat.toFixed(4))}/${Number(lng.toFixed(4))}`;
}

/** The address of what the map shows. */
export const mapAddress = (params = new URLSearchParams()) => address("map", placeOfMap(), filtersOf(params));

// Reading the map ----------------------------------------------------------------------------------------------------

function readMap(filters, signal) {
    reading.abort();
    reading = new AbortController();
    isRead = false;
    return read("getMap", boxParams(filters), AbortSignal.any([reading.signal, signal]));
}

function boxParams(filters) {
    const { zoom, west, south, east, north } = view();
    return { west, south, east, north, zoomLevel: zoom, ...filters };
}

/**
 * Shows on the map what is there, whatever stands beside it.
 * @param {any} filters
 * @param {AbortSignal} signal the end of the view
 * @param {() => any} [again] what shows it once more
 * @returns {Promise<any>} what is there; null after an error, undefined if another request or the end came before
 */
export async function refreshMap(filters, signal, again = () => refreshMap(filters, signal)) {
    try {
        const { placeList, clusterList } = await readMap(filters, signal);
        isRead = true;
        showPlaces(placeList, clusterList);
        return { placeList, clusterList };
    } catch (error) {
        if (error.name === "AbortError") return undefined;
        if (error instanceof NoAnswer && !navigator.onLine) whenOnline(again);    // that it is offline the page says already
        else if (!isMissing(error)) complain(error, again);
        return null;
    }
}

// An older service has no such operation: the page does what it can.
const isMissing = (error) => error instanceof Refusal && error.info === "UNKNOWN FUNC";

/** Reads what an earlier view had no time to read. */
export const completeMap = (signal) => (isRead ? null : refreshMap({}, signal));

// The frame ----------------------------------------------------------------------------------------------------------

function searchForm(q) {
    const [field, list] = searchField(q);
    const submit = (event) => {
        event.preventDefault();
        const text = field.value.trim();
        go(text ? address("search", text) : address("latest"));
    };
    return el("form", { class: "search", role: "search", onsubmit: submit },
        icon("search"), field,
        el("button", { type: "submit", class: "visually-hidden" }, t("search")),
        button("locate", t("nearMe"), nearMe, { className: "icon-button", text: false }), list);
}

async function nearMe() {
    const signal = lifetime();
    announce(t("locating"));
    try {
        const { lat, lng } = await position();
        if (!signal.aborted) go(address("near", `${lat}/${lng}`));
    } catch {
        note(t("noPosition"), { kind: "error" });
    }
}

const TABS = [["latest", "clock"], ["map", "layers"]];

function tabs(current, params) {
    return el("nav", { class: "tabs", "aria-label": t("lists") }, TABS.map(([name, iconName]) => {
        const href = name === "map" ? mapAddress(params) : address(name, "", filtersOf(params));
        return el("a", { class: "tab", href, "aria-current": current === name ? "page" : null }, icon(iconName), t(`tab.${name}`));
    }));
}

// Filters: a kind, and of that kind a category or type.
function filterRow({ view: name, value, params }) {
    const filters = filtersOf(params);
    const to = (changes) => address(name, value, changes);
    const chip = (kind, label, iconName) => el("a", {
        class: "chip", href: to(kind ? { kind } : {}), "aria-current": (filters.kind ?? "") === kind ? "true" : null,
    }, iconName && icon(iconName), label);
    return el("div", { class: "filters", role: "group", "aria-label": t("filters") },
        chip("", t("kind.all")), chip("blog", t("kind.blogs"), "book"), chip("album", t("kind.albums"), "photos"),
        chip("POI", t("kind.POIs"), "pin"), filters.kind && categories(filters, to));
}

function categories({ kind, category, type }, to) {
    const values = {
        blog: Object.keys(BLOG_TYPES).map((key) => [key, t(`type.${key}`)]),
        album: count(ALBUM_CATEGORIES).map((key) => [key, t(`album.${key}`)]),
        POI: count(POI_CATEGORIES).map((key) => [key, t(`poi.${key}`)]),
    }[kind] ?? [];
    const name = kind === "blog" ? "type" : "category";
    const onchange = (event) => go(to({ kind, [name]: event.target.value }));
    return el("select", { class: "chip", "aria-label": t("category"), onchange },
        el("option", { value: "" }, t("category.all")),
        values.map(([key, label]) => el("option", { value: key, selected: String(type ?? category) === String(key) }, label)));
}

const count = (last) => Array.from({ length: last }, (_, i) => i + 1);

function frame(panel, title, place, { q = "", tab = "", filtered = true, above = null, feeds = null } = {}) {
    if (tab !== "latest") document.title = `${title} · ${siteTitle()}`;
    const results = el("div", { class: "results", "aria-live": "off" }, waiting());
    fill(panel,
        searchForm(q),
        tabs(tab, place.params),
        filtered && filterRow(place),
        el("h1", { class: tab ? "visually-hidden" : "panel-title", tabindex: "-1" }, title),
        above, results, feeds);
    return results;
}

async function show(results, again, make) {
    try {
        fill(results, await make());
    } catch (error) {
        if (error.name === "AbortError") return;
        if (error instanceof NoAnswer) return unread(results, error, { retry: again });
        fill(results, nothing(t("error.list"), "warning"));
        if (!isMissing(error)) complain(error, again);
    }
}

// The views ----------------------------------------------------------------------------------------------------------

const inPages = (func, params, signal, first = (/** @type {any[]} */ _places, /** @type {any} */ _answer) => {}) => async (after) => {
    const answer = await read(func, { ...params, limit: LIMIT, after }, signal);
    if (!after) first(answer.placeList, answer);
    return { items: answer.placeList, next: answer.next };
};

const listOf = (readPage, emptyText, more = {}) =>
    pagedList(readPage, { item: card, empty: () => nothing(t(emptyText)), oncomplain: complain, ...more });

const paramsOfLatest = (params) => ({ type: filtersOf(params).type });

/** Begins to read the latest pieces of the diaries. */
export const readLatestAhead = ({ params }) => readAhead("getBlogList", { ...paramsOfLatest(params), limit: LIMIT });

/** The latest pieces of the diaries. */
export async function showLatest(panel, place) {
    const { signal } = place;
    const filters = filtersOf(place.params);
    const params = paramsOfLatest(place.params);
    // Entries are words; what is on the map has pictures.
    const pictures = el("div");
    const results = frame(panel, t("tab.latest"), place,
        { tab: "latest", filtered: false, above: pictures, feeds: feedLinks("getBlogList", params) });
    const moved = async () => {
        const found = await refreshMap(filters, signal, moved);
        if (found) fill(pictures, pictureStrip([...found.placeList].sort(worthASee)));
    };
    onMoved(moved, signal);
    await Promise.all([
        moved(),
        show(results, () => showLatest(panel, place), () => listOf(inPages("getBlogList", params, signal), "empty.latest", { least: place.rows })),
    ]);
    await insertAdvertisement(results, () => askForAdvertisement(view(), signal));
}

/** What the map shows. */
export async function showMap(panel, place) {
    const { signal } = place;
    const [zoom, lat, lng] = place.value.split("/").map(Number);
    // Where it is there already, all of it would be drawn anew.
    if (place.value && place.value !== placeOfMap()) moveTo({ lat, lng }, zoom, false);
    const results = frame(panel, t("tab.map"), place, { tab: "map" });
    let advertisement = null;    // the one of this view, wherever the map is moved
    const list = async () => {
        const found = await refreshMap(filtersOf(place.params), signal, list);
        if (found) {
            fill(results, inView(found, boxParams(filtersOf(place.params))));
            await insertAdvertisement(results, () => (advertisement ??= askForAdvertisement(view(), signal)));
        }
        else if (found === null && !results.querySelector(".cards")) fill(results, nothing(t("error.list"), "warning"));
    };
    onMoved(() => {
        replaceAddress(mapAddress(place.params));
        list();
    }, signal);
    await list();
}

// What has a picture first, and then what is recommended most.
const worthASee = (one, other) => Number(Boolean(other.thumbnail)) - Number(Boolean(one.thumbnail)) || other.score - one.score;

const diariesOf = ({ albumCount, blogCount }) => albumCount + blogCount;
const byDiaries = (one, other) => diariesOf(other) - diariesOf(one) || other.count - one.count;

function inView({ placeList, clusterList }, params) {
    const total = placeList.length + clusterList.reduce((sum, { count: n }) => sum + n, 0);
    announce(t("found", { n: total }));
    if (!total) return nothing(t("empty.map"), "map");
    const clusters = [...clusterList].sort(byDiaries).slice(0, 12);
    return el("div", {}, el("p", { class: "sum" }, t("found", { n: total })),
        el("ul", { class: "cards" }, [...placeList].sort(worthASee).map(card)),
        clusters.length > 0 && el("ul", { class: "clusters" }, clusters.map((cluster) => el("li", {},
            button("zoom", clusterText(cluster), () => fitBox(cluster), { className: "chip" })))),
        feedLinks("getMap", params, ["GeoJSON"]));
}

/** What stands where an address has not all of its parts, or others than it should. */
export function showUnfinished(panel) {
    fill(panel, searchForm(""), tabs("", new URLSearchParams()),
        el("h1", { class: "visually-hidden", tabindex: "-1" }, t("unfinished")),
        nothing(t("unfinished"), "warning", linkButton(address("latest"), "back", t("toLatest"))));
}

/** What has all of these words. */
export async function showSearch(panel, place) {
    const { lat, lng } = view();
    const params = { q: place.value, kind: place.params.get("kind") || undefined };
    const results = frame(panel, t("search.for", { q: place.value }), place, { q: place.value, feeds: feedLinks("search", params) });
    let meant;
    const readPage = inPages("search", { ...params, lat, lng }, place.signal, (places, { suggestion }) => {
        announce(t("found", { n: places.length }));
        showPlaces(places);
        fit(places);
        meant = suggestion;
    });
    const empty = () => nothing(t("empty.search"), "search",
        meant && linkButton(address("search", meant, filtersOf(place.params)), "search", t("search.suggestion", { q: meant })));
    await show(results, () => showSearch(panel, place), () => listOf(readPage, "empty.search", { least: place.rows, empty }));
}

/** What is near a place, nearest first. */
export async function showNear(panel, place) {
    const [lat, lng] = place.value.split("/").map(Number);
    const params = { lat, lng, radius: 100_000, ...filtersOf(place.params) };
    const results = frame(panel, t("nearMe"), place, { feeds: feedLinks("getNearby", params) });
    moveTo({ lat, lng }, 12);
    const readPage = inPages("getNearby", params, place.signal, (places) => {
        announce(t("found", { n: places.length }));
        showPlaces(places);
        fit([{ Location: { lat, lng } }, ...places.slice(0, 8)]);
    });
    await show(results, () => showNear(panel, place), () => listOf(readPage, "empty.near", { least: place.rows }));
    await insertAdvertisement(results, () => askForAdvertisement({ lat, lng }, place.signal));
}
