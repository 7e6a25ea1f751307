// HTML of strangers. The Content-Security-Policy, which lets no script of theirs run, is the first wall; DOMPurify is the second.

import DOMPurify from "../vendor/dompurify/purify.es.mjs";

const ALLOWED = {
    ALLOWED_TAGS: `a abbr b blockquote br cite code dd del div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark
        ol p pre q rp rt ruby s small span strong sub sup table tbody td th thead tr u ul`.split(/\s+/),
    ALLOWED_ATTR: ["href", "src", "alt", "lang", "dir", "title", "colspan", "rowspan"],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
};
const BLOCKS = "p, div, br, ul, ol, dl, blockquote, pre, table, h1, h2, h3, h4, h5, h6, hr, figure";

// Leaflet writes the texts of its controls as HTML, which trusted types refuse but through a policy of this name.
if (window.trustedTypes) {
    window.trustedTypes.createPolicy("default", {
        createHTML: (html) => String(DOMPurify.sanitize(html, { RETURN_TRUSTED_TYPE: false })),
    });
}

/**
 * What an author wrote, as nodes that can be shown: a short list of elements; links that give away nothing; pictures of this
 * service alone, as those of others would tell them who reads.
 * @param {string} html
 * @returns {DocumentFragment}
 */
export function sanitized(html) {
    const fragment = DOMPurify.sanitize(html, ALLOWED);
    for (const link of fragment.querySelectorAll("a")) guardLink(link);
    for (const picture of fragment.querySelectorAll("img")) guardPicture(picture);
    for (const heading of fragment.querySelectorAll("h1, h2")) lower(heading);
    return fragment;
}

function guardLink(link) {
    if (!link.hasAttribute("href")) return;
    link.rel = "nofollow noopener noreferrer ugc";
    link.target = "_blank";
}

function guardPicture(picture) {
    if (!isOwnPicture(picture.getAttribute("src"))) return picture.remove();
    if (!picture.hasAttribute("alt")) picture.alt = "";
    picture.loading = "lazy";
}

// The page has headings of those ranks.
function lower(heading) {
    const lowered = document.createElement("h3");
    lowered.append(...heading.childNodes);
    heading.replaceWith(lowered);
}

/** Whether an address is a picture that this service keeps. The policy of the page lets no other be fetched. */
export function isOwnPicture(address) {
    if (!address) return false;
    const url = URL.canParse(address, location.href) ? new URL(address, location.href) : null;
    return url !== null && url.origin === location.origin && url.pathname.startsWith("/photos/");
}

/** Whether content has lines by its elements; else its line breaks are meant. */
export function hasBlocks(fragment) {
    return fragment.querySelector(BLOCKS) !== null;
}
