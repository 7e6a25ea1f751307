// What somebody has written on this device and not sent, and the texts that others took the place of.

import { button, el, fill, icon, linkButton } from "../dom.js";
import { drafts } from "../draft_store.js";
import { prose } from "../editor.js";
import { nothing, waiting } from "../lists.js";
import { complain } from "../notes.js";
import { address, go, parse } from "../router.js";
import { user } from "../session.js";
import { formatMoment, hasText, t } from "../texts.js";

export async function showDrafts(panel, { signal }) {
    const me = user();
    if (!me) return go(address("login", "", { then: "drafts" }));
    fill(panel, waiting());
    try {
        const list = await drafts.list(me.userID);
        if (signal.aborted) return;
        fill(panel, el("h1", { class: "panel-title", tabindex: "-1" }, t("drafts")),
            el("p", { class: "quiet" }, t("drafts.text")),
            list.length ? el("ul", { class: "drafts" }, list.map((draft) => row(me.userID, draft))) : nothing(t("drafts.none"), "pen"));
    } catch (error) {
        complain(error, () => showDrafts(panel, { signal }));
    }
}

/** What a draft is called in a list. */
export function nameOf({ thing, edit }) {
    const values = edit?.values ?? {};
    return values.blogTitle || values.albumTitle || t(`drafts.${thing.split(".")[0]}`);
}

function row(account, draft) {
    const remove = async () => {
        if (!confirm(t("confirmDelete", { title: nameOf(draft) }))) return;
        await drafts.remove(account, draft.id);
        made.remove();
    };
    const made = el("li", { class: "draft" },
        el("h2", {}, el("bdi", {}, nameOf(draft))),
        el("p", { class: "facts" }, draft.until ? t("drafts.aside", { time: formatMoment(draft.at), until: formatMoment(draft.until) })
            : draft.isOpen ? t("drafts.open") : t("draft.savedAt", { time: formatMoment(draft.at) })),
        texts(draft),
        el("div", { class: "actions" },
            !draft.until && !draft.isOpen && linkButton(addressOf(draft), "pen", t("drafts.go"), "button small"),
            !draft.isOpen && button("trash", t("draft.drop"), remove, { className: "button small" })));
    return made;
}

// The form of a piece may have several drafts, so its address names this one.
function addressOf({ id, where }) {
    const { view, value, params } = parse(where);
    if (!["write", "album-edit"].includes(view)) return where;
    return address(view, value, { reply: params.get("reply"), draft: id });
}

// Texts alone: what was chosen says little without its form.
const SHOWN = ["blogContent", "comment", "reply", "description", "userCategory", "voteDescription"];

function texts({ until, edit }) {
    const values = edit?.values ?? {};
    const names = Object.keys(values).filter((name) => values[name] && (until || SHOWN.includes(name) || /^choice\d+$/.test(name)));
    if (!names.length) return null;
    return el("details", {}, el("summary", {}, icon("book"), t("drafts.show")), el("dl", { class: "sides" }, names.map((name) => [
        el("dt", {}, hasText(`field.${name}`) ? t(`field.${name}`) : t("conflict.other")),
        el("dd", { dir: "auto" }, name === "blogContent" ? prose(values[name]) : values[name])])));
}
