// HTML of strangers. The Content-Security-Policy, which lets no script of theirs run, is the first wall; DOMPurify is the second.

import DOMPurify from "../vendor/dompurify/purify.es.mjs";
import { textOf } from "./formula.js";
import { isOwnPicture } from "./own_picture.js";
import { parse } from "./router.js";
import { isView } from "./whole.js";

const ALLOWED = {
    ALLOWED_TAGS: `a abbr b blockquote br caption cite code dd del div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li
        mark ol p pre q rp rt ruby s small span strong sub sup table tbody td th thead tr u ul`.split(/\s+/),
    ALLOWED_ATTR: ["href", "src", "alt", "lang", "dir", "title", "colspan", "rowspan", "start", "value", "reversed"],
    ALLOWED_URI_REGEXP: /^(?:(?:https?|mailto|tel|geo):|(?![a-z][a-z0-9+.-]*:))/i,    // without a scheme it is one of the site
    ADD_URI_SAFE_ATTR: ["lang", "dir", "colspan", "rowspan", "rel", "target", "start", "value", "reversed"],    // no addresses
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
};
// What an editor keeps as it is. By FORCE_BODY nothing at the beginning counts as the head of a document, and is dropped.
const EDITED = { ...ALLOWED, ALLOWED_ATTR: [...ALLOWED.ALLOWED_ATTR, "rel", "target"], FORCE_BODY: true };
// What a clipboard has of other programs, with the attributes by which Word tells its lists.
const PASTED = { ...EDITED, ALLOWED_ATTR: ["href", "start", "value", "colspan", "rowspan", "style", "class"] };
const BLOCKS = "p, div, br, ul, ol, li, dl, dt, dd, blockquote, pre, table, h1, h2, h3, h4, h5, h6, hr, figure, figcaption";
// Of these the texts alone are kept.
const OTHER_BLOCKS = `address article aside center details dialog dir fieldset footer form header hgroup main menu nav option search
    section summary`.toUpperCase().split(/\s+/);

// What no browser may be given stands there as its text. The element itself goes, and counts as lost.
DOMPurify.addHook("uponSanitizeElement", (element, { tagName }) => {
    if (tagName === "math") /** @type {Element} */ (element).before(textOf(element));
});

/**
 * What an author wrote, as nodes that can be shown: a short list of elements; links that give away nothing; pictures of this
 * service alone, as those of others would tell them who reads.
 * @param {string} html
 * @returns {{fragment: DocumentFragment, lines: boolean}} `lines`: whether its line breaks and blanks are meant
 */
export function sanitized(html) {
    const fragment = DOMPurify.sanitize(html, ALLOWED);
    const lines = !hasBlocks(fragment);
    for (const link of fragment.querySelectorAll("a")) guardLink(link);
    for (const picture of fragment.querySelectorAll("img")) guardPicture(picture);
    for (const heading of fragment.querySelectorAll("h1, h2")) lower(heading);
    return { fragment, lines };
}

/**
 * What an author wrote, as nodes for an editor, and what an editor would lose.
 * @param {string} html
 * @returns {{fragment: DocumentFragment, lines: boolean, lost: string[]}} `lines` as above; of each thing that is lost its name:
 *     "video" for an element, "@style" for an attribute, "comment", "link" for the address of a link, "img" for a picture of another site
 */
export function editable(html) {
    const fragment = DOMPurify.sanitize(html, EDITED);
    const lines = !hasBlocks(fragment);
    // The first is FORCE_BODY's own, and the body is the purifier's: a parser drops one that stands in the text. Of no text it makes a comment.
    const removed = (html ? DOMPurify.removed.slice(1) : []).filter(({ element }) => element?.nodeName !== "BODY");
    const pictures = [...fragment.querySelectorAll("img")].filter((picture) => !isOwnPicture(picture.getAttribute("src")));
    for (const picture of pictures) picture.remove();
    const lost = [...pictures.map(() => "img"), ...removed.map(nameOfLost).filter(Boolean)];
    return { fragment, lines, lost: lost.length ? lost : droppedTags(html, fragment) };
}

/** What another program put into the clipboard, as nodes that still have `style` and `class`. */
export const pasted = (html) => DOMPurify.sanitize(html, PASTED);

/**
 * HTML as browsers with trusted types take it.
 * @returns {any} a TrustedHTML; a text where browsers know no such type
 */
export const trusted = (html) => DOMPurify.sanitize(html, { RETURN_TRUSTED_TYPE: true });

function nameOfLost({ element, attribute, from }) {
    if (element) return element.nodeType === Node.COMMENT_NODE ? "comment" : element.nodeName.toLowerCase();
    if (from.nodeName === "IMG" && attribute?.name === "src") return null;    // the picture counts
    return from.nodeName === "A" && attribute?.name === "href" ? "link" : `@${attribute?.name}`;
}

// A parser drops tags without a word where they may not be, such as a row outside of a table.
const TAGS = /<(!doctype|[a-z][^\s/>]*)(?:"[^"]*"|'[^']*'|[^'">])*(?:>|$)/gi;

function droppedTags(html, fragment) {
    const written = Array.from(html.matchAll(TAGS), ([, tag]) => tag.toLowerCase());
    return [...new Set(written)].flatMap((tag) => {
        const kept = tag === "!doctype" ? 0 : fragment.querySelectorAll(CSS.escape(tag)).length;
        return Array(Math.max(0, written.filter((one) => one === tag).length - kept)).fill(tag);
    });
}

// What leads away opens beside the page. A place within the text has no address here.
function guardLink(link) {
    if (!link.hasAttribute("href")) return;
    const { protocol, origin, pathname, hash } = link;
    const within = origin === location.origin && pathname === location.pathname;
    if (within && hash && !isView(parse(hash).view)) return link.removeAttribute("href");
    link.rel = "nofollow noopener noreferrer ugc";
    if (!within && protocol.startsWith("http")) link.target = "_blank";
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

// Whether content that was sanitized just now has lines by its elements.
function hasBlocks(fragment) {
    return fragment.querySelector(BLOCKS) !== null || DOMPurify.removed.some(({ element }) => OTHER_BLOCKS.includes(element?.nodeName));
}
