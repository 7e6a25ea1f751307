// Logging in where one stands, in a dialog.

import { write } from "./api.js";
import { button, el } from "./dom.js";
import { bounded, bytesOf, field, form, input, submitButton } from "./forms.js";
import { complainIn } from "./notes.js";
import { address, here } from "./router.js";
import { site } from "./site.js";
import { t } from "./texts.js";

/**
 * Asks somebody to log in.
 * @returns {Promise<{id: number} | null>} the answer of login, which begins a session; null if nobody logged in
 */
export function askToLogIn() {
    return new Promise((resolve) => {
        let answer = null;
        const said = el("p", { class: "dialog-error", role: "alert" });
        const close = () => dialog.close();
        const made = form([
            field("email", bounded(input("email", { required: true, autocomplete: "username" }), { most: 254 })),
            field("password", bounded(input("password", { required: true, autocomplete: "current-password" }), { most: 1024, count: bytesOf })),
            said, el("div", { class: "actions" }, submitButton(t("login"), "user"), button("close", t("cancel"), close)),
            el("p", { class: "form-links" }, site.registration !== "closed" && link("register"), link("forgot")),
        ], async ({ email, password }) => {
            said.replaceChildren();
            answer = await write("login", { email, password });
            close();
        }, { onerror: (error) => complainIn(said, error) });
        const dialog = el("dialog", { class: "dialog", "aria-label": t("login"), onclose: () => {
            dialog.remove();
            resolve(answer);
        } }, el("h2", {}, t("error.LOGIN REQUIRED")), made);
        document.body.append(dialog);
        dialog.showModal();

        // Whoever has no account comes back here with one.
        function link(view) {
            const { view: now, value } = here();
            return el("a", { href: address(view, "", { then: address(now, value).slice(1) }), onclick: close }, t(view));
        }
    });
}
