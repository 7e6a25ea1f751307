// The field that searches. Results stand in a list under the field during typing.

import { read } from "./api.js";
import { combobox } from "./combobox.js";
import { categoryText, placeIcon } from "./domain.js";
import { el } from "./dom.js";
import { bounded } from "./forms.js";
import { view } from "./map.js";
import { titleOf } from "./people.js";
import { address, go, idOf } from "./router.js";
import { formatDistance, t } from "./texts.js";

const LIMIT = 8;

const optionOf = (place) => ({
    title: titleOf(place.title), drawing: placeIcon(place), it: place,
    facts: [t(categoryText(place.kind, place.type ?? place.category)), place.distance !== undefined && ` · ${formatDistance(place.distance)}`],
});

async function find(q, signal) {
    const { lat, lng } = view();
    return (await read("search", { q, lat, lng, limit: LIMIT }, signal)).placeList.map(optionOf);
}

/**
 * The field, and the list under it. Without a choice, Enter sends the form, and says what is wrong.
 * @param {string} q
 * @returns {any[]}
 */
export function searchField(q) {
    const field = bounded(el("input", { type: "search", name: "q", dir: "auto", value: q, placeholder: t("search.placeholder"),
        "aria-label": t("search") }), { most: 100, beside: false });
    return [field, combobox(field, { id: "found", find, take: (place) => go(address(place.kind, idOf(place))) })];
}
