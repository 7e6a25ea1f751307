// What a first view does without: the views beside the lists and the map, parts of them, and the dialog to log in. Their modules are
// loaded once somebody asks for one, or once the page is idle.

import { NoAnswer } from "./refusal.js";
import { renew } from "./router.js";
import { unread } from "./unread.js";

// What the view of a piece needs: a browser would learn that module by module, and wait for each.
const OF_PIECE = [
    "./editor.js", "./formula.js", "./paste.js", "./style_sheet.js", "./trusted.js", "./viewer.js", "./views/comments.js",
    "./views/report.js", "./views/vote.js", "../vendor/dompurify/purify.es.mjs",
];

function loadPiece() {
    for (const name of OF_PIECE) import(name).catch(() => {});    // whoever imports the view is told
    return import("./views/piece.js");
}

const MODULES = {
    account: () => import("./views/account.js"),
    albumForm: () => import("./views/album_form.js"),
    drafts: () => import("./views/drafts.js"),
    loginDialog: () => import("./login_dialog.js"),
    photoDesk: () => import("./views/photo_desk.js"),
    piece: loadPiece,
    user: () => import("./views/user.js"),
    write: () => import("./views/write.js"),
};
const failed = new Set();

/**
 * A view of such a module; its member `load` begins to load the module.
 * @param {keyof typeof MODULES} module
 * @param {string} name of the function that shows it
 */
export function later(module, name) {
    const show = async (panel, place) => {
        const loaded = await load(module);
        if (place.signal.aborted) return;
        if (loaded) await loaded[name](panel, place);
        else unread(panel, new NoAnswer(module), { retry: again(module) });
    };
    return Object.assign(show, { load: () => void load(module) });
}

/** The module; undefined if it cannot be loaded. */
export const load = (module) => MODULES[module]().catch((error) => console.warn(error));

// Some browsers keep in mind that a module could not be loaded.
function again(module) {
    const retry = failed.has(module) ? () => location.reload() : renew;
    failed.add(module);
    return retry;
}

/** Loads what is left, while nothing else is to be done. */
export function loadTheRest() {
    const whenIdle = window.requestIdleCallback ?? ((call) => setTimeout(call, 2000));
    whenIdle(() => Object.keys(MODULES).forEach(load));
}
