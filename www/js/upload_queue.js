// Photos on their way: one after the other, in the order in which somebody chose them. A request that got no answer is sent again by
// itself, with the same key, so that each photo arrives once. Knows neither the document nor the network.

import { isKnown } from "./drafts.js";
import { isDecided, newKey, NoAnswer, Refusal } from "./refusal.js";

const PAUSES = [1000, 4000, 15_000, 60_000];                    // before the next tries, in milliseconds; the last one from then on
const OF_FILE = ["PHOTO TOO LARGE", "PHOTO NOT READABLE"];      // refusals that hold for a file at any time

/**
 * @typedef {object} Upload
 * @property {number} account the user who chose the file
 * @property {string} where the address of its piece: "#album=4"
 * @property {Record<string, any>} name the piece in the interface: {albumID: 4}
 * @property {File} file
 * @property {"waiting" | "sending" | "again" | "stopped" | "refused" | "arrived"} state "again": no answer came; "stopped":
 *     the service refused the photo, and later photos of the piece wait; "refused": the file has a fault
 * @property {number} part the sent share of the file, 0 to 1
 * @property {string} key
 * @property {number} at the time of the first request with this key, in milliseconds since the epoch; 0 before that request
 * @property {any} error of the last request
 * @property {any} answer of the service
 * @property {AbortController | null} request the running request
 */

const isPending = ({ state }) => state !== "arrived" && state !== "refused";

/**
 * @typedef {object} Means
 * @property {(one: Upload, options: {onprogress: (part: number) => void, signal: AbortSignal}) => Promise<any>} send resolves to the
 *     answer; rejects with NoAnswer or Refusal
 * @property {() => number | undefined} account who is logged in
 * @property {() => void} onlogout the service knows the session no more
 * @property {(milliseconds: number) => Promise<any>} sleep
 * @property {() => number} [clock] in milliseconds since the epoch
 */

/** The uploads of a page. Methods without an account as parameter are about the account that is logged in. */
export class UploadQueue {
    /** @type {Upload[]} */
    #all = [];
    /** @type {Set<(one: Upload | null) => void>} */
    #listeners = new Set();
    #isWorking = false;
    #failures = 0;    // in a row
    #wake = () => {};

    /** @param {Means} means */
    constructor({ clock = Date.now, ...means }) {
        this.means = { ...means, clock };
    }

    /** Sends files to a piece, after all that are on their way. */
    add(where, name, files) {
        const account = this.means.account();
        if (!this.isBusy()) this.#all = this.#all.filter((one) => one.account !== account || one.state === "refused");
        for (const file of files) {
            this.#all.push({ account, where, name, file, state: "waiting", part: 0, key: newKey(), at: 0, error: null, answer: null, request: null });
        }
        this.#tell();
        this.#work();
    }

    /** The uploads since the queue was last idle, in the order of choosing; with an address only the uploads of its piece. */
    list(where = "") {
        return this.#all.filter((one) => one.account === this.means.account() && (!where || one.where === where));
    }

    /** Those that have not arrived and may yet. */
    pending = (where = "") => this.list(where).filter(isPending);

    /** Whether there are such. */
    isBusy = (where = "") => this.pending(where).length > 0;

    /** Whether anyone has such. */
    isBusyForAnyone = () => this.#all.some(isPending);

    /** Tries one again that was refused. */
    retry(one) {
        this.#set(one, { state: "waiting", error: null });
        this.#work();
    }

    /** Gives one up. */
    drop = (one) => this.#dropAll((other) => other === one);

    /** Gives up all that go to a piece. */
    dropAt = (where) => this.#dropAll((one) => one.where === where);

    /** Gives up all of an account. */
    dropOf = (account) => this.#dropAll((one) => one.account === account);

    /** Forgets what has arrived; `withRefused`: and what was refused. */
    clear({ withRefused = false } = {}) {
        const over = this.list().filter((one) => one.state === "arrived" || (withRefused && one.state === "refused"));
        this.#dropAll((one) => over.includes(one));
    }

    /** Tries at once what waits for its next try. */
    wake = () => this.#wake();

    /** After a login or logout: uploads of other accounts wait until their owners log in. */
    resume() {
        for (const one of this.#all) {
            if (one.state !== "sending" || one.account === this.means.account()) continue;
            one.request?.abort();
            this.#set(one, { state: "waiting", request: null });
        }
        this.#wake();
        this.#tell();
        this.#work();
    }

    /** Calls with each upload that changes, and with null when others come or go. Ends with the signal, if there is one. */
    watch(listener, signal = null) {
        this.#listeners.add(listener);
        signal?.addEventListener("abort", () => this.#listeners.delete(listener));
    }

    #tell(one = null) {
        for (const listener of this.#listeners) listener(one);
    }

    #set(one, members) {
        this.#tell(Object.assign(one, members));
    }

    #dropAll(isMeant) {
        const gone = this.#all.filter(isMeant);
        this.#all = this.#all.filter((one) => !gone.includes(one));
        for (const one of gone) one.request?.abort();
        this.#wake();
        this.#tell();
        this.#work();
    }

    // A stopped upload holds up the later uploads of its piece, so that the photos keep their order.
    #next = () => this.list().find((one) => (one.state === "waiting" || one.state === "again")
        && !this.list(one.where).some(({ state }) => state === "stopped"));

    async #work() {
        if (this.#isWorking) return;
        this.#isWorking = true;
        for (let one; (one = this.#next());) await this.#attempt(one);
        this.#isWorking = false;
        this.#tell();
    }

    async #attempt(one) {
        const { send, clock } = this.means;
        // The service may have forgotten the key, and not the photo.
        if (one.at && !isKnown(one, clock())) return this.#fail(one, new Refusal("UPLOAD UNKNOWN", 0));
        const request = new AbortController();
        this.#set(one, { state: "sending", part: 0, request, at: one.at || clock() });
        try {
            const answer = await send(one, { signal: request.signal, onprogress: (part) => this.#set(one, { part }) });
            this.#failures = 0;
            if (!request.signal.aborted) this.#set(one, { state: "arrived", answer, error: null, request: null });
        } catch (error) {
            if (!request.signal.aborted) await this.#fail(one, error);
        }
    }

    async #fail(one, error) {
        const fresh = isDecided(error) ? { key: newKey(), at: 0 } : {};
        const failed = (state) => this.#set(one, { state, error, request: null, ...fresh });
        if (error.info === "LOGIN REQUIRED") {
            failed("waiting");
            this.means.onlogout();
        } else if (error instanceof NoAnswer || error.info === "TOO MANY ATTEMPTS") {
            failed("again");
            await this.#pause();
        } else failed(OF_FILE.includes(error.info) ? "refused" : "stopped");
    }

    #pause() {
        const woken = new Promise((resolve) => { this.#wake = () => resolve(undefined); });
        return Promise.race([woken, this.means.sleep(PAUSES[Math.min(this.#failures++, PAUSES.length - 1)])]);
    }
}
