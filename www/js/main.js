// The page begins here: texts, map, and a view for each address.

import { read, whenLoginIsRequired } from "./api.js";
import { isSeen } from "./characters.js";
import { button, byId, el, fill, isWaiting, linkButton, query, queryAll } from "./dom.js";
import { forgetFeeds } from "./feeds.js";
import { later, load, loadTheRest } from "./later.js";
import { lifetime, nextView } from "./lifetime.js";
import { onMoved, startMap } from "./map.js";
import { announce, complain, watchNetwork, watchVisibleArea } from "./notes.js";
import { line } from "./people.js";
import { readPieceAhead } from "./piece_reads.js";
import { address, here, isKind, isList, renew, startRouter } from "./router.js";
import { loadUser, logInHere, onUser, user } from "./session.js";
import { loadSite, siteTitle } from "./site.js";
import { nextTask } from "./tasks.js";
import { chooseLanguage, language, LANGUAGES, loadTexts, t } from "./texts.js";
import * as explore from "./views/explore.js";
import { startUploadBar } from "./views/upload_bar.js";
import { isWhole } from "./whole.js";

const showPiece = later("piece", "showPiece");
const VIEWS = {
    latest: explore.showLatest, map: explore.showMap, search: explore.showSearch, near: explore.showNear,
    blog: showPiece, album: showPiece, POI: showPiece, user: later("user", "showUser"),
    write: later("write", "showWrite"), "album-edit": later("albumForm", "showAlbumForm"),
    login: later("account", "showLogin"), register: later("account", "showRegister"), forgot: later("account", "showForgot"),
    confirmEmail: later("account", "showConfirm"), resetPassword: later("account", "showReset"),    // as mails call them
    me: later("account", "showMe"), drafts: later("drafts", "showDrafts"),
};
const READING_MAP = ["latest", "map", "search", "near", "user"];    // views that say what the map shows
const PATIENCE = 3000;    // milliseconds
const OWN = ["write", "album-edit", "me", "drafts"];    // views of one account

const panel = byId("panel");
const places = new Map();    // how far lists were scrolled, and how many rows they had, by their address
let before = null;           // the address that is left

/** @param {boolean} [anew] whether what is shown already is read once more */
async function show(now, anew = false) {
    if (!Object.hasOwn(VIEWS, now.view)) return show({ view: "latest", value: "", params: new URLSearchParams() });
    const samePiece = isKind(now.view) && before?.view === now.view && before.value === now.value && !anew;
    if (!samePiece) leave();
    const signal = samePiece ? lifetime() : nextView();
    const previous = before;
    before = { ...now, hash: location.hash };
    if (!samePiece) document.title = siteTitle();
    panel.className = `view-${now.view}`;
    if (!samePiece) begin(now, signal);
    await (isWhole(now) ? VIEWS[now.view] : explore.showUnfinished)(panel.firstElementChild, { ...now, signal, rows: rowsOf(previous) });
    if (!samePiece && !anew && previous && !signal.aborted) arrive(previous);
}

// Each view has an element of its own: what comes too late has no place in the next one.
function begin({ view }, signal) {
    fill(panel, el("div"));
    if (READING_MAP.includes(view)) return;
    explore.completeMap(signal);
    onMoved(() => explore.refreshMap({}, signal), signal);
}

function leave() {
    if (before && isList(before.view)) places.set(before.hash, { top: scroller().scrollTop, rows: queryAll(panel, ".cards > li").length });
    forgetFeeds();
}

// Who comes back from a piece finds the list as long as it was.
const rowsOf = (previous) => (previous && isKind(previous.view) ? places.get(location.hash)?.rows ?? 0 : 0);

// On a phone the page scrolls, on wider windows the panel does.
const scroller = () => (matchMedia("(min-width: 800px)").matches ? panel : document.documentElement);

// The focus goes where the news is: to the link that was followed where one comes back to a list, else to the heading.
function arrive(previous) {
    if (panel.contains(document.activeElement)) return;
    const back = isList(before.view) && isKind(previous.view)
        && query(panel, `a[href="${CSS.escape(address(previous.view, previous.value))}"]`);
    const target = back || query(panel, "h1");
    scroller().scrollTop = back ? places.get(before.hash)?.top ?? 0 : 0;
    target?.focus({ preventScroll: true });
    if (!back) announce(target?.textContent ?? "");
}

// The frame ----------------------------------------------------------------------------------------------------------

function drawFrame() {
    for (const element of queryAll(document, "[data-text]")) element.textContent = t(element.dataset.text);
    for (const element of queryAll(document, "[data-label]")) element.setAttribute("aria-label", t(element.dataset.label));
    byId("site-name").textContent = siteTitle();
    fill(byId("actions"),
        linkButton(address("write"), "pen", t("write"), "button primary small"),
        user() && linkButton(address("album-edit"), "photos", t("album.add"), "icon-button labelled"),
        user() ? linkButton(address("me"), "user", isSeen(user().name) ? line(user().name) : t("profile"), "icon-button labelled")
            : loginLink(),
        otherLanguage());
}

// Whoever logs in comes back to what is shown.
function loginLink() {
    const link = linkButton(address("login"), "user", t("login"), "icon-button labelled");
    link.addEventListener("click", () => {
        const { view, value } = here();
        link.href = address("login", "", { then: isKind(view) || isList(view) ? address(view, value).slice(1) : undefined });
    });
    return link;
}

function otherLanguage() {
    const other = Object.keys(LANGUAGES).find((name) => name !== language());
    return button("globe", LANGUAGES[other], () => {
        chooseLanguage(other);
        location.reload();
    }, { className: "icon-button", text: false, lang: other });
}

function skipToPanel(event) {
    event.preventDefault();
    panel.focus();
}

function keepFromWaiting(event) {
    if (!isWaiting(event.target)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
}

async function start() {
    // All that the first view needs is asked for at once.
    const asked = loadUser();
    const siteLoaded = loadSite().then(() => null, (error) => error);
    // Who comes without an address sees where most is, unless that takes too long.
    const begins = location.hash ? null : read("getStart", {}, AbortSignal.timeout(PATIENCE)).catch(() => null);
    if (here().view === "latest") explore.readLatestAhead(here());
    if (isKind(here().view) && isWhole(here())) readPieceAhead(here());
    VIEWS[here().view]?.load?.();
    await loadTexts();
    watchNetwork();
    watchVisibleArea();
    const fault = await siteLoaded;
    if (fault) complain(fault, () => location.reload());
    drawFrame();
    const box = await begins;
    await nextTask();
    startMap(box);
    query(document, "[data-skip]").addEventListener("click", skipToPanel);
    document.addEventListener("click", keepFromWaiting, true);
    whenLoginIsRequired(() => logInHere(async () => (await load("loginDialog"))?.askToLogIn() ?? null));
    await asked;
    await nextTask();
    startUploadBar();
    let last = user()?.userID;
    onUser(({ isElsewhere }) => {
        drawFrame();
        const isOther = last !== undefined && last !== user()?.userID;
        last = user()?.userID ?? (isElsewhere ? undefined : last);
        // Nobody sees what somebody else has typed. Whose session has ended by itself goes on in the form.
        if (isKind(here().view) || (isOther && OWN.includes(here().view) && (user() || isElsewhere))) renew();
    });
    drawFrame();
    startRouter((now, anew) => show(now, anew).catch((error) => complain(error)));
    loadTheRest();
}

start().catch((error) => {
    console.error(error);
    fill(panel, el("p", { class: "nothing" }, "The map diary cannot be shown just now. 地圖日記暫時無法顯示。"));
});
