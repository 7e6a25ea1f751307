// What somebody types is kept by this browser until the service has it; and with it the key under which it was sent, so that
// what was sent before the page was closed is not written twice.

import { NoAnswer } from "./api.js";
import { forgetAll, remember, remembered } from "./memory.js";

/** Forgets the drafts of whoever used this browser before. */
export const forgetDrafts = () => forgetAll("draft.");

/**
 * The draft of a name, such as "blog.new".
 * @param {string} name
 */
export function draftOf(name) {
    const place = `draft.${name}`;
    const stored = () => remembered(place) ?? { values: {} };
    return {
        /** Whether there is one. */
        exists: () => remembered(place) !== null,
        values: () => stored().values,
        /** Keeps what is typed. */
        keep: (values) => remember(place, { ...stored(), values }),
        forget: () => remember(place, null),
        /**
         * What these parameters were sent as, where nobody knows what became of it; else what `make` makes of them, which is kept.
         * @template T
         * @param {object} params
         * @param {() => T} make
         * @returns {T}
         */
        sent(params, make) {
            const asked = JSON.stringify(params);
            const before = stored();
            const request = before.asked === asked ? before.request : make();
            remember(place, { ...before, asked, request });
            return request;
        },
        /** What was answered is over; the next attempt is a new one. */
        failed(error) {
            if (error instanceof NoAnswer) return;
            const { values } = stored();
            remember(place, { values });
        },
    };
}
