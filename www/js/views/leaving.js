// Logging out. What is typed and not sent is not lost without a word.

import { button, el, fill, icon, setWaiting } from "../dom.js";
import { drafts } from "../draft_store.js";
import { flushAll } from "../keeping.js";
import { lifetime } from "../lifetime.js";
import { complain, explain, note } from "../notes.js";
import { address, leaveFor } from "../router.js";
import { sendDraft } from "../sending.js";
import { logout, user } from "../session.js";
import { t } from "../texts.js";
import { settled, uploads } from "../uploads.js";
import { nameOf } from "./drafts.js";

/** Logs out, and asks before what is to become of drafts. */
export async function leave() {
    try {
        await flushAll();
        const account = user().userID;
        const list = await drafts.list(account);
        if (list.length || uploads.isBusy()) askFirst(account, list);
        else await end();
    } catch (error) {
        complain(error, leave);
    }
}

async function end() {
    await logout();
    note(t("goodbye"));
    leaveFor(address("latest"));
}

function askFirst(account, list) {
    const names = el("ul", { class: "leaving" });
    const said = el("p", { class: "field-error", role: "alert" });
    const draw = (all, reasons = new Map()) => fill(names, all.map((draft) => el("li", {}, el("bdi", {}, nameOf(draft)),
        reasons.has(draft.id) && ` · ${reasons.get(draft.id)}`)));
    // One choice at a time; what failed is said here, as a dialog covers all else.
    const choice = (iconName, text, work, className = "button") => button(iconName, t(text), async () => {
        const all = dialog.querySelectorAll("button");
        setWaiting(all, true);
        said.replaceChildren();
        try {
            if (await work()) dialog.close();
        } catch (error) {
            fill(said, icon("warning"), explain(error));
        }
        setWaiting(all, false);
    }, { className });
    const send = async () => {
        await settled();
        const reasons = await sendAll(account, await drafts.list(account));
        const left = await drafts.list(account);
        draw(left, reasons);
        if (uploads.isBusy() || left.some(({ until }) => !until)) {
            fill(said, icon("warning"), t("leaving.left"));
            return false;
        }
        await end();
        return true;
    };
    const keep = () => end().then(() => true);
    const remove = async () => {
        await logout();
        uploads.dropOf(account);
        await drafts.removeAll(account);
        leaveFor(address("latest"));
        return true;
    };
    const dialog = el("dialog", { class: "dialog", "aria-label": t("leaving.title"), onclose: () => dialog.remove() },
        el("h2", {}, t("leaving.title")),
        list.length > 0 && el("p", {}, t("leaving.text", { n: list.length })), names, ofPhotos(), said,
        el("div", { class: "actions stacked" },
            (uploads.isBusy() || list.some(({ until }) => !until)) && choice("send", "leaving.send", send, "button primary"),
            choice("lock", "leaving.keep", keep),
            choice("trash", "leaving.delete", remove, "button danger"),
            button("close", t("cancel"), () => dialog.close())));
    draw(list);
    lifetime().addEventListener("abort", () => dialog.close());
    document.body.append(dialog);
    dialog.showModal();
}

const ofPhotos = () => uploads.isBusy() && el("p", {}, t("leaving.photos", { n: uploads.pending().length }));

// One after the other; returns why some could not be sent, by their identifiers.
async function sendAll(account, list) {
    const reasons = new Map();
    for (const draft of list.filter(({ until }) => !until)) {
        try {
            if (draft.isOpen) reasons.set(draft.id, t("drafts.open"));
            else await sendDraft(account, draft);
        } catch (error) {
            reasons.set(draft.id, explain(error));
        }
    }
    return reasons;
}
