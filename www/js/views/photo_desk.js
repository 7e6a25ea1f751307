// The photos of an album, for its owner: adding, order, cover, descriptions.

import { write } from "../api.js";
import { button, el, fill, icon } from "../dom.js";
import { ask, bounded } from "../forms.js";
import { plain } from "../domain.js";
import { begun } from "../edit.js";
import { ALBUM, updateParams } from "../kinds.js";
import { announce, complain, note } from "../notes.js";
import { newKey } from "../refusal.js";
import { send } from "../saving.js";
import { readStored } from "../stored.js";
import { t } from "../texts.js";
import { isOwnPicture } from "../trusted.js";
import { uploadList } from "../uploads.js";

/** What stands below the photos of one's own album. */
export function photoDesk(it) {
    const { name, piece } = it;
    const asked = { now: false, answer: Promise.resolve() };    // about one place at a time
    const uploads = uploadList(name, {
        ondone: ({ Location }) => offerPlace(it, Location, asked),
        onall: () => asked.answer.then(it.reload),    // which ends the view, and a question with it
    });
    return el("section", { class: "desk", "aria-label": t("photos.edit") },
        dropZone(uploads.add), uploads.list,
        piece.photos?.length > 0 && el("details", { class: "order" }, el("summary", {}, t("photos.edit")), sorter(piece)));
}

function dropZone(add) {
    const chooser = el("input", { type: "file", accept: "image/*,.heic,.heif,.avif", multiple: true, class: "visually-hidden",
        id: "photo-files", onchange: () => { add([...chooser.files]); chooser.value = ""; } });
    const camera = el("input", { type: "file", accept: "image/*", capture: "environment", class: "visually-hidden",
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

// A photo knows where it was taken: the album may be there.
function offerPlace({ name, piece, signal }, place, asked) {
    if (asked.now || signal.aborted || !place || (place.lat === piece.Location.lat && place.lng === piece.Location.lng)) return;
    asked.now = true;
    const box = ask(t("place.fromPhoto"), [el("p", {}, t("place.fromPhotoAsk"))], async () => {
        await moveAlbum(name.albumID, place);
        note(t("saved"));
    }, { submit: t("place.take") });
    asked.answer = new Promise((resolve) => {
        box.addEventListener("close", () => {
            asked.now = false;
            resolve();
        });
    });
}

async function moveAlbum(id, { lat, lng }) {
    const read = () => readStored(ALBUM, id);
    const { base, values, version } = begun(await read());
    await send({ fields: ALBUM.fields, paramsOf: (one) => updateParams(ALBUM, id, one) },
        { base, values: { ...values, lat: plain(lat), lng: plain(lng) }, version },
        { write: (params, key) => write("updateAlbum", params, key), keyFor: async () => newKey(), read });
}

// Order and cover ----------------------------------------------------------------------------------------------------

function sorter({ photos, cover }) {
    const order = [...photos];
    const list = el("ol", { class: "sorter" });
    const state = { cover };
    const draw = () => fill(list, order.map((photo, i) => row(photo, i, order, state, draw)));
    draw();
    return list;
}

function row(photo, i, order, state, draw) {
    const label = photo.description || t("photoNumber", { n: i + 1 });
    const moveBy = (by) => change(async () => {
        await write("updatePhoto", { photoID: photo.photoID, position: i + by + 1 });
        order.splice(i, 1);
        order.splice(i + by, 0, photo);
        announce(t("photos.moved", { n: i + by + 1 }));
    }, draw, () => moveBy(by), `[data-move="${by}"][data-photo="${photo.photoID}"]`);
    const move = (by, iconName, text) => button(iconName, t(text, { label }), () => moveBy(by),
        { className: "icon-button", text: false, disabled: i + by < 0 || i + by >= order.length, "data-move": by, "data-photo": photo.photoID });
    return el("li", { class: "sorter-row" },
        isOwnPicture(photo.thumbnail) ? el("img", { src: photo.thumbnail, alt: "" }) : icon("photos"),
        el("span", { class: "sorter-text", dir: "auto" }, label),
        button(state.cover === photo.photoID ? "star-full" : "star", t("photos.cover", { label }), () => setCover(photo, state, draw),
            { className: "icon-button", text: false, "aria-pressed": String(state.cover === photo.photoID) }),
        move(-1, "up", "photos.earlier"), move(1, "down", "photos.later"),
        button("pen", t("photos.describe", { label }), () => describe(photo, draw), { className: "icon-button", text: false }),
        button("trash", t("photos.delete", { label }), () => remove(photo, order, draw), { className: "icon-button", text: false }));
}

// Does it, draws anew what came of it, and leaves the focus where it was.
async function change(doIt, draw, again, focus) {
    try {
        await doIt();
        draw();
        if (focus) /** @type {HTMLElement | null} */ (document.querySelector(focus))?.focus();
    } catch (error) {
        complain(error, again);
    }
}

function setCover(photo, state, draw) {
    return change(async () => {
        await write("updatePhoto", { photoID: photo.photoID, cover: "true" });
        state.cover = photo.photoID;
        announce(t("photos.coverSet"));
    }, draw, () => setCover(photo, state, draw));
}

function describe(photo, draw) {
    const field = el("textarea", { name: "description", dir: "auto", rows: 4 });
    field.value = photo.description;
    bounded(field, { most: 2000 });
    ask(t("description"), [el("label", { class: "field" }, el("span", {}, t("description")), field)], async ({ description }, key) => {
        await write("updatePhoto", { photoID: photo.photoID, description }, key);
        photo.description = description;
        draw();
    }, { submit: t("save"), thing: `description.${photo.photoID}` });
}

function remove(photo, order, draw) {
    if (!confirm(t("confirmDelete", { title: photo.description || t("photo") }))) return;
    return change(async () => {
        await write("updatePhoto", { photoID: photo.photoID, delete: "true" });
        order.splice(order.indexOf(photo), 1);
    }, draw, () => remove(photo, order, draw));
}
