// Where a camera says that a photo was taken (Exif 2.32, 4.6.6: the GPS tags), as the service reads it (src/decoder/exif.c).

import { exifOf, numberAt, part } from "./photo_file.js";

const HEADER = 8;    // bytes
const DIRECTORY = 4;
const ENTRY = 12;
const RATIONAL = 8;
const GPS_DIRECTORY = 0x8825;
const LATITUDE = { side: 1, angle: 2, positive: "N", negative: "S" };
const LONGITUDE = { side: 3, angle: 4, positive: "E", negative: "W" };
const TEXTS = new Set([2, 129]);    // types: in ASCII, in UTF-8
const SIGNED = 10;
const RATIONALS = new Set([5, SIGNED]);
const DIRECTORIES = new Set([4, 13]);
const SIZES = { 2: 1, 129: 1, 3: 2, 4: 4, 13: 4, 5: 8, 10: 8 };
const SIDE_MOST = 15;    // letters
const LEAST = 0.0000005;    // degrees, as six decimals show them
const LOOKED_AT = 64 * 1024 * 1024;

/**
 * The place of a photo; null where it has none.
 * @param {Blob} file
 * @returns {Promise<{lat: number, lng: number} | null>}
 */
export async function placeOfPhoto(file) {
    const block = await exifOf(new Uint8Array(await file.slice(0, LOOKED_AT).arrayBuffer()));
    return block && placeIn(block);
}

function placeIn(block) {
    const little = block[0] === 0x49;
    const number = (bytes, from, size) => numberAt(bytes, from, size, little);
    const gps = directory(block, number(block, DIRECTORY, 4), number);
    const pointer = gps(GPS_DIRECTORY);
    if (pointer?.count !== 1 || !DIRECTORIES.has(pointer.type)) return null;
    const find = directory(block, number(pointer.bytes, 0, 4), number);
    const lat = coordinate(find, LATITUDE, number);
    const lng = coordinate(find, LONGITUDE, number);
    const good = lat !== null && lng !== null && Math.abs(lat) <= 90 && Math.abs(lng) <= 180 && (lat !== 0 || lng !== 0);
    return good ? { lat: Number(lat.toFixed(6)), lng: Number(lng.toFixed(6)) } : null;
}

// What finds the value of a tag in the directory that begins there; undefined: there is none.
function directory(block, from, number) {
    const rest = part(block, from);
    const count = from >= HEADER ? number(rest, 0, 2) : 0;
    return (tag) => {
        for (let i = 0; i < count; i++) {
            const entry = part(rest, 2 + i * ENTRY, ENTRY);
            if (entry.length < ENTRY) return undefined;
            if (number(entry, 0, 2) === tag) return valueOf(block, entry, number);
        }
        return undefined;
    };
}

// Up to four bytes are in the entry itself.
function valueOf(block, entry, number) {
    const type = number(entry, 2, 2);
    const count = number(entry, 4, 4);
    const size = count * (SIZES[type] ?? 0);
    const bytes = size <= 4 ? part(entry, 8, size) : part(block, number(entry, 8, 4), size);
    return size > 0 && bytes.length === size ? { type, count, bytes } : undefined;
}

function coordinate(find, { side, angle, positive, negative }, number) {
    const letter = letterOf(find(side));
    const degrees = degreesOf(find(angle), number);
    if (degrees === null || (letter !== positive && letter !== negative)) return null;
    if (degrees < LEAST) return 0;
    return letter === negative ? -degrees : degrees;
}

function letterOf(value) {
    if (!value || !TEXTS.has(value.type)) return "";
    const [text] = String.fromCharCode(...part(value.bytes, 0, SIDE_MOST + 1)).split("\0");
    return text.length <= SIDE_MOST ? text.charAt(0) : "";
}

// Degrees, minutes, seconds, of which the last may be unknown: 0/0.
function degreesOf(value, number) {
    if (!value || !RATIONALS.has(value.type) || value.count < 3) return null;
    let degrees = 0;
    for (const [i, unit] of [1, 60, 3600].entries()) {
        const above = number(value.bytes, RATIONAL * i, 4);
        const below = number(value.bytes, RATIONAL * i + 4, 4);
        if (i === 2 && above === 0 && below === 0) continue;
        const isNegative = value.type === SIGNED && Math.max(above, below) >= 2 ** 31;
        if (below === 0 || isNegative || (i > 0 && above / below >= 60)) return null;
        degrees += above / below / unit;
    }
    return degrees;
}
