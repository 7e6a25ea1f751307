// The map of streets, out of a file beside the page that the operator chose: tiles, and above these one picture with all names, so
// that no name ends at a tile.

import { Browser, DomUtil, GridLayer, Layer, latLngBounds } from "../leaflet/leaflet.esm.min.js";
import { color } from "./base_map.js";
import { openFile } from "./street_file.js";
import { drawLabel, labelsOf } from "./street_names.js";
import { styleSheet } from "./style_sheet.js";
import { widthOf } from "./street_styles.js";
import { turn } from "./tasks.js";

await styleSheet("streets.css");

const FROM = 8;    // the base map is better below this zoom level
const SIZE = 256;

const ratio = () => (Browser.retina ? 2 : 1);

// The tile of the file that has what is on a tile of the map, which may be closer than the file goes.
function sourceOf({ x, y, z }, deepest) {
    const steps = Math.max(0, z - deepest);
    return { z: z - steps, x: x >> steps, y: y >> steps, times: 2 ** steps };
}

function draw(context, tile, style, coords, { x, y, times }) {
    const scale = (SIZE * times) / tile.extent;
    context.fillStyle = color(style.ground);
    context.fillRect(0, 0, SIZE, SIZE);
    context.translate(-(coords.x - x * times) * SIZE, -(coords.y - y * times) * SIZE);
    context.scale(scale, scale);
    Object.assign(context, { lineJoin: "round", lineCap: "butt" });
    style.rows.forEach((row, i) => {
        const path = tile.paths[i];
        if (!path || coords.z < (row.from ?? 0)) return;
        if (row.fill) {
            context.fillStyle = color(row.fill);
            return void context.fill(path);
        }
        context.strokeStyle = color(row.line);
        context.lineWidth = widthOf(row, coords.z) / scale;
        context.setLineDash((row.dash ?? []).map((length) => length / scale));
        context.stroke(path);
    });
}

const Tiles = GridLayer.extend({
    createTile(coords, done) {
        const canvas = /** @type {HTMLCanvasElement} */ (DomUtil.create("canvas", "leaflet-tile"));
        this.paint(canvas, coords).then(() => done(null, canvas), (error) => done(error, canvas));
        return canvas;
    },

    async paint(canvas, coords) {
        const { file } = this.options;
        const source = sourceOf(coords, file.header.maxZoom);
        const tile = await file.tile(source.z, source.x, source.y);
        if (!tile) return;    // the base map is seen there
        await turn();
        canvas.width = canvas.height = SIZE * ratio();
        const context = canvas.getContext("2d");
        context.scale(ratio(), ratio());
        draw(context, tile, file.style, coords, source);
    },
});

const Names = Layer.extend({
    initialize(file) {
        this.file = file;
    },

    onAdd(map) {
        this.canvas = DomUtil.create("canvas", "leaflet-zoom-hide street-names", map.getPane("overlayPane"));
        this.canvas.setAttribute("aria-hidden", "true");
        this.redraw();
    },

    onRemove() {
        this.canvas.remove();
        this.view = null;
    },

    getEvents() {
        return { moveend: this.redraw, resize: this.redraw };
    },

    // What came of an earlier view is dropped.
    async redraw() {
        const view = this._map.getPixelBounds();
        this.view = view;
        const zoom = this._map.getZoom();
        const tiles = zoom < FROM ? [] : await Promise.all(sourcesOf(view, zoom, this.file).map((source) => inPicture(this.file, source, view, zoom)));
        if (this.view === view) this.draw(view, zoom, tiles.filter(({ tile }) => tile));
    },

    draw({ min, max }, zoom, tiles) {
        const { canvas, file } = this;
        const [width, height] = [max.x - min.x, max.y - min.y];
        DomUtil.setPosition(canvas, min.subtract(this._map.getPixelOrigin()));
        canvas.width = width * ratio();
        canvas.height = height * ratio();
        Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
        const context = canvas.getContext("2d");
        context.scale(ratio(), ratio());
        const labels = labelsOf(tiles, { zoom, small: file.style.small, width, height, context });
        Object.assign(context, {
            textAlign: "center", textBaseline: "middle", lineJoin: "round", lineWidth: 3, fillStyle: color("name"), strokeStyle: color("land"),
        });
        for (const label of labels) drawLabel(context, label);
    },
});

// The tiles of the file that a view shows. The view may reach around the earth: `turns` says how often.
function sourcesOf({ min, max }, z, { header }) {
    const count = 2 ** z;
    const span = (from, to) => Array.from({ length: Math.floor(to / SIZE) - Math.floor(from / SIZE) + 1 }, (_, i) => Math.floor(from / SIZE) + i);
    const found = new Map();
    for (const y of span(min.y, max.y).filter((row) => row >= 0 && row < count)) {
        for (const x of span(min.x, max.x)) {
            const turns = Math.floor(x / count);
            const source = sourceOf({ x: x - turns * count, y, z }, header.maxZoom);
            found.set([source.x, source.y, turns].join(), { ...source, turns });
        }
    }
    return [...found.values()];
}

// A tile, and where its names are in the picture of a view. A tile that cannot be read has no names.
async function inPicture(file, { x, y, z, turns }, { min }, zoom) {
    const tile = await file.tile(z, x, y).catch(() => null);
    const earth = SIZE * 2 ** zoom;
    return { tile, project: (east, south) => [(east + turns) * earth - min.x, south * earth - min.y] };
}

/**
 * The layers that show a file of tiles.
 * @param {string} address of the file
 * @param {{maxZoom: number, attribution: string}} options an attribution of the operator; else that of the file counts
 */
export async function streetLayers(address, { maxZoom, attribution }) {
    const file = await openFile(address);
    const { minLat, minLon, maxLat, maxLon, minZoom } = file.header;
    const options = { file, bounds: latLngBounds([minLat, minLon], [maxLat, maxLon]), minZoom: Math.max(FROM, minZoom), maxZoom, keepBuffer: 3,
        updateWhenZooming: false, className: "streets", attribution: attribution || file.attribution };
    return [new Tiles(options), new Names(file)];
}
