#!/usr/bin/env node
// Makes www/map/*.json, the base map of the page, from Natural Earth (public domain, https://www.naturalearthdata.com/).
//
//   build-aux/base-map.mjs FOLDER
//
// FOLDER is where these packages were installed (npm install --ignore-scripts world-atlas@2.0.2 topojson-client@3.1.0), which
// bring Natural Earth's countries as TopoJSON, and what reads that. The result is kept in the tree, so nobody needs this
// but for another edition of Natural Earth.
//
// A file is {scale, land, borders}: land is a list of polygons, each a list of rings (the first around it, the others around its
// holes); borders is a list of lines. Rings and lines are [lng, lat, lng, lat, ...] in steps of 1/scale degree, each counted from
// the point before it, the first from 0, 0.

import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const EDITIONS = [
    { source: "countries-110m.json", scale: 50, target: "world.json" },   // with the page
    { source: "countries-50m.json", scale: 100, target: "near.json" },    // once somebody looks closer
];

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

const between = ([x, y], [otherX, otherY], at) => [at, y + ((otherY - y) * (at - x)) / (otherX - x)];

// What of a ring is on one side of a meridian (Sutherland and Hodgman).
function cut(ring, inside, at) {
    return ring.flatMap((point, i) => {
        const before = ring[(i + ring.length - 1) % ring.length];
        const crossing = inside(point) !== inside(before) ? [between(before, point, at)] : [];
        return inside(point) ? [...crossing, point] : crossing;
    });
}

const shifted = (points, degrees) => points.map(([lng, lat]) => [lng + degrees, lat]);

// A polygon as those that stay within -180 to 180.
function onTheMap(rings) {
    const whole = rings.map((ring) => closed(unwrapped(ring)));
    return [-360, 0, 360].map((degrees) => whole
        .map((ring) => cut(cut(shifted(ring, degrees), ([lng]) => lng <= 180, 180), ([lng]) => lng >= -180, -180)));
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

// A ring of fewer than four points has no inside any more.
function edition(topology, scale) {
    const land = polygons(topojson.feature(topology, topology.objects.land)).flatMap(onTheMap)
        .map((rings) => rings.map((ring) => steps(ring, scale)).filter((ring) => ring.length >= 8))
        .filter((rings) => rings.length);
    const shared = topojson.mesh(topology, topology.objects.countries, (one, other) => one !== other);
    return { scale, land, borders: shared.coordinates.flatMap(withoutJumps).map((line) => steps(line, scale)) };
}

for (const { source, scale, target } of EDITIONS) {
    const topology = JSON.parse(fs.readFileSync(path.join(modules, "world-atlas", source)));
    fs.writeFileSync(path.join(www, target), `${JSON.stringify(edition(topology, scale))}\n`);
}
