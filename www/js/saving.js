// Writing an edit to the service: once, and never over what its author has not seen. Knows neither the document nor the network.

import { changesOf, rebased } from "./edit.js";
import { Refusal } from "./refusal.js";

/**
 * @typedef {import("./edit.js").Edit} Edit
 * @typedef {import("./edit.js").Stored} Stored
 * @typedef {object} Way how an edit reaches the service
 * @property {(params: any, key: string) => Promise<any>} write
 * @property {(params: any) => Promise<string>} keyFor the key of a request: the same one for the same request until it is decided
 * @property {() => Promise<Stored>} read
 */

const MOST = 5;    // times that others are faster, until the author is told

/** The same field was changed here and there: the author decides. */
export class Conflict extends Refusal {
    /** @param {Edit} edit @param {import("./edit.js").Field[]} conflicts @param {Stored} there */
    constructor(edit, conflicts, there) {
        super("CHANGED MEANWHILE", 200);
        this.edit = edit;
        this.conflicts = conflicts;
        this.there = there;
    }
}

/**
 * Sends what an edit changes.
 * @param {{fields: import("./edit.js").Field[], paramsOf: (edit: Edit) => any}} kind
 * @param {Edit} edit
 * @param {Way} way
 * @returns {Promise<Stored>} what is stored now
 */
export async function send(kind, edit, way) {
    let current = edit;
    for (let n = 0; changesOf(kind.fields, current).length; n++) {
        const params = kind.paramsOf(current);
        try {
            await way.write(params, await way.keyFor(params));
            return { values: current.values, version: current.version + 1 };
        } catch (error) {
            if (error.info !== "CHANGED MEANWHILE" || n === MOST) throw error;
        }
        const there = await way.read();
        const { edit: next, conflicts } = rebased(kind.fields, current, there);
        if (conflicts.length) throw new Conflict(next, conflicts, there);
        current = next;
    }
    return { values: current.values, version: current.version };
}
