// Where a camera says that a JPEG was taken (Exif 2.32, 4.6.6: the GPS tags).

const GPS_POINTER = 0x8825;
const TAGS = { 1: "latRef", 2: "lat", 3: "lngRef", 4: "lng" };
const RATIONAL = 8;    // bytes
const LOOKED_AT = 256 * 1024;

/**
 * The place of a photo; null where it has none, or is no JPEG.
 * @param {File} file
 * @returns {Promise<{lat: number, lng: number} | null>}
 */
export async function placeOfPhoto(file) {
    try {
        const bytes = new DataView(await file.slice(0, LOOKED_AT).arrayBuffer());
        const start = findExif(bytes);
        return start === null ? null : placeIn(bytes, start);
    } catch (error) {
        if (error instanceof RangeError) return null;    // it ends in the middle
        throw error;
    }
}

// The TIFF header within the segment APP1.
function findExif(bytes) {
    if (bytes.getUint16(0) !== 0xffd8) return null;
    for (let at = 2; bytes.getUint8(at) === 0xff && bytes.getUint8(at + 1) !== 0xda; at += 2 + bytes.getUint16(at + 2)) {
        if (bytes.getUint8(at + 1) === 0xe1 && bytes.getUint32(at + 4) === 0x45786966) return at + 10;
    }
    return null;
}

function placeIn(bytes, start) {
    const little = bytes.getUint16(start) === 0x4949;
    const short = (at) => bytes.getUint16(at, little);
    const long = (at) => bytes.getUint32(at, little);
    const entries = (at) => Array.from({ length: short(at) }, (_, i) => at + 2 + 12 * i);
    const pointer = entries(start + long(start + 4)).find((at) => short(at) === GPS_POINTER);
    if (pointer === undefined) return null;
    /** @type {any} */
    const found = {};
    for (const at of entries(start + long(pointer + 8))) {
        const name = TAGS[short(at)];
        if (name?.endsWith("Ref")) found[name] = String.fromCharCode(bytes.getUint8(at + 8));
        else if (name) found[name] = degrees(start + long(at + 8), long);
    }
    return place(found);
}

function degrees(at, long) {
    const part = (i) => long(at + RATIONAL * i) / long(at + RATIONAL * i + 4);
    return part(0) + part(1) / 60 + part(2) / 3600;
}

function place({ lat, lng, latRef, lngRef }) {
    const signed = { lat: latRef === "S" ? -lat : lat, lng: lngRef === "W" ? -lng : lng };
    const good = Math.abs(signed.lat) <= 90 && Math.abs(signed.lng) <= 180;    // NaN is not
    return good ? { lat: Number(signed.lat.toFixed(6)), lng: Number(signed.lng.toFixed(6)) } : null;
}
