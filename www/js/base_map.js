// The map without any other server: coasts and borders of Natural Earth, drawn tile by tile. Made by build-aux/base-map.mjs,
// which says what is in the files.

import { Browser, DomUtil, GridLayer } from "../leaflet/leaflet.esm.min.js";

const NEAR = 5;            // the zoom level from which on the finer edition is drawn
const MOST_NORTHERN = 85.0511;
const FILES = { far: "../map/world.json", near: "../map/near.json" };
const LATITUDES = { fine: [1, 2, 5, 10, 20, 30], gap: 130 };

const editions = {};

// Where a point is on a square of 1 × 1 (Web Mercator).
function project(lng, lat) {
    const sine = Math.sin((Math.max(-MOST_NORTHERN, Math.min(MOST_NORTHERN, lat)) * Math.PI) / 180);
    return [lng / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}

// A line as [x, y, x, y, ...] on that square, and the box around it.
function unfold(steps, scale) {
    const points = new Float64Array(steps.length);
    const box = { west: 1, east: 0, north: 1, south: 0 };
    let [lng, lat] = [0, 0];
    for (let i = 0; i < steps.length; i += 2) {
        lng += steps[i];
        lat += steps[i + 1];
        const [x, y] = project(lng / scale, lat / scale);
        points[i] = x;
        points[i + 1] = y;
        box.west = Math.min(box.west, x);
        box.east = Math.max(box.east, x);
        box.north = Math.min(box.north, y);
        box.south = Math.max(box.south, y);
    }
    return { points, box };
}

async function load(name) {
    const { scale, land, borders } = await (await fetch(new URL(FILES[name], import.meta.url), { credentials: "same-origin" })).json();
    return {
        land: land.map((rings) => rings.map((ring) => unfold(ring, scale))),
        borders: borders.map((line) => unfold(line, scale)),
    };
}

const ready = new Set();    // the names of those that have come

const edition = (name) => (editions[name] ??= load(name).then((shapes) => {
    ready.add(name);
    return shapes;
}, (error) => { delete editions[name]; throw error; }));

const meets = (box, tile) => box.west <= tile.east && box.east >= tile.west && box.north <= tile.south && box.south >= tile.north;

const EDGE = 2;    // pixels around a tile, from which a line may still colour the tile

// On which sides of a tile with its edge a point is, as bits; 0: on none.
const sidesOf = (x, y, { west, east, north, south }, edge) =>
    Number(x < west - edge) + 2 * Number(x > east + edge) + 4 * Number(y < north - edge) + 8 * Number(y > south + edge);

// Gives the points of a line to the pen. Of a run of points beyond one side of the tile, the pen gets only the first and the last, as
// the line between these two never reaches the tile. `isFar` marks the last point of such a run.
function follow({ points }, place, pen) {
    const edge = EDGE / place.size;
    let common = 0;
    let held = -1;
    const put = (i, isFar) => pen((points[i] - place.west) * place.size, (points[i + 1] - place.north) * place.size, isFar, i);
    for (let i = 0; i < points.length; i += 2) {
        const sides = sidesOf(points[i], points[i + 1], place, edge);
        if (common & sides) {
            common &= sides;
            held = i;
            continue;
        }
        if (held >= 0) put(held, true);
        held = -1;
        common = sides;
        put(i, false);
    }
    if (held >= 0) put(held, true);
}

function trace(context, line, place, close) {
    let begun = false;
    follow(line, place, (x, y) => {
        if (begun) context.lineTo(x, y);
        else context.moveTo(x, y);
        begun = true;
    });
    if (close) context.closePath();
}

// A coast, without what is none: where the land was cut at 180 degrees, and below Antarctica.
function traceCoast(context, line, place) {
    let down = false;
    follow(line, place, (x, y, isFar, i) => {
        const drawn = line.points[i] > 0.0001 && line.points[i] < 0.9999 && line.points[i + 1] < 0.9999;
        if (drawn && down && !isFar) context.lineTo(x, y);
        else context.moveTo(x, y);
        down = drawn;
    });
}

function color(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--map-${name}`).trim();
}

function drawLand(context, shapes, place) {
    const [land, coast] = [color("land"), color("coast")];
    for (const rings of shapes.land) {
        if (!meets(rings[0].box, place)) continue;
        context.beginPath();
        for (const ring of rings) trace(context, ring, place, true);
        context.fillStyle = land;
        context.fill("evenodd");
        context.beginPath();
        for (const ring of rings) traceCoast(context, ring, place);
        context.strokeStyle = coast;
        context.lineWidth = 1;
        context.stroke();
    }
}

function drawBorders(context, shapes, place, name) {
    context.beginPath();
    for (const line of shapes.borders) {
        if (meets(line.box, place)) trace(context, line, place, false);
    }
    context.strokeStyle = color(name);
    context.lineWidth = 1;
    context.setLineDash([4, 3]);
    context.stroke();
    context.setLineDash([]);
}

// Meridians and parallels, so that one sees where one is also where there is nothing but sea or land.
function gap(zoom) {
    const degrees = (360 / 2 ** zoom / 256) * LATITUDES.gap;
    const power = 10 ** Math.floor(Math.log10(degrees));
    const step = LATITUDES.fine.find((factor) => factor * power >= degrees) ?? 10;
    return Math.min(30, step * power);
}

function drawGrid(context, place, zoom) {
    const step = gap(zoom);
    const size = 256;
    context.beginPath();
    for (let n = Math.ceil((place.west * 360 - 180) / step); n * step <= place.east * 360 - 180; n++) {
        const x = Math.round(((n * step) / 360 + 0.5 - place.west) * place.size) + 0.5;
        context.moveTo(x, 0);
        context.lineTo(x, size);
    }
    const latitude = (y) => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
    for (let n = Math.ceil(latitude(place.south) / step); n * step <= latitude(place.north); n++) {
        const y = Math.round((project(0, n * step)[1] - place.north) * place.size) + 0.5;
        context.moveTo(0, y);
        context.lineTo(size, y);
    }
    context.strokeStyle = color("grid");
    context.lineWidth = 1;
    context.stroke();
}

/** A layer of Leaflet; with `bordersOnly` what is to be seen above satellite pictures. */
export const BaseMap = GridLayer.extend({
    options: { bordersOnly: false, updateWhenZooming: false, keepBuffer: 3, className: "base-map" },

    createTile(coords, done) {
        const tile = /** @type {HTMLCanvasElement} */ (DomUtil.create("canvas", "leaflet-tile"));
        this.paint(tile, coords).then(() => done(null, tile), (error) => done(error, tile));
        return tile;
    },

    async paint(tile, { x, y, z }) {
        const near = z >= NEAR ? edition("near") : null;
        if (!near || !ready.has("near")) this.draw(tile, await edition("far"), x, y, z);
        if (near) this.draw(tile, await near, x, y, z);
    },

    draw(tile, shapes, x, y, zoom) {
        const tiles = 2 ** zoom;
        const place = { west: x / tiles, north: y / tiles, east: (x + 1) / tiles, south: (y + 1) / tiles, size: tiles * 256 };
        const ratio = Browser.retina ? 2 : 1;
        tile.width = tile.height = 256 * ratio;
        const context = tile.getContext("2d");
        context.scale(ratio, ratio);
        if (this.options.bordersOnly) return drawBorders(context, shapes, place, "border-above");
        drawLand(context, shapes, place);
        drawGrid(context, place, zoom);
        drawBorders(context, shapes, place, "border");
    },
});
