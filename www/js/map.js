// The map: layers, what is to be seen, the place that somebody chooses.

import * as L from "../leaflet/leaflet.esm.min.js";
import { BaseMap } from "./base_map.js";
import { Credits } from "./credits.js";
import { arcOf, MAP_TYPES, rounded } from "./domain.js";
import { byId, el, icon } from "./dom.js";
import { makeMarker, nearest, startMarkers } from "./markers.js";
import { site } from "./site.js";
import { nextPicture, nextTask } from "./tasks.js";
import { t } from "./texts.js";

const DEEPEST = 21;
const DRAWN_WELL = 11;        // the base map has nothing for those who look closer
const CITY = 10;              // how close one comes to a box or a piece by itself
const START = { lat: 23.7, lng: 121, zoom: 3 };

/** @typedef {{west: number, south: number, east: number, north: number}} Box degrees, as the interface has them */

const still = matchMedia("(prefers-reduced-motion: reduce)");
const dark = matchMedia("(prefers-color-scheme: dark)");

// Leaflet writes the texts of its controls as HTML, which trusted types refuse but through a policy of this name. They are plain, but for
// the buttons of the choice of layers.
const LEAFLETS = /^(?:[^<&]*|<input type="radio" class="[\w-]+" name="[\w-]+"(?: checked="checked")?\/>)$/;

window.trustedTypes?.createPolicy("default", { createHTML: (html) => (LEAFLETS.test(html) ? html : null) });

/** @type {any} */
let map;
/** @type {Record<string, any>} */
let layers;
let picking = null;

/**
 * Makes the map.
 * @param {Box | null} box the first view; null is the usual one
 */
export function startMap(box) {
    map = L.map(byId("map"), {
        zoomControl: false, attributionControl: false, doubleClickZoom: false, minZoom: 1, maxZoom: DEEPEST, worldCopyJump: true,
        zoomAnimation: !still.matches, fadeAnimation: !still.matches, markerZoomAnimation: !still.matches,
        maxBounds: [[-89, -Infinity], [89, Infinity]], maxBoundsViscosity: 0.8,
    });
    // Before the layers: tiles of another view would be drawn in vain.
    map.setView([START.lat, START.lng], START.zoom, { animate: false });
    startMarkers(map, { pick, open, reveal: (place) => reveal(place, CITY + 2) });
    if (box && box.east - box.west < 360) map.fitBounds(boundsOf(box), { maxZoom: CITY, animate: false });
    addControls();
    layers = makeLayers();
    // The list need not wait for tiles. A view may have chosen others meanwhile.
    nextTask().then(() => Object.values(layers).some((layer) => map.hasLayer(layer)) || layers.map.addTo(map));
    if (layers.satellite) L.control.layers(namedLayers(), {}, { position: "topright" }).addTo(map);
    map.on("click", (event) => picking?.(event.latlng));
    map.on("dblclick", zoomThere);
    dark.addEventListener("change", () => map.eachLayer((layer) => { if (!(layer instanceof L.TileLayer)) layer.redraw?.(); }));
    new ResizeObserver(() => map.invalidateSize({ animate: false })).observe(byId("map"));
}

/**
 * Calls whenever the map has moved.
 * @param {() => void} listener
 * @param {AbortSignal} signal ends it
 */
export function onMoved(listener, signal) {
    map.on("moveend", listener);
    signal.addEventListener("abort", () => map.off("moveend", listener));
}

function addControls() {
    const zoomTexts = { zoomInText: "+", zoomInTitle: t("zoomIn"), zoomOutText: "−", zoomOutTitle: t("zoomOut") };
    L.control.zoom({ position: "topright", ...zoomTexts }).addTo(map);
    L.control.scale({ position: "bottomleft", imperial: false, maxWidth: 130 }).addTo(map);
    new Credits().addTo(map);
}

// What the operator names, and else what needs no other server.
function makeLayers() {
    const options = { maxZoom: DEEPEST, attribution: site.tiles.attribution };
    const drawn = new BaseMap({ maxZoom: DEEPEST, attribution: t("naturalEarth") });
    const { map: streets, satellite } = site.tiles;
    return {
        map: isFile(streets) ? withStreets(drawn, streets) : streets ? L.tileLayer(streets, options) : drawn,
        ...(satellite && {
            satellite: L.tileLayer(satellite, options),
            hybrid: L.layerGroup([L.tileLayer(satellite, options), new BaseMap({ maxZoom: DEEPEST, bordersOnly: true })]),
        }),
    };
}

const isFile = (tiles) => tiles.endsWith(".pmtiles");

// The base map with a file of streets above, once that has come.
function withStreets(drawn, address) {
    const group = L.layerGroup([drawn]);
    const load = () => import("./streets.js")
        .then(({ streetLayers }) => streetLayers(new URL(address, document.baseURI).href, { maxZoom: DEEPEST, attribution: site.tiles.attribution }))
        .then((all) => all.forEach((layer) => group.addLayer(layer)))
        .catch((error) => {
            console.warn(error);
            addEventListener("online", load, { once: true });
        });
    load();
    return group;
}

const namedLayers = () => Object.fromEntries(Object.entries(layers).map(([name, layer]) => [t(`mapType.${name}`), layer]));

