// The vote of a new entry, as its fields have it.

export const CHOICES = 10;

const choicesOf = (values) => Array.from({ length: CHOICES }, (_, i) => values[`choice${i + 1}`]?.trim() ?? "");

/** The number of the last choice with a text. */
export const lastChoice = (values) => choicesOf(values).findLastIndex(Boolean) + 1;

/** Whether something of a vote is typed. */
export const isBegun = (values) => Boolean(values.voteDescription?.trim()) || lastChoice(values) > 0;

/** What addVote takes; null where something is missing. */
export function voteParams(values) {
    const given = choicesOf(values).filter(Boolean);
    if (!values.voteDescription?.trim() || given.length < 2) return null;
    return { description: values.voteDescription.trim(), ...Object.fromEntries(given.map((text, i) => [`choice${i + 1}`, text])) };
}
