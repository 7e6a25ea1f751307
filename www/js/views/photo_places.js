// The question that photos of an album leave when all have arrived: they know where they were taken, and the album may be there.

import { distanceOf } from "../domain.js";
import { button, el, icon } from "../dom.js";
import { formatDistance, t } from "../texts.js";

const NEAR = 200;    // metres: as far as phones are wrong
const MOST = 5;      // places to choose from

/**
 * The places where photos were taken that are elsewhere than their album, those with the most photos first.
 * @param {{lat: number, lng: number}[]} places of photos
 * @param {{lat: number, lng: number}} from where the album is
 * @returns {{lat: number, lng: number, n: number}[]}
 */
export function placesElsewhere(places, from) {
    const groups = [];
    for (const place of places) {
        const group = groups.find((one) => distanceOf(one, place) < NEAR);
        if (group) group.n += 1;
        else groups.push({ ...place, n: 1 });
    }
    return groups.filter((one) => distanceOf(one, from) >= NEAR).sort((one, other) => other.n - one.n).slice(0, MOST);
}

/**
 * The question.
 * @param {{lat: number, lng: number, n: number}[]} places to choose from
 * @param {{lat: number, lng: number}} from where the album is
 * @param {{show: (place: any) => void, take: (place: any) => void, leave: () => void}} events
 */
export const placeQuestion = (places, from, { show, take, leave }) => el("section", { class: "info-box place-question", "aria-labelledby": "place-question" },
    icon("pin"),
    el("div", {},
        el("h2", { id: "place-question" }, t("place.fromPhotos")),
        el("ul", {}, places.map((place) => el("li", {},
            el("p", {}, t("place.ofPhotos", { n: place.n, distance: formatDistance(distanceOf(place, from)) })),
            el("div", { class: "actions" },
                button("map", t("place.show"), () => show(place), { className: "button small" }),
                button("check", t("place.take"), () => take(place), { className: "button small primary" }))))),
        button("close", t("place.leave"), leave, { className: "button small" })));
