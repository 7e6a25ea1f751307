// The drafts of this browser: records in its database, and which tabs are there.

import { draftsOf } from "./drafts.js";
import { memoryStore } from "./memory_store.js";
import { newKey } from "./refusal.js";

// The records ----------------------------------------------------------------------------------------------------------

const STORE = "drafts";

function opened() {
    return new Promise((resolve, reject) => {
        const request = indexedDB.open("mapdiary", 1);
        request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: ["account", "id"] });
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
        request.onblocked = () => reject(new Error("blocked"));
    });
}

const answered = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
});

const recordsIn = (records, account) => ({
    get: (id) => answered(records.get([account, id])),
    all: () => answered(records.getAll(IDBKeyRange.bound([account], [account, []]))),
    put: (one) => { records.put(one); },
    remove: (id) => { records.delete([account, id]); },
});

// The work waits for requests of this transaction alone, as the database ends one that has nothing to do.
const inTransaction = (database, account, work) => new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, "readwrite");
    let result;
    transaction.oncomplete = () => resolve(result);
    transaction.onabort = () => reject(transaction.error ?? new Error("aborted"));
    work(recordsIn(transaction.objectStore(STORE), account)).then((value) => { result = value; }, (error) => {
        reject(error);
        transaction.abort();
    });
});

// Committed before its page may be gone: nothing is waited for in between.
const atOnce = (database, request) => new Promise((resolve, reject) => {
    const transaction = database.transaction(STORE, "readwrite");
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("aborted"));
    request(transaction.objectStore(STORE));
    transaction.commit();
});

/** @returns {import("./drafts.js").Store} */
function databaseStore() {
    const instead = memoryStore();
    let database = null;
    const there = () => (database ??= opened().then((one) => {
        one.onversionchange = one.onclose = () => { database = null; one.close(); };
        return one;
    }).catch(() => null));
    // A disk that is full, or a profile that is damaged: the page goes on without.
    const either = async (inDatabase, inMemory) => {
        const one = await there();
        if (!one) return inMemory();
        try {
            return await inDatabase(one);
        } catch (error) {
            console.warn(error);
            database = Promise.resolve(null);
            return inMemory();
        }
    };
    return {
        change: (account, work) => either((one) => inTransaction(one, account, work), () => instead.change(account, work)),
        put: (record) => either((one) => atOnce(one, (records) => records.put(record)), () => instead.put(record)),
        remove: (account, id) => either((one) => atOnce(one, (records) => records.delete([account, id])), () => instead.remove(account, id)),
        isLasting: async () => (await there()) !== null,
    };
}

// The tabs -------------------------------------------------------------------------------------------------------------

const TAB = "mapdiary.tab";
const GOING = 1000;    // milliseconds that the page before this one may take to be gone

const lockOf = (tab) => `${TAB}.${tab}`;

function tabBefore(id) {
    try {
        const before = sessionStorage.getItem(TAB) ?? "";
        sessionStorage.setItem(TAB, id);
        return before;
    } catch {
        return "";
    }
}

// A tab holds a lock as long as it is there. Without locks no other tab is known to be there: what it has open it keeps
// again with its next letter.
function tabsHere() {
    const id = newKey();
    const before = tabBefore(id);
    if (!navigator.locks) return { id, before, alone: (work) => work(() => true) };
    const hold = () => new Promise((resolve) => {
        navigator.locks.request(lockOf(id), () => new Promise((leave) => {
            addEventListener("pagehide", leave, { once: true });
            resolve();
        }));
    });
    let held = hold();
    addEventListener("pageshow", (event) => { if (event.persisted) held = hold(); });
    // The tab that was loaded anew may still be there for a moment; one that was copied stays.
    const left = before && navigator.locks.request(lockOf(before), { signal: AbortSignal.timeout(GOING) }, () => {}).catch(() => {});
    return {
        id, before,
        async alone(work) {
            await Promise.all([held, left]);
            return navigator.locks.request(TAB, async () => {
                const names = new Set((await navigator.locks.query()).held.map(({ name }) => name));
                return work((tab) => !names.has(lockOf(tab)));
            });
        },
    };
}

/** The drafts of this browser. */
export const drafts = draftsOf(databaseStore(), tabsHere());
