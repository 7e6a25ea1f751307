// What a form says of drafts that it found.

import { button, el, icon } from "../dom.js";
import { prose } from "../editor.js";
import { t } from "../texts.js";

/** The draft is in the form. `again` opens the form without it. */
export function restoredDraft(draft, again) {
    const discard = () => {
        draft.forget();
        again();
    };
    return el("div", { class: "info-box", role: "status" }, icon("clock"), el("p", {}, t(draft.post() ? "draft.unsure" : "draft.restored")),
        button("trash", t("draft.discard"), discard, { className: "button small" }));
}

/** A draft that began from another text than the stored one. `use` takes its text into the form. */
export function olderDraft(draft, older, use) {
    const end = () => {
        draft.drop(older);
        box.remove();
    };
    const box = el("section", { class: "older-draft", "aria-label": t("draft.older") },
        el("p", {}, icon("warning"), " ", t("draft.olderText")),
        el("h2", {}, older.values.blogTitle),
        prose(older.values.blogContent ?? ""),
        el("div", { class: "actions" },
            button("check", t("draft.use"), () => { use(older); end(); }, { className: "button small" }),
            button("trash", t("draft.drop"), end, { className: "button small" })));
    return box;
}
