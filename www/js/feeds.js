// A list in other forms, for programs that follow it: feed readers, maps.

import { addressOf } from "./api.js";
import { el } from "./dom.js";
import { t } from "./texts.js";

const TYPES = { Atom: "application/atom+xml", GeoJSON: "application/geo+json" };

/**
 * Links to what an operation answers in other forms, to be seen, and in the head of the page, where feed readers look.
 * @param {string} func the operation
 * @param {Record<string, any>} params
 * @param {string[]} [forms] those that it has
 */
export function feedLinks(func, params, forms = Object.keys(TYPES)) {
    forgetFeeds();
    const links = forms.map((name) => ({ name, type: TYPES[name], href: addressOf(func, { ...params, responseFormat: name }).href }));
    document.head.append(...links.map(({ name, type, href }) => el("link", { rel: "alternate", type, href, title: name })));
    return el("p", { class: "feeds" }, t("follow"), links.map(({ name, type, href }) => el("a", { type, href }, name)));
}

/** Another view has none. */
export function forgetFeeds() {
    for (const link of document.head.querySelectorAll("link[rel=alternate]")) link.remove();
}
