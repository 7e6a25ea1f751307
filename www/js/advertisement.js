// An advertisement of the operator's, where one runs at the place that is looked at: one in a list, and said to be one.

import { read, write } from "./api.js";
import { el } from "./dom.js";
import { isOwnPicture } from "./own_picture.js";
import { line } from "./people.js";
import { t } from "./texts.js";

const AFTER = 3;    // entries

/** Asks for it: an entry of a list, or null. Each is counted as shown. Without it a list is as good: no error is said. */
export async function askForAdvertisement({ lat, lng }, signal) {
    const { advertisement } = await read("getAdvertisement", { lat, lng }, signal).catch(() => ({}));
    return advertisement ? card(advertisement) : null;
}

/** Puts what `ask` gives among the entries of a list that has some. */
export async function insertAdvertisement(list, ask) {
    if (!list.querySelector(".card")) return;
    const advertisement = await ask();
    const entries = list.querySelectorAll(".card:not(.advertisement)");
    if (advertisement && entries.length) entries[Math.min(AFTER, entries.length) - 1].after(advertisement);
}

// A picture of another site stays there: fetching it would tell that site who reads.
function card({ advertisementID, title, text, image, address }) {
    const onclick = () => { write("clickAdvertisement", { advertisementID }).catch(() => {}); };
    return el("li", { class: "card advertisement" },
        el("a", { class: "card-link", href: address, target: "_blank", rel: "sponsored nofollow noopener noreferrer", onclick },
            isOwnPicture(image) && el("img", { class: "card-picture", src: image, alt: "", loading: "lazy" }),
            el("span", { class: "card-text" },
                el("span", { class: "card-kind" }, t("advertisement")),
                el("span", { class: "card-title", dir: "auto" }, title),
                el("span", { class: "card-facts" }, line(text)))));
}
