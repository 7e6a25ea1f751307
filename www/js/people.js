// Names, titles and lines that people gave, as the page shows them.

import { balanced, initial, isSeen } from "./characters.js";
import { el } from "./dom.js";
import { isOwnPicture } from "./own_picture.js";
import { t } from "./texts.js";

/** The name of a user: "user 23" for one that cannot be seen, "a user" if the number is not known either. */
export function nameOf(name, userID) {
    if (isSeen(name)) return name;
    return userID ? t("user.numbered", { id: String(userID) }) : t("user.unknown");
}

/** The title of a piece; "(no title)" for one that cannot be seen. */
export const titleOf = (title) => (isSeen(title) ? title : t("untitled"));

/** A line that somebody wrote, which does not turn round what stands beside it. */
export const line = (text, className = null) => el("bdi", { class: className }, balanced(text));

/** A user's picture, or a letter for it. */
export function avatar(name, source, className = "avatar") {
    if (isOwnPicture(source)) return el("img", { class: className, src: source, alt: "", loading: "lazy" });
    return el("span", { class: className, "aria-hidden": "true" }, initial(name).toUpperCase() || "?");
}
