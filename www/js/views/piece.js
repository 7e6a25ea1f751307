// A piece: a blog, an album, a point of interest.

import { read, write } from "../api.js";
import { isSeen } from "../characters.js";
import { categoryText, WEATHERS } from "../domain.js";
import { dateOf } from "../days.js";
import { button, el, fill, icon, linkButton, queryAll, setWaiting, timeIn } from "../dom.js";
import { prose } from "../editor.js";
import { later } from "../later.js";
import { waiting, waits } from "../lists.js";
import { reveal, showMapType } from "../map.js";
import { choose } from "../markers.js";
import { complain, note } from "../notes.js";
import { isOwnPicture } from "../own_picture.js";
import { avatar, line, nameOf, titleOf } from "../people.js";
import { readsOf } from "../piece_reads.js";
import { address, cameFrom, idName, leaveBack, leaveFor, renew, replaceAddress } from "../router.js";
import { isMe } from "../session.js";
import { nextTask } from "../tasks.js";
import { formatDay, formatNumber, t } from "../texts.js";
import { unread } from "../unread.js";
import { uploads } from "../uploads.js";
import { closeViewer, openViewer } from "../viewer.js";
import { comments } from "./comments.js";
import { reportButton, reportPiece } from "./report.js";
import { voteBox } from "./vote.js";

const showPhotoDesk = later("photoDesk", "showPhotoDesk");    // for owners alone
const WRITES = { blog: "updateBlog", album: "updateAlbum" };
const NEAR = 13;

/** @type {WeakMap<AbortSignal, Promise<any>>} */
const pieces = new WeakMap();    // by the lifetime of the view that has the piece

/** Shows a piece, and a photo of it where the address names one. */
export async function showPiece(panel, { view: kind, value, params, signal }) {
    if (!pieces.has(signal)) pieces.set(signal, load(panel, kind, value, signal));
    try {
        const it = await pieces.get(signal);
        signal.throwIfAborted();
        showPhoto(it, Number(params.get("photo")));
    } catch (error) {
        if (signal.aborted) return;
        pieces.delete(signal);
        unread(panel, error, { gone: t("error.piece"), retry: renew });
    }
}

async function load(panel, kind, id, signal) {
    fill(panel, waiting());
    const name = { [idName(kind)]: id };
    const arrivals = arrivalsAt(address(kind, id), signal);
    const [itself, aboutIt] = readsOf(kind, id).map(([func, params]) => read(func, params, signal));
    const [piece, about] = await Promise.all([itself, aboutIt.catch(() => ({}))]);
    signal.throwIfAborted();
    const title = titleOf(piece.blogTitle ?? piece.albumTitle ?? piece.name);
    piece.photos ??= [];
    const it = { kind, id, name, piece, about, title, signal, root: null, reload: () => { if (!signal.aborted) renew(); },
        photosChanged: () => drawPhotos(it), moved: (place, version) => move(it, place, version) };
    it.gallery = el("div");
    it.root = el("article", { class: "piece" }, ...sections(it));
    fill(panel, it.root);
    document.title = title;
    arrivals.follow((photo) => add(it, photo));
    signal.addEventListener("abort", () => {
        closeViewer();
        choose(null);
    });
    await nextTask();    // who reads need not wait for the map
    signal.throwIfAborted();
    showOnMap(it);
    return it;
}

function showOnMap({ kind, id, piece, title }) {
    choose({ kind, id, title, Location: piece.Location });
    if (kind === "blog") showMapType(piece.mapType ?? 1);
    reveal(piece.Location, kind === "blog" ? piece.zoomLevel ?? 14 : NEAR);
}

// The photos that arrive from now on, so that none is missed while the piece is read.
function arrivalsAt(where, signal) {
    const early = [];
    let take = (photo) => { early.push(photo); };
    uploads.watch((one) => { if (one?.state === "arrived" && one.where === where) take(one.answer); }, signal);
    const follow = (listener) => {
        take = listener;
        early.forEach(listener);
    };
    return { follow };
}

