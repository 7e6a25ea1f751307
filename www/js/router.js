// Addresses: every state of the page has one, behind the #. "#blog=7", "#map=12/25.04/121.52&kind=blog".

/**
 * @typedef {object} Address
 * @property {string} view the first name: which view it is
 * @property {string} value the first value
 * @property {URLSearchParams} params all of them
 */

/**
 * Takes an address apart.
 * @param {string} hash
 * @returns {Address}
 */
export function parse(hash) {
    const params = new URLSearchParams(hash.replace(/^#/, ""));
    const [view, value] = params.entries().next().value ?? ["latest", ""];
    return { view, value, params };
}

/** The address of a view, with whatever else belongs to it; what is empty is left out. */
export function address(view, value = "", others = {}) {
    const rest = Object.entries(others).filter(([, other]) => other !== undefined && other !== null && other !== "");
    const pairs = [[view, value], ...rest].map(([name, text]) => `${name}=${encode(text)}`);
    return `#${pairs.join("&").replace(/^(\w+)=$/, "$1").replace(/^(\w+)=&/, "$1&")}`;
}

// As few escapes as can be: people read addresses, and send them to each other.
function encode(text) {
    return encodeURIComponent(text).replaceAll("%2F", "/").replaceAll("%2C", ",").replaceAll("%20", "+");
}

const KINDS = { album: "albumID", POI: "POIID", blog: "blogID" };

/** The name of a kind's identifier in the interface. */
export const idName = (kind) => KINDS[kind];

/** Whether a view is that of a piece. */
export const isKind = (view) => Object.hasOwn(KINDS, view);

const LISTS = ["latest", "map", "search", "near", "user"];

/** Whether a view leads to pieces. */
export const isList = (view) => LISTS.includes(view);

/** The identifier of a place of a list. */
export const idOf = (place) => place[KINDS[place.kind]];

/** @type {(now: Address, anew?: boolean) => void} */
let listener = () => {};
let shown = "";

/** Calls for the address there is, and for each one to come. */
export function startRouter(onAddress) {
    listener = onAddress;
    addEventListener("popstate", show);
    addEventListener("hashchange", show);
    show();
}

// Both events tell of one change. Each entry of the history knows the address before it.
function show() {
    if (location.hash === shown && shown !== "") return;
    if (!history.state) history.replaceState({ from: shown }, "");
    shown = location.hash;
    listener(parse(shown));
}

/** Shows anew what is at the address where we are. */
export const renew = () => listener(parse(location.hash), true);

/** Goes to an address, as a link to it would. */
export function go(hash) {
    if (hash === location.hash) listener(parse(hash));
    else location.hash = hash;
}

/** Says another address for what is there already; with `instead` also shows what it is. */
export function replaceAddress(hash, instead = false) {
    history.replaceState(history.state, "", hash);
    shown = hash;
    if (instead) listener(parse(hash));
}

/** Leaves a finished form for another address. Back never leads to the form again. */
export function leaveFor(hash) {
    if (history.state?.from === hash) history.back();
    else replaceAddress(hash, true);
}

/** The address of the list that one came from; "" if one did not come from a list. */
export function cameFrom() {
    const from = history.state?.from ?? "";
    return isList(parse(from).view) ? from : "";
}

/** Leaves what is no more for the list that one came from, or else for another address. */
export const leaveBack = (otherwise) => leaveFor(cameFrom() || otherwise);

/** Where we are. */
export const here = () => parse(location.hash);
