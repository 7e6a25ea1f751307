// What is stored of a piece, for a form that changes it.

import { readDigits } from "./api.js";
import { Refusal } from "./refusal.js";
import { isMe } from "./session.js";

/**
 * A piece of one's own as it is stored, whole: a form would write a default in the place of what could not be read. The version
 * is read first, so that what was changed between both reads is refused as changed meanwhile.
 * @param {import("./kinds.js").Kind} kind
 * @param {string | number} id
 * @returns {Promise<import("./edit.js").Stored & {publicFrom?: any}>}
 */
export async function readStored(kind, id) {
    const name = { [kind.id]: id };
    const about = await readDigits("getPiece", name);
    if (!about.visibility) throw new Refusal(isMe(about.ownerID) ? "LOGIN REQUIRED" : "NOT OWNER", 200);
    const piece = await readDigits(kind.funcs.read, name);
    const values = kind.valuesOf({ ...piece, ...piece.Location, visibility: about.visibility });
    return { values, version: about.version, publicFrom: about.publicFrom };
}
