// A view whose thing could not be read.

import { NoAnswer, Refusal } from "./api.js";
import { button, fill, linkButton } from "./dom.js";
import { nothing } from "./lists.js";
import { lifetime } from "./lifetime.js";
import { announce, complain, explain } from "./notes.js";
import { address } from "./router.js";
import { t } from "./texts.js";

/** Does it when the network is back, if the view is still there. */
export const whenOnline = (again) => addEventListener("online", again, { once: true, signal: lifetime() });

/**
 * Says in the panel that there is no such thing; or why it could not be read, with an offer to do it again.
 * @param {HTMLElement} panel
 * @param {any} error
 * @param {{gone?: string, retry: () => any}} words `gone`: for what is not there
 */
export function unread(panel, error, { gone = explain(error), retry }) {
    const isGone = error instanceof Refusal && (error.info.endsWith("NOT FOUND") || error.info === "INVALID PARAMETER");
    const isAway = error instanceof NoAnswer;
    const words = isAway ? t(navigator.onLine ? "unread" : "offline") : isGone ? gone : explain(error);
    fill(panel, nothing(words, "warning", !isGone && button("retry", t("retry"), retry), linkButton(address("latest"), "back", t("toLatest"))));
    if (!isAway) return complain(error);
    announce(words);
    whenOnline(retry);
}