/** Shows one of the map types of the interface, where the operator has tiles for it. */
export function showMapType(number) {
    const name = Object.keys(MAP_TYPES).find((key) => MAP_TYPES[key] === number);
    const wanted = layers[name] ?? layers.map;
    for (const layer of Object.values(layers)) if (layer !== wanted) layer.remove();
    wanted.addTo(map);
}

/** The map type that is shown, as the interface counts them. */
export function mapType() {
    const name = Object.keys(layers).find((key) => map.hasLayer(layers[key]));
    return MAP_TYPES[name] ?? MAP_TYPES.map;
}

/** What the map shows: its centre, its zoom level, and its edges as getMap takes them. */
export function view() {
    const { lat, lng } = map.getCenter();
    const bounds = map.getBounds();
    const whole = bounds.getEast() - bounds.getWest() >= 360;
    const edge = (degrees) => rounded({ lat: 0, lng: degrees }).lng;
    const pole = (degrees) => Math.max(-90, Math.min(90, Number(degrees.toFixed(6))));
    return {
        ...rounded({ lat, lng }), zoom: Math.max(0, Math.round(map.getZoom())),
        west: whole ? -180 : edge(bounds.getWest()), east: whole ? 180 : edge(bounds.getEast()),
        south: pole(bounds.getSouth()), north: pole(bounds.getNorth()),
    };
}

const animation = () => ({ animate: !still.matches });

/** Moves there. */
export function moveTo({ lat, lng }, zoom, animated = true) {
    map.setView([lat, nearest(lng)], Math.min(zoom, DEEPEST), animated ? animation() : { animate: false });
}

/** Moves to a place only if it is not to be seen. Where the map is drawn by us, no closer than that helps. */
export function reveal({ lat, lng }, zoom) {
    const near = site.tiles.map || layers.satellite ? zoom : Math.min(zoom, DRAWN_WELL);
    if (zoom === map.getZoom() && map.getBounds().contains([lat, nearest(lng)])) return;
    moveTo({ lat, lng }, near);
}

/** Moves so that all of these places are to be seen. */
export function fit(places) {
    if (!places.length) return;
    const latitudes = places.map(({ Location }) => Location.lat);
    const { west, east } = arcOf(places.map(({ Location }) => Location.lng));
    const turn = nearest((west + east) / 2) - (west + east) / 2;
    const bounds = [[Math.min(...latitudes), west + turn], [Math.max(...latitudes), east + turn]];
    map.fitBounds(bounds, { maxZoom: DRAWN_WELL + 1, padding: [40, 40], ...animation() });
}

/**
 * Moves so that a box is to be seen.
 * @param {Box} box
 */
export function fitBox(box) {
    map.fitBounds(boundsOf(box), { maxZoom: DEEPEST, padding: [30, 30], ...animation() });
}

const boundsOf = ({ west, south, east, north }) => [[south, nearest(west)], [north, nearest(west) + ((east - west + 360) % 360)]];

/**
 * Shows a layer of Leaflet until the signal.
 * @param {any} layer
 * @param {AbortSignal} signal
 */
export function showLayer(layer, signal) {
    layer.addTo(map);
    signal.addEventListener("abort", () => layer.remove());
}

async function zoomThere({ containerPoint, originalEvent: { shiftKey } }) {
    await nextPicture();
    map.setZoomAround(containerPoint, map.getZoom() + (shiftKey ? -1 : 1));
}

async function open(cluster) {
    await nextPicture();
    if (cluster.west === cluster.east && cluster.south === cluster.north) moveTo(cluster.Location, map.getZoom() + 2);
    else fitBox(cluster);
}

// Choosing a place ---------------------------------------------------------------------------------------------------

function pick(place) {
    picking?.(place);
    return picking !== null;
}

/**
 * Lets somebody choose a place by a tap, or by moving the marker.
 * @param {(place: {lat: number, lng: number}) => void} onPick
 * @returns {{set: (place: {lat: number, lng: number}) => void, stop: () => void}} a handle, to show a place and to end it
 */
export function pickPlace(onPick) {
    let marker = null;
    const show = ({ lat, lng }) => {
        if (marker) return void marker.setLatLng([lat, nearest(lng)]);
        const html = el("span", { class: "marker-pin" }, icon("pin"));
        marker = makeMarker({ lat, lng }, html, { size: 44, anchor: [22, 52], className: "marker marker-chosen" }, t("field.place"), () => {});
        marker.options.draggable = true;
        marker.setZIndexOffset(3000).addTo(map).on("dragend", () => onPick(rounded(marker.getLatLng())));
    };
    const stop = () => {
        marker?.remove();
        picking = null;
        byId("map").classList.remove("picking");
        byId("map-notice").hidden = true;
    };
    picking = (latlng) => { show(latlng); onPick(rounded(latlng)); };
    byId("map").classList.add("picking");
    byId("map-notice").textContent = t("tapMap");
    byId("map-notice").hidden = false;
    return { set: show, stop };
}

/** Where the device is. */
export function position() {
    return new Promise((resolve, reject) => {
        if (!navigator.geolocation) return reject(new Error("geolocation"));
        navigator.geolocation.getCurrentPosition(
            ({ coords }) => resolve(rounded({ lat: coords.latitude, lng: coords.longitude })), reject,
            { enableHighAccuracy: true, timeout: 15_000, maximumAge: 60_000 });
    });
}
