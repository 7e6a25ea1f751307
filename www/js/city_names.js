// The names of cities on the base map, each with a dot.

/** The room of a name in pixels, at most: half of the width on both sides of the dot, the height above the dot. */
export const LABEL = { width: 138, height: 19 };
const FIRST = 3;             // the zoom level from which on there are names
const APART = 4;             // pixels around a name, and below its dot
const FONT = "600 12px system-ui, 'Noto Sans CJK TC', sans-serif";

/**
 * The cities of a file, the largest first.
 * @param {any[][]} names as in the file
 * @param {number} scale
 * @param {(lng: number, lat: number) => number[]} project
 */
export const placesOf = (names, scale, project) => ({
    cities: names.map(([lng, lat, name, chinese]) => ({ at: project(lng / scale, lat / scale), name, chinese })),
    labels: new Map(),    // that have room, by the zoom level
});

const isChinese = () => document.documentElement.lang.startsWith("zh");

const meet = (one, other) => one.west < other.east && one.east > other.west && one.north < other.south && one.south > other.north;

// The names of a file that have room beside larger ones, in pixels of the whole earth: so all tiles show the same names.
function labelsOf({ cities, labels }, zoom, context) {
    if (labels.has(zoom)) return labels.get(zoom);
    const size = 256 * 2 ** zoom;
    const placed = [];
    for (const { at: [x, y], name, chinese } of cities) {
        const text = (isChinese() && chinese) || name;
        const [left, top] = [x * size, y * size];
        const half = Math.min(LABEL.width, context.measureText(text).width + 2 * APART) / 2;
        const label = { text, left, top, west: left - half, east: left + half, north: top - LABEL.height, south: top + APART };
        if (!placed.some((other) => meet(label, other))) placed.push(label);
    }
    labels.set(zoom, placed);
    return placed;
}

/**
 * Draws the names that reach into a tile.
 * @param {CanvasRenderingContext2D} context
 * @param {ReturnType<typeof placesOf>[]} files that may have such names
 * @param {{west: number, north: number, east: number, south: number, size: number}} place of the tile
 * @param {{zoom: number, ink: string, halo: string}} how
 */
export function drawNames(context, files, place, { zoom, ink, halo }) {
    if (zoom < FIRST) return;
    Object.assign(context, { font: FONT, textAlign: "center", textBaseline: "alphabetic", fillStyle: ink, strokeStyle: halo, lineWidth: 3, lineJoin: "round" });
    const tile = { west: place.west * place.size, east: place.east * place.size, north: place.north * place.size, south: place.south * place.size };
    for (const { text, left, top } of files.flatMap((file) => labelsOf(file, zoom, context)).filter((label) => meet(label, tile))) {
        const [x, y] = [left - tile.west, top - tile.north];
        context.strokeText(text, x, y - 5, LABEL.width - 2 * APART);
        context.fillText(text, x, y - 5, LABEL.width - 2 * APART);
        context.beginPath();
        context.arc(x, y, 2, 0, 2 * Math.PI);
        context.fill();
    }
}
