// What is in the file of a photo, as the service reads it (src/decoder/note.c, heif_item.c, png_profile.c).

const HEAD_MOST = 64;    // bytes before the directories of Exif
const PROFILES = ["Raw profile type exif\0", "Raw profile type APP1\0"];
const RAW = ["II*\0", "MM\0*", "IIU\0", "IIRO", "IIRS", "MMOR", "FUJIFILMCCD-RAW", "FOVb", "\0MRM"];

/** So many of them from there on, or all; as many as there are. */
export const part = (bytes, from, length = bytes.length) => bytes.subarray(from, from + length);

/** The number that begins there; 0 where it is not all there. */
export function numberAt(bytes, from, size, little = false) {
    const found = part(bytes, from, size);
    if (found.length < size) return 0;
    return (little ? found.slice().reverse() : found).reduce((sum, byte) => sum * 256 + byte, 0);
}

const textAt = (bytes, from, length) => String.fromCharCode(...part(bytes, from, length));
const beginsWith = (bytes, text) => textAt(bytes, 0, text.length) === text;

/**
 * The Exif of a photo, from its TIFF header on; null where it has none.
 * @param {Uint8Array} file
 * @returns {Promise<Uint8Array | null>}
 */
export async function exifOf(file) {
    if (beginsWith(file, "\xff\xd8")) return inJpeg(file);
    if (beginsWith(file, "\x89PNG")) return inPng(file);
    if (beginsWith(file, "RIFF")) return inWebp(file);
    return textAt(file, 4, 4) === "ftyp" ? inHeif(file) : null;
}

/**
 * The text that says why the service could not read a file.
 * @param {Blob} file
 */
export async function whyUnreadable(file) {
    const head = new Uint8Array(await file.slice(0, HEAD_MOST).arrayBuffer());
    const brand = textAt(head, 4, 4) === "ftyp" ? textAt(head, 8, 4) : "";
    if (brand === "crx " || RAW.some((text) => beginsWith(head, text))) return "error.photoRaw";
    const isPicture = ["\xff\xd8", "\x89PNG", "GIF8"].some((text) => beginsWith(head, text)) ||
        (beginsWith(head, "RIFF") && textAt(head, 8, 4) === "WEBP") || /^(hei|hev|mif|msf|avi)/.test(brand);
    return isPicture ? "error.photoDamaged" : "error.PHOTO NOT READABLE";
}

// Behind whatever writers put before it.
function blockIn(bytes) {
    for (let i = 0; i < HEAD_MOST; i++) {
        const mark = textAt(bytes, i, 4);
        if (mark === "II*\0" || mark === "MM\0*") return part(bytes, i);
    }
    return null;
}

// JPEG ------------------------------------------------------------------------------------------------------------------

const isMarker = (byte) => byte >= 0xc0 && byte !== 0xff && (byte < 0xd0 || byte > 0xd7);

function inJpeg(file) {
    for (let at = 2; at + 1 < file.length;) {
        if (file[at] !== 0xff || !isMarker(file[at + 1])) {
            at += 1;
            continue;
        }
        const length = numberAt(file, at + 2, 2);
        if (file[at + 1] === 0xd9 || file[at + 1] === 0xda || at + 4 > file.length || at + 2 + length > file.length) return null;
        const content = part(file, at + 4, Math.max(length - 2, 0));
        const found = file[at + 1] === 0xe1 && beginsWith(content, "Exif\0") ? blockIn(content) : null;
        if (found) return found;
        at += 2 + length;
    }
    return null;
}

// PNG -------------------------------------------------------------------------------------------------------------------

async function inPng(file) {
    for (let at = 8; at + 8 <= file.length;) {
        const length = numberAt(file, at, 4);
        const content = part(file, at + 8, length);
        const kind = textAt(file, at + 4, 4);
        const found = kind === "eXIf" ? blockIn(content) : await inProfile(kind, content);
        if (found) return found;
        at += length + 12;
    }
    return null;
}

async function inProfile(kind, content) {
    const name = PROFILES.find((one) => beginsWith(content, one));
    if (!name || !["tEXt", "zTXt", "iTXt"].includes(kind)) return null;
    const rest = part(content, name.length);
    const isPacked = kind === "zTXt" || (kind === "iTXt" && rest[0] === 1);
    const text = kind === "tEXt" ? rest : kind === "zTXt" ? part(rest, 1) : skipText(skipText(part(rest, 2)));
    const [, , , ...lines] = String(new TextDecoder("latin1").decode(isPacked ? await unpacked(text) : text)).split("\n");
    const figures = lines.join("").match(/[0-9a-f]/gi) ?? [];
    return blockIn(Uint8Array.from({ length: figures.length >> 1 }, (_, i) => parseInt(figures[2 * i] + figures[2 * i + 1], 16)));
}

const skipText = (bytes) => part(bytes, bytes.indexOf(0) < 0 ? bytes.length : bytes.indexOf(0) + 1);

