// The vote of a blog.

import { write } from "../api.js";
import { button, el, icon } from "../dom.js";
import { complain } from "../notes.js";
import { line } from "../people.js";
import { isMe, user } from "../session.js";
import { formatNumber, t } from "../texts.js";

/** Its choices, as buttons for who has a vote left, and what each one has got. */
export function voteBox({ name, piece: { vote }, about, reload }) {
    const total = vote.choices.reduce((sum, { votes }) => sum + votes, 0);
    const closed = about.closed === true || about.closed === "true";
    const open = user() !== null && !about.choice && !closed;
    const cast = async (position) => {
        try {
            await write("castVote", { ...name, choice: position });
            reload();
        } catch (error) {
            complain(error, () => cast(position));
        }
    };
    const close = async () => {
        try {
            await write("closeVote", name);
            reload();
        } catch (error) {
            complain(error, close);
        }
    };
    return el("section", { class: "vote", "aria-label": t("vote") },
        el("h2", {}, icon("vote"), line(vote.description)),
        el("ol", {}, vote.choices.map((choice, i) => row(choice, total, i + 1 === about.choice, open && (() => cast(i + 1))))),
        el("p", { class: "quiet" }, t("votes", { n: total }), closed ? ` · ${t("vote.closed")}` : !user() ? ` · ${t("vote.login")}` : ""),
        isMe(about.ownerID) && !closed && button("lock", t("vote.close"), close, { className: "button small" }));
}

function row({ description, votes }, total, mine, cast) {
    const share = total ? votes / total : 0;
    const bar = el("span", { class: "bar-fill" });
    bar.style.inlineSize = `${share * 100}%`;
    const inside = [
        el("span", { class: "vote-text" }, line(description), mine && icon("check")),
        el("span", { class: "vote-count" }, `${formatNumber(votes)} · ${Math.round(share * 100)} %`),
        el("span", { class: "bar-line", "aria-hidden": "true" }, bar),
    ];
    return el("li", { class: mine ? "mine" : null }, cast
        ? el("button", { type: "button", class: "vote-choice", onclick: cast }, ...inside)
        : el("div", { class: "vote-choice" }, ...inside));
}
