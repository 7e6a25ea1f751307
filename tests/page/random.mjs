// Numbers that look random, and are the same for the same seed.

/**
 * What makes whole numbers below `most` (mulberry32).
 * @param {number} seed
 * @returns {(most: number) => number}
 */
export function randomOf(seed) {
    let state = seed >>> 0;
    return (most) => {
        state = (state + 0x6d2b79f5) >>> 0;
        let t = state;
        t = Math.imul(t ^ (t >>> 15), t | 1);
        t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
        return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * most);
    };
}
