// What can be written and changed: which fields it has, and the requests that read and write it.

import { dateOf, isAhead } from "./days.js";
import { fieldsOf } from "./edit.js";
import { idName } from "./router.js";
import { isBegun, voteParams } from "./vote_params.js";

/**
 * @typedef {object} Kind
 * @property {string} name
 * @property {string} view the name of its form in addresses
 * @property {string} id the name of its identifier in the interface
 * @property {{read: string, add: string, update: string}} funcs
 * @property {string} title the name of its title
 * @property {import("./edit.js").Field[]} fields
 * @property {string[]} lines what loses its blanks at both ends when it was changed
 * @property {string[]} unseen what no control has
 * @property {(values: import("./edit.js").Values) => string} faultOf why the values cannot be sent, as a refusal; "" if they can
 * @property {(piece: any) => import("./edit.js").Values} valuesOf
 * @property {(values: import("./edit.js").Values) => Record<string, any>} paramsOf
 */

const texts = (names, piece) => Object.fromEntries(names.map((name) => [name, String(piece[name] ?? "")]));

const BLOG_TEXTS = ["type", "lat", "lng", "blogTitle", "blogContent", "weather", "visibility", "userCategory", "replyBlogID", "zoomLevel", "mapType"];

/** @type {Kind} */
export const BLOG = {
    name: "blog", view: "write", id: "blogID", title: "blogTitle",
    funcs: { read: "getBlog", add: "postBlog", update: "updateBlog" },
    fields: fieldsOf([...BLOG_TEXTS, "date", "hasVote"]),
    lines: ["blogTitle", "userCategory"],
    unseen: ["replyBlogID", "zoomLevel", "mapType", "hasVote"],
    faultOf(values) {
        if (!values.blogContent) return "content.empty";
        return isBegun(values) && !voteParams(values) ? "vote.incomplete" : "";
    },
    valuesOf: (blog) => ({ ...texts(BLOG_TEXTS, blog), date: dateOf(blog.postDate), hasVote: blog.vote ? "true" : "" }),
    paramsOf({ type, lat, lng, blogTitle, blogContent, date, weather, visibility, userCategory, replyBlogID, zoomLevel, mapType }) {
        const [year, month, day] = date.split("-").map(Number);
        return { type, lat, lng, blogTitle, blogContent, year, month, day, weather, visibility,
            replyBlogID: replyBlogID || undefined, userCategory: userCategory || undefined,
            zoomLevel: zoomLevel || undefined, mapType: mapType || undefined, publish: isAhead(date) ? "now" : undefined };
    },
};

const ALBUM_TEXTS = ["albumTitle", "category", "lat", "lng", "visibility"];

/** @type {Kind} */
export const ALBUM = {
    name: "album", view: "album-edit", id: "albumID", title: "albumTitle",
    funcs: { read: "getAlbum", add: "addAlbum", update: "updateAlbum" },
    fields: fieldsOf(ALBUM_TEXTS),
    lines: ["albumTitle"],
    unseen: [],
    faultOf: () => "",
    valuesOf: (album) => texts(ALBUM_TEXTS, album),
    paramsOf: (values) => texts(ALBUM_TEXTS, values),
};

const KINDS = { blog: BLOG, album: ALBUM };

/** The kind and the identifier of a draft's thing, "blog.7" or "blog.new"; null for what is no piece. */
export function pieceOf(thing) {
    const [name, id] = thing.split(".");
    return Object.hasOwn(KINDS, name) ? { kind: KINDS[name], id: /^\d+$/.test(id) ? id : "" } : null;
}

// Texts that are written beside a piece, by the first word of their thing: "comment.blog.7", "reply.3", "description.5".
const TEXTS = {
    comment: ([kind, id], { comment }) => ({ func: "addComment", params: { [idName(kind)]: id, comment } }),
    reply: ([commentID], { reply }) => ({ func: "replyComment", params: { commentID, reply } }),
    description: ([photoID], { description }) => ({ func: "updatePhoto", params: { photoID, description } }),
};

/** The request that writes such a text. */
export function textOf(thing, values) {
    const [name, ...rest] = thing.split(".");
    return TEXTS[name](rest, values);
}

/** The values to send: a line that was changed loses its blanks at both ends, and one that was not is sent as it is stored. */
export function tidy(kind, { base, values }) {
    const trimmed = kind.lines.map((name) => [name, values[name] === base[name] ? base[name] : (values[name] ?? "").trim()]);
    return { ...values, ...Object.fromEntries(trimmed) };
}

/** The parameters that change a piece. Who may see it is named only if that was changed. */
export function updateParams(kind, id, { base, values, version }) {
    const visibility = values.visibility === base.visibility ? undefined : values.visibility;
    return { [kind.id]: id, ...kind.paramsOf(values), visibility, baseVersion: version };
}
