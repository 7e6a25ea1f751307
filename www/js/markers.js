// The markers of the map: pieces, clusters of them, and stacks of pieces that would lie upon each other.

import * as L from "../leaflet/leaflet.esm.min.js";
import { KIND_ICONS, placeIcon } from "./domain.js";
import { button, el, icon } from "./dom.js";
import { isOwnPicture } from "./own_picture.js";
import { titleOf } from "./people.js";
import { address, go, idOf } from "./router.js";
import { formatCompact, t } from "./texts.js";

const PINS = { blog: { size: 36, anchor: [18, 43] }, album: { size: 36, anchor: [18, 43] }, POI: { size: 28, anchor: [14, 34] } };
const APART = 30;             // pixels between markers that can be told apart
const ORDER = ["blog", "album", "POI"];

/** @type {any} */
let map;
let layer;
/** @type {{pick: (place: any) => boolean, open: (cluster: any) => void, reveal: (place: any) => void}} */
let uses;
/** @type {{places: any[], clusters: any[]}} */
let last = { places: [], clusters: [] };
const shown = new Map();      // by what they stand for
let stop = null;              // the key of the marker that Tab leads to; the arrow keys lead on from there
let chosen = null;            // {key, marker} of the piece that is shown

/**
 * Begins with a map.
 * @param {any} on the map
 * @param {typeof uses} what `pick` takes the place of a marker if somebody chooses a place, `open` shows a cluster closer, `reveal` a place
 */
export function startMarkers(on, what) {
    map = on;
    uses = what;
    layer = L.layerGroup().addTo(map);
    map.on("moveend", () => { for (const marker of shown.values()) moveBeside(marker); });
    map.on("popupclose", ({ popup }) => popup.origin?.());
}

/** The longitude where it is on that copy of the world that is looked at. */
export const nearest = (lng) => lng + 360 * Math.round((map.getCenter().lng - lng) / 360);

function moveBeside(marker) {
    const { lat, lng } = marker.getLatLng();
    if (nearest(lng) !== lng) marker.setLatLng([lat, nearest(lng)]);
}

// What is shown ------------------------------------------------------------------------------------------------------

const keyOf = (place) => `${place.kind}/${idOf(place)}`;
const keyOfStack = (stack) => stack.map(keyOf).join(" ");
const keyOfCluster = ({ Location, albumCount, POICount, blogCount }) =>
    `cluster/${Location.lat}/${Location.lng}/${albumCount}/${POICount}/${blogCount}`;

/** Shows these places and clusters, and no others. */
export function showPlaces(places, clusters = []) {
    last = { places, clusters };
    const others = places.filter((place) => keyOf(place) !== chosen?.key);
    const wanted = new Map();
    for (const cluster of clusters) wanted.set(keyOfCluster(cluster), () => clusterMarker(cluster));
    for (const stack of stacksOf(others)) wanted.set(keyOfStack(stack), () => stackMarker(stack));
    const focused = [...shown.values()].find((marker) => marker.getElement() === document.activeElement);
    for (const [key, marker] of shown) if (!wanted.has(key)) drop(key, marker);
    for (const [key, make] of wanted) if (!shown.has(key)) keep(key, make());
    for (const marker of shown.values()) moveBeside(marker);
    stopAt(shown.has(stop) ? stop : inOrder("lng")[0]?.[0] ?? null);
    if (focused && !focused.getElement()?.isConnected) focusBeside(focused.getLatLng());
}

function drop(key, marker) {
    layer.removeLayer(marker);
    shown.delete(key);
}

function keep(key, marker) {
    layer.addLayer(marker);
    shown.set(key, marker);
    const element = marker.getElement();
    element.addEventListener("focus", () => stopAt(key));
    element.addEventListener("keydown", (event) => step(event, key));
}

// Diaries lie upon places, and of a kind the better ones upon others.
const worth = (one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind)
    || Number(isOwnPicture(other.thumbnail)) - Number(isOwnPicture(one.thumbnail)) || other.score - one.score;

// Lists of places, each of those that would hide each other.
function stacksOf(places) {
    const stacks = [];
    for (const place of [...places].sort(worth)) {
        const at = map.latLngToContainerPoint([place.Location.lat, nearest(place.Location.lng)]);
        const below = stacks.find(({ point }) => Math.abs(point.x - at.x) < APART && Math.abs(point.y - at.y) < APART);
        if (below) below.stack.push(place);
        else stacks.push({ point: at, stack: [place] });
    }
    return stacks.map(({ stack }) => stack);
}

// The keys -----------------------------------------------------------------------------------------------------------

// From west to east, or from north to south.
const inOrder = (by) => [...shown].sort(([, one], [, other]) => (by === "lng" ? 1 : -1) * (one.getLatLng()[by] - other.getLatLng()[by]));

function stopAt(key) {
    stop = key;
    for (const [one, marker] of shown) marker.getElement().tabIndex = one === key ? 0 : -1;
}

const STEPS = {
    ArrowRight: ["lng", 1], ArrowLeft: ["lng", -1], ArrowDown: ["lat", 1], ArrowUp: ["lat", -1],
    Home: ["lng", -Infinity], End: ["lng", Infinity],
};

function step(event, key) {
    const [by, steps] = STEPS[event.key] ?? [];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const ordered = inOrder(by);
    const next = ordered.findIndex(([one]) => one === key) + steps;
    focusOn(ordered[Math.max(0, Math.min(ordered.length - 1, next))][1]);
}

function focusOn(marker) {
    marker.getElement().focus({ preventScroll: true });
    map.panInside(marker.getLatLng(), { padding: [60, 60], animate: false });
}