// All of it, or nothing: it is cut off, or no such data; an old browser cannot unpack at all.
async function unpacked(bytes) {
    try {
        const { readable, writable } = new DecompressionStream("deflate");
        const writer = writable.getWriter();
        for (const written of [writer.write(bytes), writer.close()]) written.catch(() => {});    // who reads hears of it
        return new Uint8Array(await new Response(readable).arrayBuffer());
    } catch {
        return EMPTY;
    }
}

// WebP ------------------------------------------------------------------------------------------------------------------

function inWebp(file) {
    for (let at = 12; at + 8 <= file.length;) {
        const length = numberAt(file, at + 4, 4, true);
        const found = textAt(file, at, 4) === "EXIF" ? blockIn(part(file, at + 8, length)) : null;
        if (found) return found;
        at += 8 + length + length % 2;
    }
    return null;
}

// HEIC and AVIF ---------------------------------------------------------------------------------------------------------

const FULL = 4;    // bytes of a version and flags
const wide = (box) => box[0] ? 4 : 2;    // bytes of an item's number
const EMPTY = new Uint8Array();

function* boxes(bytes) {
    for (let at = 0; at + 8 <= bytes.length;) {
        let size = numberAt(bytes, at, 4);
        const header = size === 1 ? 16 : 8;
        if (size === 1) size = numberAt(bytes, at + 8, 8);
        if (size === 0 || size > bytes.length - at) size = bytes.length - at;
        if (size < header) return;
        yield { kind: textAt(bytes, at + 4, 4), content: part(bytes, at + header, size - header) };
        at += size;
    }
}

function boxOf(bytes, kind) {
    for (const box of boxes(bytes)) if (box.kind === kind) return box.content;
    return EMPTY;
}

// Takes numbers one after the other.
function taker(bytes) {
    let at = 0;
    const take = (size) => numberAt(bytes, (at += size) - size, size);
    return { take, left: () => at < bytes.length };
}

function itemsOf(meta) {
    const all = boxOf(meta, "iinf");
    return [...boxes(part(all, FULL + wide(all)))].map((box) => {
        const { content } = box;
        const size = content[0] < 3 ? 2 : 4;
        const kind = content[0] < 2 || box.kind !== "infe" ? "" : textAt(content, FULL + size + 2, 4);
        return { number: numberAt(content, FULL, size), kind };
    });
}

function referencesOf(meta) {
    const all = boxOf(meta, "iref");
    const size = wide(all);
    return [...boxes(part(all, FULL))].map(({ kind, content }) => {
        const { take, left } = taker(content);
        const from = take(size);
        const to = Array.from({ length: take(2) }, () => (left() ? take(size) : 0));
        return { kind, from, to };
    });
}

// That of the picture to show, or of what a tone map is for; or else of the whole file.
function exifItem(meta) {
    const primary = boxOf(meta, "pitm");
    const shown = numberAt(primary, FULL, wide(primary));
    const items = itemsOf(meta);
    const references = referencesOf(meta);
    const isToneMap = items.some(({ number, kind }) => number === shown && kind === "tmap");
    const base = isToneMap ? references.find(({ kind, from }) => kind === "dimg" && from === shown)?.to[0] : shown;
    const found = items.filter(({ kind }) => kind === "Exif").map(({ number }) => {
        const of = references.filter(({ kind, from }) => kind === "cdsc" && from === number).map(({ to }) => to);
        return { number, isOfAll: of.length === 0, isOfThis: of.flat().some((one) => one === shown || one === base) };
    });
    return (found.find(({ isOfThis }) => isOfThis) ?? found.find(({ isOfAll }) => isOfAll))?.number;
}

function inHeif(file) {
    const meta = part(boxOf(file, "meta"), FULL);
    const item = itemData(file, meta, exifItem(meta));
    return blockIn(part(item, 4 + numberAt(item, 0, 4))) ?? blockIn(item);
}

// An item is in parts, of the file or of the box "idat".
function itemData(file, meta, wanted) {
    const all = boxOf(meta, "iloc");
    const version = all[0];
    const { take, left } = taker(part(all, FULL));
    const sizes = take(2);
    const [offset, length, base, index] = [sizes >> 12 & 15, sizes >> 8 & 15, sizes >> 4 & 15, version ? sizes & 15 : 0];
    for (let count = take(version < 2 ? 2 : 4); wanted !== undefined && count > 0 && left(); count--) {
        const number = take(version < 2 ? 2 : 4);
        const method = version ? take(2) & 15 : 0;
        take(2);
        const begin = take(base);
        const source = method === 0 ? file : boxOf(meta, "idat");
        const parts = Array.from({ length: take(2) }, () => {
            take(index);
            const from = begin + take(offset);
            return part(source, from, take(length) || source.length);
        });
        if (number === wanted && method < 2) return joined(parts, source.length);
    }
    return EMPTY;
}

function joined(parts, most) {
    const made = new Uint8Array(Math.min(most, parts.reduce((sum, one) => sum + one.length, 0)));
    let at = 0;
    for (const one of parts) {
        const taken = part(one, 0, most - at);
        made.set(taken, at);
        at += taken.length;
    }
    return made;
}
