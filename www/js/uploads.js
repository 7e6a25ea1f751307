// The photos that this page has on their way. They go on whatever view is shown.

import { Refusal, upload } from "./api.js";
import { onUser, sessionEnded, user } from "./session.js";
import { site } from "./site.js";
import { UploadQueue } from "./upload_queue.js";

async function send({ name, file, key }, options) {
    if (file.size > site.photoSize) throw new Refusal("PHOTO TOO LARGE", 0);
    return upload("addPhoto", { ...name, photo: file }, { key, ...options });
}

/** The queue of this page. */
export const uploads = new UploadQueue({
    send, account: () => user()?.userID, onlogout: sessionEnded,
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
});

// Where photos were taken that have arrived, by the address of their piece.
const places = new Map();

uploads.watch((one) => {
    if (one?.state === "arrived" && one.answer.Location) places.set(one.where, [...placesAt(one.where), one.answer.Location]);
});

/** Where photos of a piece were taken, of those that arrived since forgetPlaces(). @returns {{lat: number, lng: number}[]} */
export const placesAt = (where) => places.get(where) ?? [];

/** The author has decided on them. */
export const forgetPlaces = (where) => places.delete(where);

/** Resolves when no upload of this account is under way, or when an upload waits for its owner or for the network. */
export const settled = () => new Promise((resolve) => {
    const ending = new AbortController();
    const look = () => {
        const isGoing = uploads.list().some(({ state }) => state === "waiting" || state === "sending");
        if (isGoing && !uploads.list().some(({ state }) => state === "stopped" || state === "again")) return;
        ending.abort();
        resolve(undefined);
    };
    uploads.watch(look, ending.signal);
    look();
});

onUser(() => uploads.resume());
addEventListener("online", uploads.wake);
addEventListener("pageshow", uploads.wake);
document.addEventListener("visibilitychange", () => { if (!document.hidden) uploads.wake(); });

// Who closes the page while photos are on their way is asked.
addEventListener("beforeunload", (event) => { if (uploads.isBusyForAnyone()) event.preventDefault(); });
