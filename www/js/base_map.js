// The map without any other server: coasts and borders of Natural Earth, lakes and rivers of GSHHG, and names of GeoNames, drawn tile by
// tile. The files are made by build-aux/base-map.mjs, which says what is in them.

import { Browser, DomUtil, GridLayer } from "../leaflet/leaflet.esm.min.js";
import { drawNames, LABEL, placesOf } from "./city_names.js";
import { turn } from "./tasks.js";

const MOST_NORTHERN = 85.0511;
const WORLD = "world";
const FINER = [["fine", 8], ["near", 5]];    // editions in cells, and the zoom level from which on each is drawn
const LATITUDES = { fine: [1, 2, 5, 10, 20, 30], gap: 130 };

// Where a point is on a square of 1 × 1 (Web Mercator).
function project(lng, lat) {
    const sine = Math.sin((Math.max(-MOST_NORTHERN, Math.min(MOST_NORTHERN, lat)) * Math.PI) / 180);
    return [lng / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}

// A line as [x, y, x, y, ...] on that square, the box around it, and on which sides of the cell each point is, as bits.
function unfold(steps, scale, [west, south, east, north]) {
    const points = new Float64Array(steps.length);
    const sides = new Uint8Array(steps.length / 2);
    const box = { west: 1, east: 0, north: 1, south: 0 };
    let [lng, lat] = [0, 0];
    for (let i = 0; i < steps.length; i += 2) {
        lng += steps[i];
        lat += steps[i + 1];
        const [x, y] = project(lng / scale, lat / scale);
        points[i] = x;
        points[i + 1] = y;
        sides[i / 2] = Number(lng === west) + 2 * Number(lng === east) + 4 * Number(lat === south) + 8 * Number(lat === north);
        box.west = Math.min(box.west, x);
        box.east = Math.max(box.east, x);
        box.north = Math.min(box.north, y);
        box.south = Math.max(box.south, y);
    }
    return { points, box, sides };
}

async function load(name) {
    const answer = await fetch(new URL(`../map/${name}.json`, import.meta.url), { credentials: "same-origin" });
    const { scale, box, land, borders, lakes, rivers, names, cells } = await answer.json();
    const unfoldAll = (lines) => lines.map((line) => unfold(line, scale, box));
    return {
        cities: placesOf(names, scale, project),
        land: land.map(unfoldAll),
        borders: unfoldAll(borders),
        lakes: unfoldAll(lakes),
        rivers: Object.entries(rivers).map(([zoom, lines]) => ({ zoom: Number(zoom), lines: unfoldAll(lines) })),
        cells,
    };
}

const files = {};
const ready = new Set();    // the names of those that have come

const file = (name) => (files[name] ??= load(name).then((shapes) => {
    ready.add(name);
    return shapes;
}, (error) => { delete files[name]; throw error; }));

const longitudeOf = (x) => (x - 0.5) * 360;
const latitudeOf = (y) => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;

// The files that have what is on a tile: the cells of the edition for its zoom level, or the world.
function filesOf(zoom, { west, north, east, south }, cells) {
    const [edition] = FINER.find(([, least]) => zoom >= least) ?? [];
    if (!edition) return [WORLD];
    const { degrees, rows } = cells[edition];
    const span = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
    const columns = span(Math.floor((longitudeOf(west) + 180) / degrees), Math.ceil((longitudeOf(east) + 180) / degrees) - 1);
    return span(Math.floor((90 - latitudeOf(north)) / degrees), Math.ceil((90 - latitudeOf(south)) / degrees) - 1)
        .flatMap((row) => columns.filter((column) => rows[row]?.[column] === "1").map((column) => `${edition}/${column}-${row}`));
}

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

// A coast, without what is none: where the land was cut at a side of the cell.
function traceCoast(context, line, place) {
    let before = -1;
    follow(line, place, (x, y, isFar, i) => {
        const isCoast = before >= 0 && !isFar && !(line.sides[before / 2] & line.sides[i / 2]);
        if (isCoast) context.lineTo(x, y);
        else context.moveTo(x, y);
        before = i;
    });
}

/** A colour of the style sheet. */
export const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--map-${name}`).trim();

// What is within the first ring, and within no other one.
function drawArea(context, rings, place, fill) {
    context.beginPath();
    for (const ring of rings) trace(context, ring, place, true);
    context.fillStyle = fill;
    context.fill("evenodd");
    context.beginPath();
    for (const ring of rings) traceCoast(context, ring, place);
    context.strokeStyle = color("coast");
    context.lineWidth = 1;
    context.stroke();
}

function drawLand(context, { land }, place) {
    const fill = color("land");
    for (const rings of land) if (meets(rings[0].box, place)) drawArea(context, rings, place, fill);
}

function drawWater(context, { lakes, rivers }, place, zoom) {
    context.beginPath();
    for (const { lines } of rivers.filter((one) => one.zoom <= zoom)) {
        for (const line of lines) if (meets(line.box, place)) trace(context, line, place, false);
    }
    context.strokeStyle = color("river");
    context.lineWidth = zoom < 8 ? 1 : 1.5;
    context.stroke();
    drawArea(context, lakes.filter(({ box }) => meets(box, place)), place, color("sea"));
}

function drawBorders(context, { borders }, place, name) {
    context.beginPath();
    for (const line of borders) {
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
    for (let n = Math.ceil(latitudeOf(place.south) / step); n * step <= latitudeOf(place.north); n++) {
        const y = Math.round((project(0, n * step)[1] - place.north) * place.size) + 0.5;
        context.moveTo(0, y);
        context.lineTo(size, y);
    }
    context.strokeStyle = color("grid");
    context.lineWidth = 1;
    context.stroke();
}

// A tile with what names of cities reach into it.
function widened({ west, east, north, south, size }) {
    const [wide, high] = [LABEL.width / 2 / size, LABEL.height / size];
    return { west: Math.max(0, west - wide), east: Math.min(1, east + wide), north, south: Math.min(1, south + high), size };
}

/** A layer of Leaflet; with `bordersOnly` what is to be seen above satellite pictures. */
export const BaseMap = GridLayer.extend({
    options: { bordersOnly: false, updateWhenZooming: false, keepBuffer: 3, className: "base-map" },

    createTile(coords, done) {
        const tile = /** @type {HTMLCanvasElement} */ (DomUtil.create("canvas", "leaflet-tile"));
        let isShown = false;
        const show = () => {
            if (!isShown) done(null, tile);
            isShown = true;
        };
        this.paint(tile, coords, show).catch((error) => done(error, tile));
        return tile;
    },

    // The world stands there until the cells have come.
    async paint(tile, { x, y, z }, show) {
        const tiles = 2 ** z;
        const place = { west: x / tiles, north: y / tiles, east: (x + 1) / tiles, south: (y + 1) / tiles, size: tiles * 256 };
        const world = await file(WORLD);
        const names = filesOf(z, place, world.cells);
        const isReady = () => names.every((name) => ready.has(name));
        if (!isReady()) await turn();
        if (!isReady()) {
            this.draw(tile, [world], place, z);
            show();
        }
        // A name of a cell beside the tile may reach into it.
        const around = filesOf(z, widened(place), world.cells);
        const [cells, named] = await Promise.all([names, around].map((all) => Promise.all(all.map(file))));
        await turn();
        this.draw(tile, cells, place, z, named);
        show();
    },

    draw(tile, cells, place, zoom, named = []) {
        const ratio = Browser.retina ? 2 : 1;
        tile.width = tile.height = 256 * ratio;
        const context = tile.getContext("2d");
        context.scale(ratio, ratio);
        const isAbove = this.options.bordersOnly;
        if (!isAbove) for (const cell of cells) drawLand(context, cell, place);
        if (!isAbove) for (const cell of cells) drawWater(context, cell, place, zoom);
        if (!isAbove) drawGrid(context, place, zoom);
        for (const cell of cells) drawBorders(context, cell, place, isAbove ? "border-above" : "border");
        drawNames(context, named.map(({ cities }) => cities), place, { zoom, ink: color("name"), halo: color("land") });
    },
});
