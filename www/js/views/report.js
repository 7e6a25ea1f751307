// Telling the operator of something that should not be here.

import { write } from "../api.js";
import { button, el } from "../dom.js";
import { ask } from "../forms.js";
import { note } from "../notes.js";
import { user } from "../session.js";
import { t } from "../texts.js";

/** A button to report a thing: {blogID}, {commentID}, {photoID} and so on. */
export function reportButton(thing, { text = true } = {}) {
    if (!user()) return null;
    return button("flag", t("report"), () => open(thing), { className: text ? "button small quiet-button" : "icon-button small", text });
}

function open(thing) {
    ask(t("report"), [el("label", { class: "field" }, el("span", {}, t("report.reason")),
        el("textarea", { name: "reason", required: true, maxlength: 1000, rows: 4 }))],
    async ({ reason }, key) => {
        await write("report", { ...thing, reason }, key);
        note(t("report.done"));
    });
}
