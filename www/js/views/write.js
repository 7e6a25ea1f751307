// Writing a blog: new, or one's own.

import { today } from "../days.js";
import { BLOG_TYPES, WEATHERS } from "../domain.js";
import { el, icon } from "../dom.js";
import { editor } from "../editor.js";
import { charactersOf, choices, field, input, line, submitButton, visibilities } from "../forms.js";
import { BLOG } from "../kinds.js";
import { mapType, view } from "../map.js";
import { placeField } from "../place_field.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { folded } from "./folded.js";
import { openForm } from "./piece_form.js";
import { voteFields } from "./vote_fields.js";

const MOST = 100_000;

/** The form; the address names the blog that is changed, or the one that is answered ("reply"). */
export function showWrite(panel, now) {
    const reply = now.value ? "" : now.params.get("reply") ?? "";
    return openForm(panel, now, {
        kind: BLOG, id: now.value, thing: now.value ? `blog.${now.value}` : reply ? `blog.reply.${reply}` : "blog.new",
        fresh: () => ({ type: "0_2", weather: "晴空萬里", visibility: "public", date: today(), replyBlogID: reply }),
        shown: () => ({ zoomLevel: view().zoom, mapType: mapType() }),    // what the map shows is part of a blog
        published: "published",
        faultOf: ({ blogContent }) => tooLong(charactersOf(blogContent) - MOST),
        make,
    });
}

const tooLong = (n) => (n > 0 ? t("content.long", { n }) : "");

function make({ id, edit: { values } }, { boxes, state, touch, onsubmit }) {
    const content = editor(values.blogContent ?? "", touch);
    const title = line({ required: true, autocomplete: "off", value: values.blogTitle ?? "" });
    const form = el("form", { class: "form", oninput: touch, onsubmit },
        el("h1", { class: "panel-title", tabindex: "-1" }, t(id ? "write.edit" : "write.new")),
        boxes,
        values.replyBlogID && el("p", { class: "quiet" }, icon("reply"), t("answers")),
        field("blogTitle", title),
        content.element,
        placeField(values, touch),
        folded(choices("type", Object.entries(BLOG_TYPES).map(([value, drawing]) => ({ value, drawing, text: t(`type.${value}`) })), values.type),
            choices("weather", Object.entries(WEATHERS).map(([value, drawing]) => ({ value, drawing, text: t(`weather.${value}`) })), values.weather),
            field("date", input("date", { required: true, value: values.date }), { others: ["year", "month", "day", "publish"] }),
            choices("visibility", visibilities(), values.visibility),
            field("userCategory", line({ value: values.userCategory ?? "" }), { hint: t("userCategory.hint") })),
        !values.hasVote && voteFields(values),
        el("div", { class: "form-end" }, submitButton(t(id ? "save" : "publish"), "send"),
            el("a", { class: "button", href: id ? address("blog", id) : address("latest") }, t("cancel")), state));
    return { form, values: () => ({ blogContent: content.value() }) };
}
