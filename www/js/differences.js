// Where two texts differ, word by word.

// How many words may differ until lines are compared, and lines until nothing is: the work grows with its square.
const MOST = 2000;

/** The words of a text, and what stands between them. */
export function wordsOf(text) {
    if (!Intl.Segmenter) return text.match(/[\p{L}\p{N}\p{M}]+|\s+|./gsu) ?? [];
    return Array.from(new Intl.Segmenter(undefined, { granularity: "word" }).segment(text), ({ segment }) => segment);
}

const linesOf = (text) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/**
 * The parts of two texts in the order of reading. Words that were changed side by side are one part.
 * @param {(one: string[], other: string[], options: any) => any[] | undefined} diffArrays of jsdiff
 * @param {string} one
 * @param {string} other
 * @returns {{text: string, side: "both" | "one" | "other"}[]}
 */
export function differences(diffArrays, one, other) {
    const compare = (partsOf) => diffArrays(partsOf(one), partsOf(other), { maxEditLength: MOST });
    const parts = compare(wordsOf) ?? compare(linesOf) ?? [{ removed: true, value: [one] }, { added: true, value: [other] }];
    /** @type {{text: string, side: "both" | "one" | "other"}[]} */
    const found = [];
    let change = ["", ""];
    const end = () => {
        if (change[0]) found.push({ text: change[0], side: "one" });
        if (change[1]) found.push({ text: change[1], side: "other" });
        change = ["", ""];
    };
    for (const [i, { value, added, removed }] of parts.entries()) {
        const text = value.join("");
        const isBetween = !added && !removed && /^[^\S\n]+$/.test(text) && i > 0 && i < parts.length - 1;
        if (removed || isBetween) change[0] += text;
        if (added || isBetween) change[1] += text;
        if (added || removed || isBetween) continue;
        end();
        found.push({ text, side: "both" });
    }
    end();
    return found;
}