function add(it, { photoID, thumbnail }) {
    if (it.piece.photos.some((photo) => photo.photoID === photoID)) return;
    it.piece.photos.push({ photoID, thumbnail, description: "" });
    it.photosChanged();
}

function drawPhotos(it) {
    fill(it.gallery, photos(it));
    it.drawOrder?.();
}

// It was moved from this view. What else was changed meanwhile is shown, too.
function move(it, place, version) {
    const isOther = version > it.about.version + 1;
    it.piece.Location = place;
    it.about.version = version;
    if (isOther) renew();
    else showOnMap(it);
}

function sections(it) {
    const { kind, piece, about } = it;
    drawPhotos(it);
    const own = isMe(about.ownerID) && kind !== "POI";
    return [
        wayBack(),
        head(it),
        about.hidden && el("p", { class: "warning-box" }, icon("warning"), t("hidden", { reason: about.hiddenReason ?? "" })),
        kind === "blog" && prose(piece.blogContent),
        kind !== "blog" && it.gallery,
        own && kind === "album" && photoDesk(it),
        piece.vote && voteBox(it),
        actions(it, own),
        comments(it),
        wayOn(it),
    ];
}

function photoDesk(it) {
    const box = el("div");
    showPhotoDesk(box, it);
    return box;
}

// To the list that one came from, as it was; else to the latest.
function wayBack() {
    const list = cameFrom();
    const onclick = (event) => {
        event.preventDefault();
        history.back();
    };
    return list ? el("a", { class: "way-back", href: list, onclick }, icon("back"), t("toList"))
        : el("a", { class: "way-back", href: address("latest") }, icon("back"), t("toLatest"));
}

function wayOn({ piece, about }) {
    const { lat, lng } = piece.Location;
    return el("nav", { class: "actions way-on", "aria-label": t("wayOn") },
        linkButton(address("near", `${lat}/${lng}`), "locate", t("whatIsNear"), "button small"),
        about.ownerID && linkButton(address("user", about.ownerID), "user", t("moreOfAuthor"), "button small"));
}

// What, who, when ----------------------------------------------------------------------------------------------------

function head({ kind, piece, about, title }) {
    const category = piece.type ?? piece.category;
    return el("header", { class: "piece-head" },
        el("p", { class: `piece-kind kind-${kind}` }, t(categoryText(kind, category)),
            about.visibility === "private" && el("span", { class: "badge" }, icon("lock"), t("visibility.private"))),
        el("h1", { tabindex: "-1", dir: "auto" }, title),
        byline(piece, about),
        piece.replyBlogID && el("p", {}, el("a", { class: "reply-to", href: address("blog", piece.replyBlogID) },
            icon("reply"), t("answers"))));
}

function byline(piece, about) {
    const name = nameOf(piece.authorName ?? piece.ownerName, about.ownerID);
    const who = about.ownerID ? el("a", { href: address("user", about.ownerID) }, line(name)) : line(name);
    return el("div", { class: "byline" },
        avatar(name, piece.authorIcon ?? piece.ownerIcon),
        el("div", {},
            el("p", { class: "author" }, who, isSeen(piece.userCategory) && line(piece.userCategory, "label")),
            el("p", { class: "facts" },
                timeIn(dateOf(piece.postDate ?? piece.updateDate), formatDay(piece.postDate ?? piece.updateDate)),
                waits(about),
                piece.weather && el("span", { class: "fact" }, icon(WEATHERS[piece.weather] ?? "cloud"), t(`weather.${piece.weather}`)))));
}

// Photos -------------------------------------------------------------------------------------------------------------

// Those of an album name a photo that getPhoto has, those of places are their pictures.
const sourceOf = (photo) => photo.thumbnail ?? photo.photoPath;

