// Whether an address has all of its parts: people type addresses, and cut them as they send them to each other.

import { ALBUM_CATEGORIES, BLOG_TYPES, KIND_ICONS } from "./domain.js";
import { isSeen } from "./characters.js";

const FIGURE = /^-?\d{1,20}(?:\.\d{1,20})?$/;
const NUMBER = /^[1-9]\d{0,18}$/;
const [LAT, LNG, ANY] = [90, 180, Infinity];    // the largest size of each number

const isNumber = (text) => NUMBER.test(text);
const isNumberOrNone = (text) => text === "" || isNumber(text);
const anything = () => true;

function areFigures(text, ...sizes) {
    const parts = text.split("/");
    return parts.length === sizes.length && parts.every((part, i) => FIGURE.test(part) && Math.abs(Number(part)) <= sizes[i]);
}

// By the name of each view: what the value of its address has to be.
const VALUES = {
    latest: anything, search: isSeen,
    map: (text) => text === "" || areFigures(text, ANY, LAT, ANY),
    near: (text) => areFigures(text, LAT, LNG),
    blog: anything, album: anything, POI: anything, user: anything,    // these say themselves that nothing is there
    write: isNumberOrNone, "album-edit": isNumberOrNone,
    login: anything, register: anything, forgot: anything, confirmEmail: anything, resetPassword: anything,
    me: anything, drafts: anything,
};

// By the name of a parameter of any view.
const PARAMS = {
    kind: (text) => Object.hasOwn(KIND_ICONS, text),
    type: (text) => Object.hasOwn(BLOG_TYPES, text),
    category: (text) => isNumber(text) && Number(text) <= ALBUM_CATEGORIES,
    reply: isNumber,
};

/** Whether there is a view of this name. */
export const isView = (name) => Object.hasOwn(VALUES, name);

/**
 * Whether the view of an address can be shown.
 * @param {import("./router.js").Address} address
 */
export const isWhole = ({ view, value, params }) => isView(view) && VALUES[view](value)
    && Object.entries(PARAMS).every(([name, isRight]) => view === name || !params.get(name) || isRight(params.get(name)));
