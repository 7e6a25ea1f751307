// The vote of a new entry: a question and its choices.

import { button, el, icon } from "../dom.js";
import { field, line } from "../forms.js";
import { t } from "../texts.js";
import { CHOICES, isBegun, lastChoice } from "../vote_params.js";

/** The fields, with what is typed already. */
export function voteFields(values) {
    const list = el("div", { class: "vote-fields" });
    const add = (value = "") => {
        const n = list.children.length + 1;
        if (n > CHOICES) return;
        list.append(field(`choice${n}`, line({ value }), { label: t("vote.choice", { n }) }));
    };
    for (let n = 1; n <= Math.max(2, lastChoice(values)); n++) add(values[`choice${n}`] ?? "");
    return el("details", { class: "vote-editor", open: isBegun(values) },
        el("summary", {}, icon("vote"), t("vote.add")),
        field("voteDescription", line({ value: values.voteDescription ?? "" }), { label: t("vote.question") }),
        list, button("plus", t("vote.more"), () => add(), { className: "button small" }));
}
