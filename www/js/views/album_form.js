// An album: new, or one's own. Its photos are added where it is shown.

import { ALBUM_CATEGORIES } from "../domain.js";
import { el } from "../dom.js";
import { choices, field, line, select, submitButton, visibilities } from "../forms.js";
import { ALBUM } from "../kinds.js";
import { placeField } from "../place_field.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { folded } from "./folded.js";
import { openForm } from "./piece_form.js";

export function showAlbumForm(panel, now) {
    return openForm(panel, now, {
        kind: ALBUM, id: now.value, thing: `album.${now.value || "new"}`,
        fresh: () => ({ albumTitle: "", category: "16", visibility: "public" }),
        published: "saved",
        make,
    });
}

function make({ id, edit: { values } }, { boxes, state, touch, onsubmit }) {
    const categories = Array.from({ length: ALBUM_CATEGORIES }, (_, i) => [i + 1, t(`album.${i + 1}`)]);
    const form = el("form", { class: "form", oninput: touch, onsubmit },
        el("h1", { class: "panel-title", tabindex: "-1" }, t(id ? "album.edit" : "album.new")),
        boxes,
        field("albumTitle", line({ required: true, value: values.albumTitle, autocomplete: "off" })),
        placeField(values, touch),
        folded(field("category", select(categories, values.category)), choices("visibility", visibilities(), values.visibility)),
        el("div", { class: "form-end" }, submitButton(t(id ? "save" : "album.create")),
            el("a", { class: "button", href: id ? address("album", id) : address("latest") }, t("cancel")), state));
    return { form };
}