// What had the focus is gone.
function focusBeside(place) {
    const far = (marker) => map.distance(marker.getLatLng(), place);
    const [first, ...others] = shown.values();
    const marker = first && others.reduce((near, one) => (far(one) < far(near) ? one : near), first);
    (marker?.getElement() ?? map.getContainer()).focus({ preventScroll: true });
}

// Markers ------------------------------------------------------------------------------------------------------------

/** A marker that is a button with a name, for the keyboard as well. */
export function makeMarker({ lat, lng }, html, options, label, onclick) {
    const { size, className, anchor = [size / 2, size / 2] } = options;
    const marker = L.marker([lat, nearest(lng)], {
        icon: L.divIcon({ html, className, iconSize: [size, size], iconAnchor: anchor }), riseOnHover: true, keyboard: true,
    });
    marker.on("add", () => {
        const element = marker.getElement();
        element.setAttribute("role", "button");
        element.setAttribute("aria-label", label);
        element.title = label;
    });
    // Where somebody chooses a place, what is there already is a place to choose, too.
    const follow = () => uses.pick(marker.getLatLng()) || onclick(marker);
    marker.on("click", follow);
    marker.on("keypress", ({ originalEvent: { key } }) => { if (key === "Enter" || key === " ") follow(); });
    return marker;
}

const labelOf = (place) => t("marker", { kind: t(`kind.${place.kind}`), title: titleOf(place.title) });

function stackMarker(stack) {
    const [place, ...below] = stack;
    const label = below.length ? t("marker.stack", { label: labelOf(place), n: below.length }) : labelOf(place);
    const badge = below.length > 0 && el("span", { class: "marker-badge" }, `+${formatCompact(below.length)}`);
    const follow = (marker) => (below.length ? showStack(marker, stack) : go(address(place.kind, idOf(place))));
    if (isOwnPicture(place.thumbnail)) {
        const html = el("span", { class: "marker-photo" }, el("img", { src: place.thumbnail, alt: "", loading: "lazy" }), badge);
        return makeMarker(place.Location, html, { size: 48, anchor: [24, 54], className: "marker marker-with-photo" }, label, follow);
    }
    const html = el("span", { class: "marker-place" }, el("span", { class: "marker-pin" }, icon(placeIcon(place))), badge);
    return makeMarker(place.Location, html, { ...PINS[place.kind], className: `marker marker-${place.kind}` }, label, follow);
}

// All of a stack, to choose from.
function showStack(marker, stack) {
    const close = () => map.closePopup();
    const onkeydown = (event) => { if (event.key === "Escape") close(); };
    const list = el("ul", {}, stack.map((place) => el("li", {}, el("a", { href: address(place.kind, idOf(place)), onclick: close },
        icon(placeIcon(place)), el("span", { dir: "auto" }, titleOf(place.title))))));
    const box = el("div", { role: "dialog", "aria-label": t("stack", { n: stack.length }), onkeydown },
        button("close", t("close"), close, { className: "icon-button small", text: false }), list);
    const popup = L.popup({ className: "stack", closeButton: false, minWidth: 180, maxHeight: 260, offset: [0, -20] })
        .setLatLng(marker.getLatLng()).setContent(box);
    popup.origin = () => { if (box.contains(document.activeElement) || document.activeElement === document.body) focusAgain(marker); };
    popup.openOn(map);
    list.querySelector("a").focus({ preventScroll: true });
}

function focusAgain(marker) {
    if (marker.getElement()?.isConnected) marker.getElement().focus({ preventScroll: true });
    else focusBeside(marker.getLatLng());
}

// A ring shows the shares of the kinds. A cluster of places alone is paler, so that they do not hide diaries.
function clusterMarker(cluster) {
    const { count, blogCount, albumCount, POICount } = cluster;
    const html = el("span", { class: "cluster-ring" }, el("span", { class: "cluster-count" }, formatCompact(count)));
    html.style.setProperty("--blogs", `${100 * blogCount / count}%`);
    html.style.setProperty("--diary", `${100 * (blogCount + albumCount) / count}%`);
    const size = Math.min(64, 34 + 6 * Math.log10(count));
    const className = `marker cluster${POICount === count ? " of-places" : ""}`;
    return makeMarker(cluster.Location, html, { size, className }, clusterText(cluster), () => uses.open(cluster));
}

/** The pieces of a cluster in words. The words begin with the number on the marker (WCAG 2.5.3). */
export const clusterText = (cluster) => t("cluster", {
    n: formatCompact(cluster.count),
    kinds: ["blog", "album", "POI"].filter((kind) => cluster[`${kind}Count`] > 0)
        .map((kind) => t(`count.${kind}`, { n: cluster[`${kind}Count`] })).join(t("comma")),
});


/**
 * Marks the piece that is shown, instead of its usual marker; null marks none.
 * @param {{kind: string, id: number | string, title: string, Location: any} | null} place
 */
export function choose(place) {
    chosen?.marker.remove();
    chosen = place && { key: `${place.kind}/${place.id}`, marker: chosenMarker(place) };
    showPlaces(last.places, last.clusters);
}

function chosenMarker(place) {
    const label = t("marker", { kind: t(`kind.${place.kind}`), title: place.title });
    const html = el("span", { class: "marker-pin" }, icon(KIND_ICONS[place.kind]));
    const options = { size: 44, anchor: [22, 52], className: "marker marker-chosen" };
    const marker = makeMarker(place.Location, html, options, label, () => uses.reveal(place.Location));
    return marker.setZIndexOffset(2000).addTo(map);
}
