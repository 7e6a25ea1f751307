// Records that are there as long as the page is: for a browser that keeps nothing. Nobody changes a record in its place.

/** @returns {import("./drafts.js").Store} */
export function memoryStore() {
    const accounts = new Map();
    let last = Promise.resolve();
    const recordsOf = (account) => {
        if (!accounts.has(account)) accounts.set(account, new Map());
        const records = accounts.get(account);
        return {
            get: async (id) => records.get(id),
            all: async () => [...records.values()],
            put: (one) => records.set(one.id, one),
            remove: (id) => records.delete(id),
        };
    };
    const change = (account, work) => {
        const done = last.then(() => work(recordsOf(account)));
        last = done.catch(() => {});
        return done;
    };
    return {
        change,
        put: (one) => change(one.account, async (records) => records.put(one)),
        remove: (account, id) => change(account, async (records) => records.remove(id)),
        isLasting: async () => false,
    };
}
