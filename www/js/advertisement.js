// An advertisement of the operator's, where one runs at the place that is looked at: one in a list, and said to be one.

import { read, write } from "./api.js";
import { el } from "./dom.js";
import { t } from "./texts.js";
import { isOwnPicture } from "./trusted.js";

const AFTER = 3;    // entries

/** Puts it among the entries of a list. Without it a list is as good: nothing is said of errors. */
export async function advertise(list, { lat, lng }) {
    const { advertisement } = await read("getAdvertisement", { lat, lng }).catch(() => ({}));
    const entries = list.querySelectorAll(".card");
    if (advertisement && entries.length && !list.querySelector(".advertisement")) entries[Math.min(AFTER, entries.length) - 1].after(card(advertisement));
}

// A picture of another site stays there: fetching it would tell that site who reads.
function card({ advertisementID, title, text, image, address }) {
    const onclick = () => { write("clickAdvertisement", { advertisementID }).catch(() => {}); };
    return el("li", { class: "card" },
        el("a", { class: "card-link advertisement", href: address, target: "_blank", rel: "sponsored nofollow noopener noreferrer", onclick },
            isOwnPicture(image) && el("img", { class: "card-picture", src: image, alt: "", loading: "lazy" }),
            el("span", { class: "card-text" },
                el("span", { class: "card-kind" }, t("advertisement")),
                el("span", { class: "card-title" }, title),
                el("span", { class: "card-facts" }, text))));
}