function photos({ kind, id, piece }) {
    if (!piece.photos.length) return kind === "album" && el("p", { class: "quiet" }, t("noPhotos"));
    return el("ul", { class: "photos", "aria-label": t("photos") }, piece.photos.map((photo, index) => el("li", {},
        el("a", { class: "photo", href: address(kind, id, { photo: index + 1 }), "aria-label": t("openPhoto", { n: index + 1, description: photo.description }) },
            isOwnPicture(sourceOf(photo))
                ? el("img", { src: sourceOf(photo), alt: photo.description, loading: "lazy" })
                : el("span", { class: "photo-away" }, icon("photos"))))));
}

// The address is that of the photo while the viewer is open; closing it goes back to that of the piece.
function showPhoto({ kind, id, piece, about, root, signal }, number) {
    const all = piece.photos;
    if (!(number >= 1 && number <= all.length)) return closeViewer();
    const tool = ({ photoID }) => photoID && !isMe(about.ownerID) && reportButton({ photoID }, { className: "icon-button viewer-tool" });
    openViewer(all.map((photo) => ({ description: photo.description, load: () => largest(photo, signal), tool: tool(photo) })), number - 1, {
        onshow: (index) => replaceAddress(address(kind, id, { photo: index + 1 })),
        onclose: (index) => {
            leaveFor(address(kind, id));
            queryAll(root, ".photos a")[index]?.focus();
        },
    });
}

async function largest(photo, signal) {
    if (photo.photoPath) return photo.photoPath;
    return (photo.full ??= (await read("getPhoto", { photoID: photo.photoID }, signal)).photoPath);
}

// What one can do ----------------------------------------------------------------------------------------------------

function actions(it, own) {
    const { kind, id } = it;
    return el("div", { class: "actions" },
        recommendButton(it, own),
        button("share", t("share"), () => share(it), { className: "button small" }),
        kind === "blog" && linkButton(address("write", "", { reply: id }), "reply", t("answerByBlog"), "button small"),
        own && linkButton(address(kind === "blog" ? "write" : "album-edit", id), "pen", t("edit"), "button small"),
        own && button("trash", t("delete"), () => remove(it), { className: "button small danger" }),
        !isMe(it.about.ownerID) && reportPiece(it.name));
}

function recommendButton({ name, piece, about }, own) {
    let mine = about.recommended === true || about.recommended === "true";
    let score = piece.score;
    const control = el("button", { type: "button", class: "button small heart", disabled: own, onclick: change });
    const draw = () => {
        control.setAttribute("aria-pressed", String(mine));
        fill(control, icon(mine ? "heart-full" : "heart"), el("span", {}, t("recommend")), el("span", { class: "count" }, formatNumber(score)));
    };
    async function change() {
        setWaiting([control], true);
        try {
            ({ score } = await write("recommend", { ...name, delete: mine ? "true" : undefined }));
            mine = !mine;
            draw();
        } catch (error) {
            complain(error, () => control.click());
        }
        setWaiting([control], false);
    }
    draw();
    return control;
}

async function share({ title }) {
    try {
        if (navigator.share) await navigator.share({ title, url: location.href });
        else {
            await navigator.clipboard.writeText(location.href);
            note(t("copied"));
        }
    } catch (error) {
        if (error.name !== "AbortError") note(location.href);
    }
}

async function remove({ kind, id, name, title, about, signal }) {
    if (!confirm(t("confirmDelete", { title }))) return;
    try {
        await write(WRITES[kind], { ...name, delete: "true", baseVersion: about.version });
        uploads.dropAt(address(kind, id));
        note(t("deleted"));
        if (!signal.aborted) leaveBack(address("latest"));
    } catch (error) {
        const isOld = error.info === "CHANGED MEANWHILE";    // nobody deletes what he has not seen
        complain(error, isOld ? null : () => remove({ kind, id, name, title, about, signal }));
        if (isOld && !signal.aborted) renew();
    }
}
