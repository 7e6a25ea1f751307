// Lists of places, page by page.

import { categoryText, dayOf, placeIcon } from "./domain.js";
import { dateOf } from "./days.js";
import { button, el, fill, icon, query, setWaiting, timeIn } from "./dom.js";
import { isOwnPicture } from "./own_picture.js";
import { nameOf, titleOf } from "./people.js";
import { address, idOf } from "./router.js";
import { formatDay, formatDistance, formatNumber, t } from "./texts.js";

function picture(place) {
    if (isOwnPicture(place.thumbnail)) return el("img", { class: "card-picture", src: place.thumbnail, alt: "", loading: "lazy" });
    return el("span", { class: `card-picture card-drawing kind-${place.kind}`, "aria-hidden": "true" }, icon(placeIcon(place)));
}

/** A place of a list, with its picture or else its first words at the head. */
export function card(place) {
    const isWorded = Boolean(place.summary) && !isOwnPicture(place.thumbnail);
    return el("li", { class: "card" },
        el("a", { class: `card-link${isWorded ? " worded" : ""}`, href: address(place.kind, idOf(place)) },
            !isWorded && picture(place),
            el("span", { class: "card-text" },
                el("span", { class: `card-kind kind-${place.kind}` }, t(categoryText(place.kind, place.type ?? place.category))),
                el("span", { class: "card-title", dir: "auto" }, titleOf(place.title)),
                place.summary && el("span", { class: "card-summary", dir: "auto" }, place.summary),
                el("span", { class: "card-facts" }, ...facts(place)))));
}

/** When others can read an entry whose public day is to come; to its author alone. */
export const waits = ({ publicFrom }) => publicFrom && el("span", { class: "fact" }, icon("clock"), t("waits", { day: formatDay(publicFrom) }));

function facts(place) {
    return [
        el("span", { dir: "auto" }, nameOf(place.ownerName, place.ownerID)),
        timeIn(dateOf(dayOf(place)), formatDay(dayOf(place))),
        waits(place),
        place.distance !== undefined && el("span", {}, formatDistance(place.distance)),
        place.score > 0 && el("span", { class: "fact" }, icon("heart-full"), formatNumber(place.score),
            el("span", { class: "visually-hidden" }, t("score"))),
    ];
}

const STRIP = { least: 3, most: 12 };

/** The pictures of places in a row, where there are a few. */
export function pictureStrip(places) {
    const pictured = places.filter(({ thumbnail }) => isOwnPicture(thumbnail)).slice(0, STRIP.most);
    if (pictured.length < STRIP.least) return null;
    return el("ul", { class: "strip", "aria-label": t("photos") }, pictured.map((place) => el("li", {},
        el("a", { href: address(place.kind, idOf(place)) },
            el("img", { src: place.thumbnail, alt: "", loading: "lazy" }), el("span", { dir: "auto" }, titleOf(place.title))))));
}

/** What stands where there is nothing. */
export function nothing(text, iconName = "book", ...more) {
    return el("div", { class: "nothing" }, icon(iconName, "nothing-icon"), el("p", {}, text), ...more);
}

/** What stands while something is on its way. */
export const waiting = () => el("div", { class: "waiting", role: "status" }, el("span", { class: "visually-hidden" }, t("loading")),
    el("span", { class: "skeleton" }), el("span", { class: "skeleton" }), el("span", { class: "skeleton" }));

/**
 * A list that is read in pages: "more" appends the next one.
 * @param {(after?: string) => Promise<{items: any[], next?: string}>} readPage
 * @param {{item: (one: any) => HTMLElement, empty: () => HTMLElement, oncomplain: (error: Error, again: () => void) => void,
 *     onpage?: (items: any[]) => void, className?: string, least?: number}} options `least`: so many rows are read at once, if there are
 * @returns {Promise<HTMLElement>} with the first page
 */
export async function pagedList(readPage, { item, empty, oncomplain, onpage, className = "cards", least = 0 }) {
    const list = el("ul", { class: className });
    const box = el("div", {}, list);
    const append = async (after) => {
        const { items, next } = await readPage(after);
        const rows = items.map(item);
        list.append(...rows);
        onpage?.(items);
        if (next && list.children.length < least) await append(next);
        else if (next) box.append(more(next));
        return rows;
    };
    const more = (next) => {
        const control = button("more", t("more"), async () => {
            setWaiting([control], true);
            try {
                const [first] = await append(next);
                control.remove();
                first && query(first, "a, button")?.focus({ preventScroll: true });
            } catch (error) {
                setWaiting([control], false);
                oncomplain(error, () => control.click());
            }
        }, { className: "button wide" });
        return control;
    };
    const rows = await append();
    if (!rows.length) fill(box, empty());
    return box;
}
