// Which names of a map of streets have room, and how they are drawn.

const LETTERS = "system-ui, 'Noto Sans CJK TC', sans-serif";
const FONTS = { large: `600 13px ${LETTERS}`, small: `11px ${LETTERS}`, street: `11px ${LETTERS}` };
const HALF_HEIGHT = 8;
const APART = 4;         // pixels between names
const REPEATED = 256;    // pixels between two names of the same street
const STREETS_FROM = 14;
const BEND = 0.3;        // how far a street may turn below its name, in radians

/** @typedef {{text: string, font: string, x: number, y: number, angle: number, box: {west: number, east: number, north: number, south: number}}} Label */

const meet = (one, other) => one.west < other.east && one.east > other.west && one.north < other.south && one.south > other.north;

function labelAt(text, font, width, at, angle = 0) {
    const [x, y] = at;
    const [cosine, sine] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
    const across = (width / 2) * cosine + HALF_HEIGHT * sine + APART;
    const high = (width / 2) * sine + HALF_HEIGHT * cosine + APART;
    return { text, font, x, y, angle, box: { west: x - across, east: x + across, north: y - high, south: y + high } };
}

// The first piece of a line that is straight and long enough: its middle and its angle.
function straight(points, length) {
    let first = 0;
    let course = null;
    for (let i = 1; i < points.length; i++) {
        const angle = Math.atan2(points[i][1] - points[i - 1][1], points[i][0] - points[i - 1][0]);
        course ??= angle;
        if (Math.abs(Math.atan2(Math.sin(angle - course), Math.cos(angle - course))) > BEND) {
            first = i - 1;
            course = angle;
        }
        const [[x, y], [toX, toY]] = [points[first], points[i]];
        if (Math.hypot(toX - x, toY - y) < length) continue;
        return { middle: [(x + toX) / 2, (y + toY) / 2], angle: Math.atan2(toY - y, toX - x) };
    }
    return null;
}

// So that nobody has to read a name upside down.
const upright = (angle) => (Math.abs(angle) > Math.PI / 2 ? angle - Math.sign(angle) * Math.PI : angle);

/**
 * The names that have room, the most important first.
 * @param {{tile: import("./street_file.js").Tile, project: (x: number, y: number) => number[]}[]} tiles `project`: where a point of
 *     the earth is, in pixels of the picture
 * @param {{zoom: number, small: number, width: number, height: number, context: CanvasRenderingContext2D}} view `small`: the priority
 *     from which on names are small
 * @returns {Label[]}
 */
export function labelsOf(tiles, { zoom, small, width, height, context }) {
    const placed = [];
    const all = { west: 0, north: 0, east: width, south: height };
    const wide = (text, font) => {
        context.font = font;
        return context.measureText(text).width;
    };
    const put = (label) => {
        const repeated = ({ text, x, y }) => text === label.text && Math.hypot(x - label.x, y - label.y) < REPEATED;
        if (meet(label.box, all) && !placed.some((other) => meet(label.box, other.box) || repeated(other))) placed.push(label);
    };
    const places = tiles.flatMap(({ tile, project }) => tile.places.map((place) => ({ ...place, at: project(place.x, place.y) })));
    for (const { text, priority, at } of places.sort((one, other) => one.priority - other.priority)) {
        const font = priority < small ? FONTS.large : FONTS.small;
        put(labelAt(text, font, wide(text, font), at));
    }
    if (zoom < STREETS_FROM) return placed;
    for (const { tile, project } of tiles) {
        for (const { text, points } of tile.streets) {
            const length = wide(text, FONTS.street);
            const found = straight(points.map(([x, y]) => project(x, y)), length + 2 * APART);
            if (found) put(labelAt(text, FONTS.street, length, found.middle, upright(found.angle)));
        }
    }
    return placed;
}

/**
 * Draws a name.
 * @param {CanvasRenderingContext2D} context
 * @param {Label} label
 */
export function drawLabel(context, { text, font, x, y, angle }) {
    context.save();
    context.translate(x, y);
    context.rotate(angle);
    context.font = font;
    context.strokeText(text, 0, 0);
    context.fillText(text, 0, 0);
    context.restore();
}
