// Small forms of texts alone, such as a comment, whose text is kept as a draft until the service has it.

import { el, query, queryAll } from "./dom.js";
import { drafts } from "./draft_store.js";
import { keepSoon } from "./keeping.js";
import { lifetime } from "./lifetime.js";
import { user } from "./session.js";
import { formatClock, t } from "./texts.js";

/**
 * Keeps what is typed into the text areas of a form, and puts in what was kept.
 * @param {HTMLFormElement} form
 * @param {string} thing
 * @returns {Promise<any>} the draft, which is told when the texts were sent
 */
export async function keepTexts(form, thing) {
    const signal = lifetime();
    const controls = /** @type {any[]} */ (queryAll(form, "textarea"));
    const values = () => Object.fromEntries(controls.map(({ name, value }) => [name, value]));
    const base = values();
    const state = el("span", { class: "quiet", role: "status" });
    query(form, "[type=submit]")?.after(state);
    const draft = await drafts.open(user()?.userID ?? 0, thing, { where: location.hash });
    const isTyped = () => controls.some(({ name, value }) => value !== base[name]);
    const say = (isKept) => { state.textContent = isKept ? t("draft.savedAt", { time: formatClock(draft.get().at) }) : isTyped() ? t("draft.notKept") : ""; };
    const keep = async () => {
        if (isTyped()) say(await draft.keep({ edit: { base, values: values(), version: null } }));
        else {
            if (draft.exists()) await draft.forget();
            say(false);
        }
    };
    const keeping = keepSoon(keep, signal);
    await putIn(draft, controls, isTyped(), thing);
    form.addEventListener("input", keeping.touch);
    if (isTyped()) keeping.touch();
    return {
        async keyFor(params) {
            await keeping.flush();
            return draft.keyFor(params);
        },
        failed: (error) => draft.failed(error),
        /** The texts were sent. A form that still has them begins with `stored` now. */
        async sent(stored = {}) {
            Object.assign(base, stored);
            await draft.forget();
            say(false);
            if (isTyped()) keeping.touch();
        },
    };
}

// Whoever typed before the draft was read finds it in the list of drafts.
async function putIn(draft, controls, isTyped, thing) {
    const { edit, where } = draft.get();
    if (!edit) return;
    if (isTyped) return drafts.setAside(draft.account, { thing, where, values: edit.values });
    for (const control of controls) {
        control.value = edit.values[control.name] ?? "";
        control.dispatchEvent(new Event("input", { bubbles: true }));
    }
}
