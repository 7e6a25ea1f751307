// An album: new, or one's own. Its photos are added where it is shown.

import { read, write } from "../api.js";
import { ALBUM_CATEGORIES } from "../domain.js";
import { el, fill } from "../dom.js";
import { choices, field, form, input, select, submitButton } from "../forms.js";
import { nothing, waiting } from "../lists.js";
import { complain, note } from "../notes.js";
import { placeField } from "../place_field.js";
import { address, go } from "../router.js";
import { user } from "../session.js";
import { t } from "../texts.js";

export async function showAlbumForm(panel, { value: albumID }) {
    if (!user()) return go(address("login", "", { then: location.hash.slice(1) }));
    fill(panel, waiting());
    try {
        fill(panel, make(albumID, albumID ? await stored(albumID) : { albumTitle: "", category: 16, visibility: "public" }));
        panel.querySelector("[name=albumTitle]").focus({ preventScroll: true });
    } catch (error) {
        fill(panel, nothing(t("error.piece"), "warning"));
        complain(error);
    }
}

async function stored(albumID) {
    const [album, about] = await Promise.all([read("getAlbum", { albumID }), read("getPiece", { albumID }).catch(() => ({}))]);
    return { ...album, visibility: about.visibility ?? "public" };
}

function make(albumID, { albumTitle, category, Location, visibility }) {
    const categories = Array.from({ length: ALBUM_CATEGORIES }, (_, i) => [i + 1, t(`album.${i + 1}`)]);
    return form([
        el("h1", { class: "panel-title", tabindex: "-1" }, t(albumID ? "album.edit" : "album.new")),
        field("albumTitle", input("text", { required: true, maxlength: 255, value: albumTitle, autocomplete: "off" })),
        field("category", select(categories, category)),
        placeField(Location ?? null, () => {}),
        choices("visibility", ["public", "private"].map((value) => ({ value, drawing: value === "public" ? "globe" : "lock", text: t(`visibility.${value}`) })), visibility),
        el("div", { class: "form-end" }, submitButton(t(albumID ? "save" : "album.create")),
            el("a", { class: "button", href: albumID ? address("album", albumID) : address("latest") }, t("cancel"))),
    ], async (values, key) => {
        const params = { ...values, albumTitle: values.albumTitle.trim(), albumID: albumID || undefined };
        const answer = await write(albumID ? "updateAlbum" : "addAlbum", params, key);
        note(t("saved"));
        go(address("album", albumID || answer.albumID));
    });
}
