// Accounts: logging in, signing up, passwords, one's profile.

import { newKey, read, upload, write } from "../api.js";
import { el, fill, icon, linkButton } from "../dom.js";
import { drafts } from "../draft_store.js";
import { ask, bounded, bytesOf, field, form, input, line, submitButton } from "../forms.js";
import { waiting } from "../lists.js";
import { remember, remembered } from "../memory.js";
import { complain, note } from "../notes.js";
import { avatar, nameOf } from "../people.js";
import { address, go, leaveFor, renew, replaceAddress } from "../router.js";
import { begin, loadUser, login, sessionEnded, user } from "../session.js";
import { site } from "../site.js";
import { formatNumber, language, t } from "../texts.js";
import { unread } from "../unread.js";
import { uploads } from "../uploads.js";
import { leave } from "./leaving.js";

const PASSWORD = { least: 8, most: 1024, count: bytesOf };

const email = (value = "") => field("email", bounded(input("email", { required: true, autocomplete: "username", value }), { most: 254 }));
const password = (name = "password", autocomplete = "current-password", hint = "") =>
    field(name, bounded(input("password", { required: true, autocomplete }), { ...PASSWORD, least: autocomplete === "new-password" ? PASSWORD.least : 0 }), { hint });
// The account of a new password, for a browser that offers to keep passwords.
const accountName = () => input("email", { autocomplete: "username", value: user()?.email ?? "", readonly: true, hidden: true });
const newPassword = (name = "password") => password(name, "new-password", t("password.hint"));

const card = (panel, title, ...children) =>
    fill(panel, el("section", { class: "card-form" }, el("h1", { class: "panel-title", tabindex: "-1" }, title), ...children));

const links = (...pairs) => el("p", { class: "form-links" },
    pairs.filter(Boolean).map(([view, text, params]) => el("a", { href: address(view, "", params) }, t(text))));

// Whoever has gone elsewhere meanwhile stays there.
function leadTo(hash, signal) {
    if (!signal.aborted) leaveFor(hash);
}

// A page that takes a token takes it out of the address, which others may see.
function takeToken(view, value) {
    if (value) replaceAddress(address(view));
    return value;
}

export function showLogin(panel, { params, signal }) {
    const then = params.get("then");
    card(panel, t("login"),
        form([email(), password(), submitButton(t("login"), "user")], async ({ email: name, password: secret }) => {
            await login(name, secret);
            note(t("welcome", { name: nameOf(user()?.name, user()?.userID) }));
            leadTo(then ? `#${then}` : address("latest"), signal);
        }),
        links(site.registration !== "closed" && ["register", "register", { then }], ["forgot", "forgot"]));
}

// Where somebody was who signs up: the mail's link leads back there.
const THEN = "then";

export function showRegister(panel, { params }) {
    const then = params.get("then");
    if (site.registration === "closed") return card(panel, t("register"), el("p", {}, t("error.REGISTRATION CLOSED")), links(["login", "login"]));
    const invited = site.registration === "invited";
    card(panel, t("register"),
        form([
            field("name", line({ required: true, autocomplete: "nickname" })), email(), newPassword(),
            invited && field("invitation", line({ required: true, value: params.get("invitation") ?? "" })),
            submitButton(t("register"), "user"),
        ], async (values, key) => {
            await write("register", { ...values, language: language() }, key);
            remember(THEN, then);
            card(panel, t("register.sent"), el("p", {}, t("register.sentText", { email: values.email })));
        }),
        links(["login", "login", { then }]));
}

/** The page that the mail of a registration, or of a new address, leads to. */
export function showConfirm(panel, { view, value, signal }) {
    const token = takeToken(view, value);
    card(panel, t("confirm"), el("p", {}, t("confirm.text")),
        form([tokenField(token), password(), submitButton(t("confirm"))], async (values, key) => {
            await begin(await write("confirmEmail", values, key));
            note(t("welcome", { name: nameOf(user()?.name, user()?.userID) }));
            const then = remembered(THEN);
            remember(THEN, null);
            leadTo(then ? `#${then}` : address("latest"), signal);
        }));
}

