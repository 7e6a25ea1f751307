// What somebody types is kept by this browser until the service has it: for an account, a thing and a tab. The key of a request
// that got no answer is kept with it, so that nothing is written twice after the page was closed.
// Knows neither the document nor the network: the store, the clock and the other tabs are given.

import { isDecided, newKey } from "./refusal.js";

const KEY_LIVES = 23 * 3600_000;          // in milliseconds; the service knows a key for a day
const ASIDE_LIVES = 30 * 24 * 3600_000;   // in milliseconds

/**
 * @typedef {object} Post a request that makes a thing
 * @property {Record<string, any>} params
 * @property {string} key
 * @property {number} at when it was first sent, in milliseconds since the epoch
 *
 * @typedef {object} Draft
 * @property {string} id
 * @property {number} account whose it is
 * @property {string} thing what is written, such as "blog.new", "blog.reply.3", "blog.7"
 * @property {string} tab which tab has it open, or had it
 * @property {number} times how often the account's drafts had been deleted when it was opened; another number, and it is deleted, too
 * @property {number} at when it was last kept, in milliseconds since the epoch
 * @property {any} [edit] what is typed
 * @property {Post} [post] the post that nobody knows the end of
 * @property {{asked: string, key: string}} [sent] a request that is not decided
 * @property {string} [where] the address of the form
 * @property {number} [until] when the text is forgotten that something else took the place of
 *
 * @typedef {object} Records of one account, in a transaction: nobody else reads or writes meanwhile
 * @property {(id: string) => Promise<any>} get
 * @property {() => Promise<any[]>} all
 * @property {(record: any) => void} put
 * @property {(id: string) => void} remove
 *
 * @typedef {object} Store
 * @property {(account: number, work: (records: Records) => Promise<any>) => Promise<any>} change resolves when the work is on the disk
 * @property {(record: any) => Promise<any>} put at once, also by a page that goes away; resolves when it is on the disk
 * @property {(account: number, id: string) => Promise<any>} remove
 * @property {() => Promise<boolean>} isLasting whether the records are there after the page was closed
 *
 * @typedef {object} Tabs
 * @property {string} id this one
 * @property {string} before the one that this one was before it was loaded anew; "" for none
 * @property {(work: (isGone: (tab: string) => boolean) => Promise<any>) => Promise<any>} alone works while no other tab does so
 */

/** Whether the service still knows a post's key. A clock that was put back tells nothing. */
export const isKnown = ({ at }, now = Date.now()) => now - at >= 0 && now - at < KEY_LIVES;

const CLEARED = "cleared";    // the record that counts how often an account's drafts were deleted

const cleared = async (records) => (await records.get(CLEARED))?.times ?? 0;

// All of an account, the latest first. What is over goes for good.
async function current(records, now) {
    const times = await cleared(records);
    const all = (await records.all()).filter(({ id }) => id !== CLEARED);
    const isOver = (one) => one.times !== times || one.until < now;
    for (const { id } of all.filter(isOver)) records.remove(id);
    return all.filter((one) => !isOver(one)).sort((one, other) => other.at - one.at);
}

/**
 * The drafts of a browser.
 * @param {Store} store
 * @param {Tabs} tabs
 * @param {() => number} clock in milliseconds since the epoch
 */
export function draftsOf(store, tabs, clock = Date.now) {
    // A tab that is gone leaves its draft to the next one that opens the thing: first of all to the one that took its place.
    function chosen(of, isGone, wanted) {
        const free = of.filter(({ tab, until }) => !until && (tab === tabs.id || isGone(tab)));
        return free.find(({ id }) => id === wanted) ?? free.find(({ tab }) => tab === tabs.before) ?? free[0];
    }

    /**
     * Opens the draft of a thing, or a new one, which is stored as soon as it has something.
     * @param {number} account
     * @param {string} thing
     * @param {{wanted?: string, where?: string}} [options] wanted: the draft to take if there are several
     * @returns {Promise<ReturnType<typeof handle>>}
     */
    const open = (account, thing, { wanted = "", where = "" } = {}) => tabs.alone((isGone) => store.change(account, async (records) => {
        const of = (await current(records, clock())).filter((one) => one.thing === thing);
        const found = chosen(of, isGone, wanted);
        const draft = { id: newKey(), account, thing, at: 0, times: await cleared(records), ...found, tab: tabs.id, where };
        if (found) records.put(draft);
        return handle(store, clock, draft, of.filter((one) => one.id !== draft.id).length);
    }));

    /** All of an account, the latest first; `isOpen` says which are open in another tab. */
    const list = (account) => tabs.alone((isGone) => store.change(account, async (records) => (await current(records, clock()))
        .map((one) => ({ ...one, isOpen: !one.until && one.tab !== tabs.id && !isGone(one.tab) }))));

    const remove = (account, id) => store.remove(account, id);

    /** Deletes all of an account, with what its open forms still keep. */
    const removeAll = (account) => store.change(account, async (records) => {
        for (const { id } of await current(records, clock())) records.remove(id);
        records.put({ id: CLEARED, account, times: await cleared(records) + 1 });
    });

    /** Keeps a text that another one took the place of, for 30 days. */
    const setAside = (account, { thing, where, values }) => store.change(account, async (records) => {
        const at = clock();
        records.put({ id: newKey(), account, times: await cleared(records), thing, where, tab: "", at, until: at + ASIDE_LIVES, edit: { base: {}, values, version: null } });
    });

    return { open, list, remove, removeAll, setAside };
}

/**
 * A draft that is open.
 * @param {Store} store
 * @param {() => number} clock
 * @param {any} draft
 * @param {number} others how many more drafts the thing has
 */
function handle(store, clock, draft, others) {
    let now = draft;
    let isKept = draft.at > 0;
    let last = Promise.resolve(false);

    // Each write is of all that there is when its turn comes.
    const write = async () => {
        if (isKept) await store.put(now);
        else await store.remove(now.account, now.id);
        return isKept && store.isLasting();
    };
    const save = () => (last = last.then(write).catch(() => false));

    return {
        others,
        account: draft.account,
        /** What is kept, or will be in a moment. @returns {Draft} */
        get: () => now,
        /** Whether there is something to keep. */
        exists: () => isKept,
        /** Keeps these members with the others. Resolves to whether they are on the disk. */
        keep(members) {
            now = { ...now, ...members, at: clock() };
            isKept = true;
            return save();
        },
        /** Nothing is left to keep. */
        forget() {
            const { id, account, thing, tab, times, where } = now;
            now = { id, account, thing, tab, times, where, at: 0 };
            isKept = false;
            return save();
        },
        /** The key for these parameters: the same one until an answer comes. */
        async keyFor(params) {
            const asked = JSON.stringify(params);
            if (now.sent?.asked !== asked) now = { ...now, sent: { asked, key: newKey() } };
            const { key } = now.sent;
            await this.keep({});
            return key;
        },
        /** What was decided is over; the next attempt is a new one. */
        failed(error) {
            if (isDecided(error) && (now.sent || now.post)) this.keep({ sent: undefined, post: undefined });
        },
    };
}
