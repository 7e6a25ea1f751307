// Where something is: by a name, by a tap on the map, by the device, by a photo, or in figures.

import { combobox } from "./combobox.js";
import { button, el } from "./dom.js";
import { input } from "./forms.js";
import { lifetime } from "./lifetime.js";
import { moveTo, pickPlace, position, reveal, view } from "./map.js";
import { note } from "./notes.js";
import { placesCalled } from "./place_names.js";
import { placeOfPhoto } from "./exif.js";
import { t } from "./texts.js";

const PHOTOS = "image/jpeg,image/png,image/webp,image/heic,image/heif,image/avif";

let open = null;    // the handle of the one that is shown

function close() {
    open?.stop();
    open = null;
}

/**
 * The fields "lat" and "lng", and what fills them.
 * @param {{lat?: string | number, lng?: string | number}} place where it is already, or a half of it; the fields have its digits
 * @param {() => void} onchange
 */
export function placeField(place, onchange) {
    const lat = number("lat", 90);
    const lng = number("lng", 180);
    const write = (where) => {
        lat.value = where.lat;
        lng.value = where.lng;
        onchange();
    };
    // The device and the photo may tell it when the form has gone.
    const take = (where) => {
        if (!box.isConnected) return false;
        write(where);
        open.set(where);
        return true;
    };
    const isPlace = () => lat.value && lng.value && lat.validity.valid && lng.validity.valid;
    const typed = () => { if (isPlace()) open.set(valueOf(lat, lng)); };
    lat.addEventListener("change", typed);
    lng.addEventListener("change", typed);
    [lat.value, lng.value] = [place.lat ?? "", place.lng ?? ""].map(String);
    // A form that came too late is not in the page, and the map is another one's.
    const begin = () => {
        if (!box.isConnected) return;
        close();
        open = pickPlace(write);
        lifetime().addEventListener("abort", close);
        if (!isPlace()) return;
        open.set(valueOf(lat, lng));
        reveal(valueOf(lat, lng), Math.max(view().zoom, 8));
    };
    queueMicrotask(begin);
    const box = el("fieldset", { class: "field place", "data-field": "lat lng" },
        el("legend", {}, t("field.place")),
        nameField(take),
        el("p", { class: "hint" }, t("place.hint")),
        el("div", { class: "place-actions" },
            button("map", t("place.map"), () => scrollTo({ top: 0 }), { className: "button small phone-only" }),
            button("locate", t("place.device"), () => fromDevice(take), { className: "button small" }),
            button("target", t("place.centre"), () => take({ lat: view().lat, lng: view().lng }), { className: "button small" }),
            photoButton(take)),
        el("div", { class: "pair" },
            el("label", {}, el("span", {}, t("field.lat")), lat),
            el("label", {}, el("span", {}, t("field.lng")), lng)));
    return box;
}

// What is typed here is no part of the piece.
function nameField(take) {
    const name = input("text", { dir: "auto", oninput: (event) => event.stopPropagation() });
    const go = (place, title) => {
        name.value = title;
        if (take(place)) moveTo(place, Math.max(view().zoom, 12));
    };
    const list = combobox(name, { id: "called", find: placesCalled, take: go, marksFirst: true });
    // Nothing is sent because of a name.
    name.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.isComposing) event.preventDefault(); });
    return el("div", { class: "place-name" }, el("label", {}, el("span", {}, t("place.name")), name), list);
}

const number = (name, most) => input("number", { name, min: -most, max: most, step: "any", inputmode: "decimal" });

const valueOf = (lat, lng) => ({ lat: Number(lat.value), lng: Number(lng.value) });

async function fromDevice(take) {
    try {
        const place = await position();
        if (take(place)) moveTo(place, Math.max(view().zoom, 12));
    } catch {
        note(t("noPosition"), { kind: "error" });
    }
}

// The photo stays here: only where it was taken is read.
function photoButton(take) {
    const chooser = input("file", { accept: PHOTOS, class: "visually-hidden", id: "place-photo", onchange: async () => {
        const place = await placeOfPhoto(chooser.files[0]);
        chooser.value = "";
        if (!place) return note(t("place.noneInPhoto"), { kind: "error" });
        if (take(place)) moveTo(place, Math.max(view().zoom, 12));
    } });
    return el("span", {}, chooser, el("label", { class: "button small", for: chooser.id }, t("place.photo")));
}
