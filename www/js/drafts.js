// What somebody types is kept by this browser until the service has it. The key of a request that got no answer is kept with it,
// so that nothing is written twice after the page was closed.

import { isDecided, newKey } from "./api.js";
import { forgetAll, remember, remembered } from "./memory.js";

const KEY_LIVES = 23 * 3600_000;    // in milliseconds; the service knows a key for a day

/** Forgets the drafts of whoever used this browser before. */
export const forgetDrafts = () => forgetAll("draft.");

/**
 * @typedef {object} Post a request that makes a thing
 * @property {Record<string, any>} params
 * @property {string} key
 * @property {number} at when it was first sent, in milliseconds since the epoch
 */

/** Whether the service still knows a post's key. A clock that was put back tells nothing. */
export const isKnown = ({ at }) => Date.now() - at >= 0 && Date.now() - at < KEY_LIVES;

/**
 * The draft of one thing, such as "blog.new", "blog.reply.3", "blog.7".
 * @param {string} name
 */
export function draftOf(name) {
    const place = `draft.${name}`;
    const stored = () => remembered(place) ?? { values: {} };
    const change = (members) => remember(place, { ...stored(), ...members });
    return {
        /** What is typed. */
        values: () => stored().values,
        /** What was stored as the typing began. */
        base: () => stored().base,
        /** Drafts that began from something else than what is stored now: {values, base} each. */
        older: () => stored().older ?? [],
        /**
         * The post that nobody knows the end of.
         * @returns {Post | null}
         */
        post: () => stored().post ?? null,
        /** Keeps what is typed, with further members: base, older, post. Returns whether it is kept. */
        keep: (values, members = {}) => change({ values, ...members }),
        /** Forgets one of the older drafts. */
        drop(one) {
            const older = (stored().older ?? []).filter((other) => JSON.stringify(other) !== JSON.stringify(one));
            change({ older });
        },
        forget: () => remember(place, null),
        /** Forgets what is typed, as it is stored now; older drafts stay. */
        done() {
            const { older } = stored();
            remember(place, older?.length ? { values: {}, older } : null);
        },
        /** The key for these parameters: the same one until an answer comes. */
        keyFor(params) {
            const asked = JSON.stringify(params);
            const { sent } = stored();
            if (sent?.asked === asked) return sent.key;
            const key = newKey();
            change({ sent: { asked, key } });
            return key;
        },
        /** What was decided is over; the next attempt is a new one. */
        failed(error) {
            if (isDecided(error)) change({ sent: undefined, post: undefined });
        },
    };
}
