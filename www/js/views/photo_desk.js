// The photos of an album, for its owner: adding, order, cover, descriptions.

import { write } from "../api.js";
import { button, el, fill, icon, query } from "../dom.js";
import { ask, bounded, submitButton } from "../forms.js";
import { plain } from "../domain.js";
import { begun } from "../edit.js";
import { ALBUM, updateParams } from "../kinds.js";
import { reveal } from "../map.js";
import { choose } from "../markers.js";
import { announce, complain, note } from "../notes.js";
import { isOwnPicture } from "../own_picture.js";
import { newKey } from "../refusal.js";
import { address } from "../router.js";
import { send } from "../saving.js";
import { readStored } from "../stored.js";
import { t } from "../texts.js";
import { forgetPlaces, placesAt, uploads } from "../uploads.js";
import { placeQuestion, placesElsewhere } from "./photo_places.js";
import { uploadList } from "./upload_list.js";

const NEAR = 13;    // a zoom level

/**
 * Fills what stands below the photos of one's own album.
 * @param {HTMLElement} box
 * @param {any} it the piece, with `photosChanged` and `moved`, which draw it anew
 */
export function showPhotoDesk(box, it) {
    const { kind, id, name, signal } = it;
    const where = address(kind, id);
    const zone = dropZone((files) => uploads.add(where, name, files));
    const order = el("div");
    const question = el("div");
    it.drawOrder = () => drawOrder(order, it);
    let drawn = "";
    const draw = () => {
        const places = uploads.isBusy(where) ? [] : placesElsewhere(placesAt(where), it.piece.Location);
        if (drawn === (drawn = JSON.stringify(places))) return;    // somebody may be at its buttons
        fill(question, places.length > 0 && asked(it, where, places, draw));
    };
    uploads.watch(draw, signal);
    it.drawOrder();
    draw();
    fill(box, el("section", { class: "desk", "aria-label": t("photos.edit") },
        zone, uploadList(where, signal, () => query(zone, "input")), question, order));
}

function asked(it, where, places, again) {
    const { piece, title } = it;
    const end = () => {
        forgetPlaces(where);
        again();
        query(it.root, ".desk input")?.focus({ preventScroll: true });
    };
    const show = (place) => {
        choose({ kind: "album", id: it.id, title, Location: place });
        reveal(place, NEAR);
    };
    const take = async (place) => {
        try {
            const { version } = await moveAlbum(it.id, place);
            note(t("saved"));
            it.moved(place, version);
            end();
        } catch (error) {
            complain(error, () => take(place));
        }
    };
    const leave = () => {
        it.moved(piece.Location, it.about.version);
        end();
    };
    return placeQuestion(places, piece.Location, { show, take, leave });
}

function dropZone(add) {
    const chooser = el("input", { type: "file", accept: "image/*,.heic,.heif,.avif", multiple: true, class: "visually-hidden",
        id: "photo-files", onchange: () => { add([...chooser.files]); chooser.value = ""; } });
    const camera = el("input", { type: "file", accept: "image/*", capture: "environment", class: "visually-hidden camera-only",
        id: "photo-camera", onchange: () => { add([...camera.files]); camera.value = ""; } });
    const over = (on) => (event) => {
        event.preventDefault();
        zone.classList.toggle("over", on);
    };
    const zone = el("div", { class: "drop", ondragover: over(true), ondragenter: over(true), ondragleave: over(false),
        ondrop: (event) => {
            over(false)(event);
            add([...event.dataTransfer.files]);
        } },
    icon("upload"), el("p", {}, t("photos.drop")),
    el("div", { class: "actions" },
        chooser, el("label", { class: "button primary", for: chooser.id }, icon("photos"), t("photos.choose")),
        camera, el("label", { class: "button camera-only", for: camera.id }, icon("camera"), t("photos.camera"))));
    return zone;
}

