// The words of the interface, and the drawing that stands for each.

export const BLOG_TYPES = {
    "0_0": "heart", "0_1": "paw", "0_2": "face", "0_3": "news", "0_4": "bowl", "0_5": "flower", "0_6": "happy",
    "0_7": "friends", "0_8": "suitcase",
};

export const WEATHERS = {
    晴空萬里: "sun", 有彩虹: "rainbow", 雨過天晴: "clearing", 烏雲滿天: "cloud", 陰雨綿綿: "rain", 狂風暴雨: "storm",
    大雪數日: "snow",
};

export const ALBUM_CATEGORIES = 16;
export const POI_CATEGORIES = 5;
export const MAP_TYPES = { map: 1, satellite: 2, hybrid: 3 };
export const KIND_ICONS = { blog: "book", album: "photos", POI: "pin" };

/** The name of a text for a place's kind and category: "type.0_4", "album.6", "poi.2". */
export function categoryText(kind, category) {
    return { blog: `type.${category}`, album: `album.${category}`, POI: `poi.${category}` }[kind];
}

/** The drawing for a place: a blog's type, else its kind. */
export const placeIcon = ({ kind, type }) => BLOG_TYPES[type] ?? KIND_ICONS[kind];

/** The day of a place: a blog's own, else that of the last change. */
export const dayOf = ({ date, postDate, updateDate }) => date ?? postDate ?? updateDate;

/** A number as the interface takes it, without an exponent. */
export const plain = (number) => (/e/.test(String(number)) ? number.toFixed(20).replace(/0+$/, "") : String(number));

/**
 * The arc that has all of these longitudes: the circle without the largest gap between them.
 * @param {number[]} longitudes -180 to 180
 * @returns {{west: number, east: number}} `east` is above 180 if the arc crosses the antimeridian
 */
export function arcOf(longitudes) {
    const sorted = [...longitudes].sort((one, other) => one - other);
    const gapBehind = (i) => (i + 1 < sorted.length ? sorted[i + 1] - sorted[i] : sorted[0] + 360 - sorted[i]);
    const last = sorted.reduce((widest, _, i) => (gapBehind(i) > gapBehind(widest) ? i : widest), sorted.length - 1);
    const west = sorted[(last + 1) % sorted.length];
    return { west, east: sorted[last] + (sorted[last] < west ? 360 : 0) };
}

/** {lat, lng} with as many digits as a phone knows its place by. */
export function rounded({ lat, lng }) {
    const east = ((((lng + 180) % 360) + 360) % 360) - 180;
    return { lat: Number(lat.toFixed(6)), lng: Number(east.toFixed(6)) };
}

const EARTH = 6_371_000;    // its mean radius, in metres

/** How far two places are from each other, in metres, on a sphere. */
export function distanceOf(one, other) {
    const radians = (degrees) => degrees * Math.PI / 180;
    const half = (from, to) => Math.sin(radians(to - from) / 2) ** 2;
    const h = half(one.lat, other.lat) + Math.cos(radians(one.lat)) * Math.cos(radians(other.lat)) * half(one.lng, other.lng);
    return 2 * EARTH * Math.asin(Math.min(1, Math.sqrt(h)));
}
