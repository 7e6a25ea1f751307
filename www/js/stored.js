// A piece of one's own as it is stored, for a form that changes it.

import { NoAnswer, readDigits, Refusal } from "./api.js";
import { button, fill, linkButton } from "./dom.js";
import { nothing } from "./lists.js";
import { explain } from "./notes.js";
import { address } from "./router.js";
import { isMe } from "./session.js";
import { t } from "./texts.js";

/**
 * Reads it whole. A form would write a default in the place of what could not be read, so without all of it there is no form.
 * @param {string} func "getBlog" or "getAlbum"
 * @param {Record<string, any>} name
 * @returns {Promise<any>} its members, lat and lng as texts, and its visibility
 */
export async function readStored(func, name) {
    const [piece, about] = await Promise.all([readDigits(func, name), readDigits("getPiece", name)]);
    if (!about.visibility) throw new Refusal(isMe(about.ownerID) ? "LOGIN REQUIRED" : "NOT OWNER", 200);
    return { ...piece, ...piece.Location, visibility: about.visibility };
}

/** Says in the place of a form that what it changes could not be read. */
export function unreadable(panel, error, again) {
    const why = error instanceof NoAnswer ? "" : explain(error);
    fill(panel, nothing(`${t("error.form")} ${why}`, "warning",
        button("retry", t("retry"), again), linkButton(address("latest"), "back", t("toLatest"))));
}

/** The value to send: a text that was changed loses its blanks at both ends, and one that was not is sent as it is stored. */
export const changedOrStored = (value, stored) => (value === stored ? stored : value.trim());