// Returns what is stored then.
async function moveAlbum(id, { lat, lng }) {
    const read = () => readStored(ALBUM, id);
    const { base, values, version } = begun(await read());
    return send({ fields: ALBUM.fields, paramsOf: (one) => updateParams(ALBUM, id, one) },
        { base, values: { ...values, lat: plain(lat), lng: plain(lng) }, version },
        { write: (params, key) => write("updateAlbum", params, key), keyFor: async () => newKey(), read });
}

// Order and cover ----------------------------------------------------------------------------------------------------

// Stays open while it is drawn anew.
function drawOrder(box, it) {
    const isOpen = query(box, "details")?.hasAttribute("open") ?? false;
    fill(box, it.piece.photos.length > 0 && el("details", { class: "order", open: isOpen }, el("summary", {}, t("photos.edit")),
        el("ol", { class: "sorter" }, it.piece.photos.map((photo, i) => row(photo, i, it)))));
}

function row(photo, i, it) {
    const { photos } = it.piece;
    const label = photo.description || t("photoNumber", { n: i + 1 });
    const moveBy = (by) => change(it, async () => {
        await write("updatePhoto", { photoID: photo.photoID, position: i + by + 1 });
        photos.splice(i, 1);
        photos.splice(i + by, 0, photo);
        announce(t("photos.moved", { n: i + by + 1 }));
    }, () => moveBy(by), photo, "move", by);
    const move = (by, iconName, text) => tool(photo, iconName, t(text, { label }), () => moveBy(by),
        { disabled: i + by < 0 || i + by >= photos.length, "data-move": by });
    const isCover = it.piece.cover === photo.photoID;
    return el("li", { class: "sorter-row" },
        isOwnPicture(photo.thumbnail) ? el("img", { src: photo.thumbnail, alt: "" }) : icon("photos"),
        el("span", { class: "sorter-text", dir: "auto" }, label),
        tool(photo, isCover ? "star-full" : "star", t("photos.cover", { label }), () => setCover(photo, it), { "aria-pressed": String(isCover), "data-cover": "" }),
        move(-1, "up", "photos.earlier"), move(1, "down", "photos.later"),
        tool(photo, "pen", t("photos.describe", { label }), () => describe(photo, it)),
        tool(photo, "trash", t("photos.delete", { label }), () => remove(photo, it)));
}

const tool = (photo, iconName, label, onclick, others = {}) =>
    button(iconName, label, onclick, { className: "icon-button", text: false, "data-photo": photo.photoID, ...others });

// Changes the album, draws its photos anew, and gives the focus back to the button, unless the button is gone.
async function change(it, doIt, again, { photoID }, name = "", value = "") {
    try {
        await doIt();
        it.photosChanged();
        if (name) query(it.root, `[data-photo="${photoID}"][data-${name}="${value}"]`)?.focus();
    } catch (error) {
        complain(error, again);
    }
}

function setCover(photo, it) {
    return change(it, async () => {
        await write("updatePhoto", { photoID: photo.photoID, cover: "true" });
        it.piece.cover = photo.photoID;
        announce(t("photos.coverSet"));
    }, () => setCover(photo, it), photo, "cover");
}

function describe(photo, it) {
    const field = el("textarea", { name: "description", dir: "auto", rows: 4 });
    field.value = photo.description;
    bounded(field, { most: 2000 });
    ask(t("description"), [el("label", { class: "field" }, el("span", {}, t("description")), field)], async ({ description }, key) => {
        await write("updatePhoto", { photoID: photo.photoID, description }, key);
        photo.description = description;
        it.photosChanged();
    }, { submit: submitButton(t("save")), thing: `description.${photo.photoID}` });
}

function remove(photo, it) {
    if (!confirm(t("confirmDelete", { title: photo.description || t("photo") }))) return;
    return change(it, async () => {
        await write("updatePhoto", { photoID: photo.photoID, delete: "true" });
        it.piece.photos.splice(it.piece.photos.indexOf(photo), 1);
    }, () => remove(photo, it), photo);
}
