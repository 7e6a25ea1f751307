// Tiles of a file in the form of PMTiles (https://docs.protomaps.com/pmtiles/), ready to be drawn.

import { PbfReader } from "../vendor/pbf/index.js";
import { PMTiles, TileType } from "../vendor/pmtiles/index.js";
import { VectorTile } from "../vendor/vector-tile/index.js";
import { fits, styleFor } from "./street_styles.js";

const KEPT = 150;               // tiles in memory
const [LINE, AREA] = [2, 3];    // types of geometry, by the specification of vector tiles

/**
 * @typedef {{x: number, y: number, text: string, priority: number}} Place on a square of 1 × 1 for the whole earth
 * @typedef {{points: number[][], text: string}} Street on that square, too
 * @typedef {{extent: number, paths: (Path2D | null)[], places: Place[], streets: Street[]}} Tile a path for each row of the style
 */

/**
 * Opens the file.
 * @param {string} address
 */
export async function openFile(address) {
    const archive = new PMTiles(address);
    const header = await archive.getHeader();
    if (header.tileType !== TileType.Mvt) throw new Error(`${address} has no vector tiles`);
    const { attribution, vector_layers: layers = [] } = /** @type {any} */ (await archive.getMetadata());
    const style = styleFor(layers.map(({ id }) => id));
    const kept = new Map();

    async function read(z, x, y) {
        const answer = await archive.getZxy(z, x, y);
        return answer ? tileOf(new VectorTile(new PbfReader(answer.data)), style, { z, x, y }) : null;
    }

    // The oldest goes first; what is asked for again is the youngest.
    function tile(z, x, y) {
        const key = `${z}/${x}/${y}`;
        const found = kept.get(key) ?? read(z, x, y).catch((error) => { kept.delete(key); throw error; });
        kept.delete(key);
        kept.set(key, found);
        if (kept.size > KEPT) kept.delete(kept.keys().next().value);
        return found;
    }
    return { header, attribution: attribution ?? "", style, tile };
}

function trace(path, rings, close) {
    for (const ring of rings) {
        ring.forEach(({ x, y }, i) => (i ? path.lineTo(x, y) : path.moveTo(x, y)));
        if (close) path.closePath();
    }
}

function pathOf(layer, row) {
    if (!layer) return null;
    const path = new Path2D();
    const type = row.fill ? AREA : LINE;
    for (let i = 0; i < layer.length; i++) {
        const feature = layer.feature(i);
        if (feature.type === type && fits(row, feature.properties)) trace(path, feature.loadGeometry(), type === AREA);
    }
    return path;
}

const NAMES = { zh: ["name:zh-Hant", "name:zh", "name", "name:latin"], en: ["name:en", "name_en", "name:latin", "name"] };

function nameOf(properties) {
    const keys = document.documentElement.lang.startsWith("zh") ? NAMES.zh : NAMES.en;
    const key = keys.find((name) => properties[name]);
    return key ? String(properties[key]) : "";
}

// Features of a layer that have a name, with a function that says where a point is on the earth.
function named(layer, { z, x, y }) {
    if (!layer) return [];
    const tiles = 2 ** z;
    const at = (point) => [(x + point.x / layer.extent) / tiles, (y + point.y / layer.extent) / tiles];
    return Array.from({ length: layer.length }, (_, i) => layer.feature(i))
        .map((feature) => ({ feature, text: nameOf(feature.properties), at }))
        .filter(({ text }) => text);
}

/** @returns {Tile} */
function tileOf({ layers }, style, coords) {
    return {
        extent: Object.values(layers)[0]?.extent ?? 4096,
        paths: style.rows.map((row) => pathOf(layers[row.layer], row)),
        places: named(layers[style.places], coords).map(({ feature, text, at }) => {
            const [x, y] = at(feature.loadGeometry()[0][0]);
            return { x, y, text, priority: style.priority(feature.properties) };
        }),
        streets: named(layers[style.streets], coords).filter(({ feature }) => feature.type === LINE)
            .flatMap(({ feature, text, at }) => feature.loadGeometry().map((line) => ({ points: line.map(at), text }))),
    };
}
