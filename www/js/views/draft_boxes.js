// What a form says of drafts that it found.

import { button, el, icon, linkButton } from "../dom.js";
import { address } from "../router.js";
import { t } from "../texts.js";

/** The draft is in the form. */
export function restoredDraft({ post }, discard) {
    return el("div", { class: "info-box", role: "status" }, icon("clock"), el("p", {}, t(post ? "draft.unsure" : "draft.restored")),
        button("trash", t("draft.discard"), discard, { className: "button small" }));
}

/** The thing has more drafts than the form shows. */
export const moreDrafts = (n) => el("div", { class: "info-box" }, icon("pen"), el("p", {}, t("drafts.more", { n })),
    linkButton(address("drafts"), "list", t("drafts"), "button small"));
