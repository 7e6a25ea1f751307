// An album: new, or one's own. Its photos are added where it is shown.

import { write } from "../api.js";
import { ALBUM_CATEGORIES } from "../domain.js";
import { el, fill } from "../dom.js";
import { choices, field, form, line, select, submitButton, visibilities } from "../forms.js";
import { waiting } from "../lists.js";
import { note } from "../notes.js";
import { placeField } from "../place_field.js";
import { address, go } from "../router.js";
import { user } from "../session.js";
import { changedOrStored, readStored, unreadable } from "../stored.js";
import { t } from "../texts.js";

export async function showAlbumForm(panel, { value: albumID }) {
    if (!user()) return go(address("login", "", { then: location.hash.slice(1) }));
    fill(panel, waiting());
    try {
        fill(panel, make(albumID, albumID ? await readStored("getAlbum", { albumID }) : { albumTitle: "", category: 16, visibility: "public" }));
        panel.querySelector("[name=albumTitle]").focus({ preventScroll: true });
    } catch (error) {
        unreadable(panel, error, () => showAlbumForm(panel, { value: albumID }));
    }
}

function make(albumID, stored) {
    const categories = Array.from({ length: ALBUM_CATEGORIES }, (_, i) => [i + 1, t(`album.${i + 1}`)]);
    return form([
        el("h1", { class: "panel-title", tabindex: "-1" }, t(albumID ? "album.edit" : "album.new")),
        field("albumTitle", line({ required: true, value: stored.albumTitle, autocomplete: "off" })),
        field("category", select(categories, stored.category)),
        placeField(stored.Location ? stored : null, () => {}),
        choices("visibility", visibilities(), stored.visibility),
        el("div", { class: "form-end" }, submitButton(t(albumID ? "save" : "album.create")),
            el("a", { class: "button", href: albumID ? address("album", albumID) : address("latest") }, t("cancel"))),
    ], async (values, key) => {
        const params = { ...values, albumTitle: changedOrStored(values.albumTitle, stored.albumTitle), albumID: albumID || undefined };
        if (albumID && values.visibility === stored.visibility) delete params.visibility;
        const answer = await write(albumID ? "updateAlbum" : "addAlbum", params, key);
        note(t("saved"));
        go(address("album", albumID || answer.albumID));
    });
}