export function showForgot(panel) {
    card(panel, t("forgot"), el("p", {}, t("forgot.text")),
        form([email(), submitButton(t("send"), "send")], async (values, key) => {
            await write("requestPasswordReset", values, key);
            card(panel, t("forgot.sent"), el("p", {}, t("forgot.sentText", { email: values.email })), links(["resetPassword", "reset.withToken"]));
        }),
        links(["login", "login"]));
}

/** The page that the mail of a forgotten password leads to. */
export function showReset(panel, { view, value, signal }) {
    const token = takeToken(view, value);
    card(panel, t("reset"),
        form([tokenField(token), newPassword(), submitButton(t("save"))], async (values, key) => {
            await begin(await write("resetPassword", values, key));
            note(t("saved"));
            leadTo(address("latest"), signal);
        }));
}

const tokenField = (token) => field("token", input("text", { required: true, value: token, autocomplete: "off", spellcheck: "false" }));

// One's own ----------------------------------------------------------------------------------------------------------

export async function showMe(panel, { signal }) {
    if (!user()) return go(address("login", "", { then: "me" }));
    fill(panel, waiting());
    try {
        profile(panel, await read("getMe", {}, signal));
    } catch (error) {
        if (!signal.aborted) unread(panel, error, { retry: renew });
    }
}

function profile(panel, me) {
    card(panel, t("profile"),
        el("div", { class: "user-head" }, avatar(nameOf(me.name, me.userID), me.icon, "avatar large"),
            el("div", {}, el("p", { class: "author", dir: "auto" }, nameOf(me.name, me.userID)), el("p", { class: "facts" }, me.email),
                el("p", { class: "actions" }, linkButton(address("user", me.userID), "book", t("diary.own"), "button small"),
                    linkButton(address("drafts"), "pen", t("drafts"), "button small")))),
        me.photoQuota !== undefined && el("ul", { class: "numbers" },
            el("li", {}, el("strong", {}, formatNumber(me.reward)), ` ${t("reward")}`),
            el("li", {}, t("space", { used: megabytes(me.photoBytes), of: me.photoQuota ? megabytes(me.photoQuota) : "∞" }))),
        section("name", [field("name", line({ required: true, value: me.name ?? "" }))],
            async ({ name }, key) => {
                await write("updateUser", { name }, key);
                await changed();
            }),
        iconForm(me),
        section("changePassword", [accountName(), password(), newPassword("newPassword")],
            async (values, key) => {
                await write("changePassword", values, key);
                await changed();
            }),
        section("changeEmail", [email(), password()], async (values, key) => {
            await write("changeEmail", values, key);
            note(t("changeEmail.sent"));
        }),
        el("div", { class: "form-end" },
            el("button", { type: "button", class: "button", onclick: leave }, icon("logout"), el("span", {}, t("logout"))),
            el("button", { type: "button", class: "button danger", onclick: removeUser }, icon("trash"), el("span", {}, t("deleteUser")))));
}

const megabytes = (bytes) => `${formatNumber(Math.round(bytes / 1024 / 1024))} MiB`;

const section = (name, fields, send) => el("details", { class: "settings" }, el("summary", {}, t(`settings.${name}`)),
    form([...fields, submitButton(t("save"))], send));

async function changed() {
    await loadUser();
    note(t("saved"));
}

function iconForm(me) {
    const chooser = input("file", { accept: "image/*", required: true });
    return section("icon", [field("icon", chooser), me.icon && el("button", { type: "button", class: "button small", onclick: noIcon }, t("icon.remove"))], async () => {
        await upload("updateUser", { icon: chooser.files[0] }, { key: newKey() });
        await changed();
        go(address("me"));
    });
}

async function noIcon() {
    try {
        await write("updateUser", { icon: "" });
        await changed();
        go(address("me"));
    } catch (error) {
        complain(error, noIcon);
    }
}

function removeUser() {
    const me = user().userID;
    ask(t("deleteUser"), [el("p", {}, t("deleteUser.text")), accountName(), password()], async (values, key) => {
        await write("deleteUser", values, key);
        uploads.dropOf(me);
        await drafts.removeAll(me);
        sessionEnded();
        leaveFor(address("latest"));
    }, { submit: submitButton(t("deleteUser"), "trash", "button danger") });
}
