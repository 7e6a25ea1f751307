// What the page reads of a piece.

import { readAhead } from "./api.js";
import { idName } from "./router.js";

const FUNCS = { blog: "getBlog", album: "getAlbum", POI: "getPOI" };

/**
 * The reads: the operation and its parameters.
 * @param {string} kind
 * @param {string} id
 * @returns {[string, Record<string, string>][]} of the piece, and of what is said about it
 */
export const readsOf = (kind, id) => [[FUNCS[kind], { [idName(kind)]: id }], ["getPiece", { [idName(kind)]: id }]];

/** Begins to read the piece of an address. */
export function readPieceAhead({ view, value }) {
    for (const [func, params] of readsOf(view, value)) readAhead(func, params);
}
