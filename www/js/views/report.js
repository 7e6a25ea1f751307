// Telling the operator of something that should not be here.

import { write } from "../api.js";
import { button, el, linkButton } from "../dom.js";
import { ask, bounded } from "../forms.js";
import { note } from "../notes.js";
import { user } from "../session.js";
import { site } from "../site.js";
import { t } from "../texts.js";

/** A button to report a thing: {blogID}, {commentID}, {photoID} and so on. Who has no account has no such button. */
export function reportButton(thing, { className = "icon-button small", text = false } = {}) {
    return user() && button("flag", t("report"), () => open(thing), { className, text });
}

/** The same for a piece; who has no account finds the operator's address, where there is one. */
export function reportPiece(name) {
    const looks = { className: "button small quiet-button", text: true };
    return reportButton(name, looks) || (site.contact && linkButton(addressOf(site.contact), "flag", t("report"), looks.className));
}

const addressOf = (contact) => (/^https?:/i.test(contact) ? contact : `mailto:${contact}`);

function open(thing) {
    ask(t("report"), [el("label", { class: "field" }, el("span", {}, t("report.reason")),
        bounded(el("textarea", { name: "reason", dir: "auto", required: true, rows: 4 }), { most: 1000 }))],
    async ({ reason }, key) => {
        await write("report", { ...thing, reason }, key);
        note(t("report.done"));
    });
}
