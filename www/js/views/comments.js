// What others say about a piece, and what its owner answers.

import { NoAnswer, read, write } from "../api.js";
import { beginning } from "../characters.js";
import { button, el, fill, icon, setWaiting, timeIn } from "../dom.js";
import { ask, bounded } from "../forms.js";
import { keepTexts } from "../kept_texts.js";
import { nothing, pagedList, waiting } from "../lists.js";
import { complain, note } from "../notes.js";
import { avatar, line, nameOf } from "../people.js";
import { address } from "../router.js";
import { isMe, user } from "../session.js";
import { formatTime, t } from "../texts.js";
import { whenOnline } from "../unread.js";
import { reportButton } from "./report.js";

const MOST = 5000;

/** The comments of a piece, with a field for one more. */
export function comments({ name, about, kind, id, signal }) {
    const list = el("div", { class: "comment-list" }, waiting());
    const refresh = () => showList(list, name, about, refresh, signal);
    refresh();
    return el("section", { class: "comments", "aria-label": t("comments") },
        el("h2", {}, t("comments")),
        list,
        user() ? writer(name, `comment.${kind}.${id}`, refresh)
            : el("p", { class: "quiet" }, el("a", { href: address("login", "", { then: address(kind, id).slice(1) }) }, t("loginToComment"))));
}

async function showList(list, name, about, refresh, signal) {
    const readPage = async (after) => {
        const { comments: items = [], next } = await read("getComments", { ...name, after }, signal);
        return { items, next };
    };
    const item = (comment) => row(comment, isMe(about.ownerID), refresh);
    const empty = () => el("p", { class: "quiet" }, t("empty.comments"));
    try {
        fill(list, await pagedList(readPage, { item, empty, oncomplain: complain, className: "bubbles" }));
    } catch (error) {
        const isAway = error instanceof NoAnswer;
        fill(list, nothing(t("error.comments"), "warning", isAway && button("retry", t("retry"), refresh)));
        if (isAway) whenOnline(refresh);
        else complain(error, refresh);
    }
}

const timeAt = (seconds) => timeIn(new Date(seconds * 1000).toISOString(), formatTime(seconds));

function row(comment, ownPiece, refresh) {
    const { commentID, commenterID, commenterName, commenterIcon, time, comment: text, authorReply } = comment;
    const mine = isMe(commenterID);
    const name = nameOf(commenterName, commenterID);
    return el("li", { class: "comment" },
        avatar(name, commenterIcon, "avatar small"),
        el("div", { class: "bubble" },
            el("p", { class: "comment-head" },
                el("a", { href: address("user", commenterID) }, line(name)), timeAt(time)),
            el("p", { class: "plain", dir: "auto" }, text),
            authorReply && el("div", { class: "reply" }, el("p", { class: "comment-head" }, icon("reply"), t("authorReply"),
                timeAt(authorReply.time)), el("p", { class: "plain", dir: "auto" }, authorReply.reply)),
            el("div", { class: "comment-actions" },
                ownPiece && button("reply", t(authorReply ? "reply.edit" : "reply"), () => reply(comment, refresh), { className: "link-button" }),
                (mine || ownPiece) && button("trash", t("delete"), () => remove(comment, refresh), { className: "link-button" }),
                !mine && reportButton({ commentID }))));
}

function reply({ commentID, authorReply }, refresh) {
    const field = el("textarea", { name: "reply", dir: "auto", required: true, rows: 4 });
    field.value = authorReply?.reply ?? "";
    bounded(field, { most: MOST });
    ask(t("reply"), [el("label", { class: "field" }, el("span", {}, t("reply")), field)], async (values, key) => {
        await write("replyComment", { commentID, reply: values.reply }, key);
        refresh();
    }, { thing: `reply.${commentID}` });
}

async function remove({ commentID, comment }, refresh) {
    if (!confirm(t("confirmDelete", { title: beginning(comment, 60) }))) return;
    try {
        await write("updateComment", { commentID, delete: "true" });
        refresh();
    } catch (error) {
        complain(error, () => remove({ commentID, comment }, refresh));
    }
}

// What was typed stays until the service has it, also when the page is closed.
function writer(name, draftName, refresh) {
    const field = el("textarea", { name: "comment", dir: "auto", required: true, rows: 3, "aria-label": t("comment.write"),
        placeholder: t("comment.write") });
    bounded(field, { most: MOST });
    const send = el("button", { type: "submit", class: "button primary" }, icon("send"), el("span", {}, t("comment.send")));
    const submit = async (event) => {
        event.preventDefault();
        setWaiting([send], true);
        const params = { ...name, comment: field.value };
        const draft = await opened;
        try {
            await write("addComment", params, await draft.keyFor(params));
            if (field.value === params.comment) field.value = "";    // else somebody has typed on
            await draft.sent();
            note(t("comment.sent"));
            await refresh();
        } catch (error) {
            draft.failed(error);
            complain(error, () => form.requestSubmit());
        }
        setWaiting([send], false);
    };
    const form = el("form", { class: "comment-form", onsubmit: submit }, field, send);
    const opened = keepTexts(form, draftName);
    return form;
}
