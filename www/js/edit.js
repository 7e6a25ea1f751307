// Editing a thing that others change meanwhile: what its fields were, what they are in the form, what is stored now.
// Knows neither the document nor the network.

/**
 * @typedef {Record<string, string>} Values the texts of the fields by their names; a missing one is ""
 * @typedef {string[]} Field the names of the values that change together
 * @typedef {object} Edit
 * @property {Values} base what each field was when its editing began
 * @property {Values} values what each field is now
 * @property {number | null} version of the thing that was read last; null before there is a thing
 * @typedef {object} Stored
 * @property {Values} values
 * @property {number | null} version
 */

const TOGETHER = [["lat", "lng"], ["year", "month", "day"]];

/**
 * The fields that these names make.
 * @param {string[]} names
 * @returns {Field[]}
 */
export function fieldsOf(names) {
    const several = TOGETHER.filter((field) => field.every((name) => names.includes(name)));
    const single = names.filter((name) => !several.flat().includes(name));
    return [...several, ...single.map((name) => [name])];
}

/** Whether a field is the same in both. */
export const isSame = (field, one, other) => field.every((name) => (one[name] ?? "") === (other[name] ?? ""));

const take = (field, from) => Object.fromEntries(field.map((name) => [name, from[name] ?? ""]));

/** The edit of a thing as it was read. */
export const begun = ({ values, version }) => ({ base: { ...values }, values: { ...values }, version });

/** The fields that an edit changes. */
export const changesOf = (fields, { base, values }) => fields.filter((field) => !isSame(field, base, values));

/**
 * Puts an edit upon what is stored now. A field that was changed here alone stays, one that was changed there alone follows.
 * A field that was changed in both places is in conflict. Its base then stays until resolved() is told which one to keep, and
 * so does the version, by which the service refuses the edit until then.
 * @param {Field[]} fields
 * @param {Edit} edit
 * @param {Stored} stored
 * @returns {{edit: Edit, conflicts: Field[]}}
 */
export function rebased(fields, edit, stored) {
    const base = { ...edit.base };
    const values = { ...edit.values };
    const conflicts = [];
    for (const field of fields) {
        const mine = !isSame(field, edit.base, edit.values);
        const theirs = !isSame(field, edit.base, stored.values);
        if (mine && theirs && !isSame(field, edit.values, stored.values)) conflicts.push(field);
        else Object.assign(base, take(field, stored.values));
        if (!mine) Object.assign(values, take(field, stored.values));
    }
    return { edit: { base, values, version: conflicts.length ? edit.version : stored.version }, conflicts };
}

/**
 * Ends the conflict of a field.
 * @param {Field[]} fields
 * @param {Edit} edit
 * @param {Stored} stored what the field is in conflict with
 * @param {Field} field
 * @param {boolean} mine whether the form's text stays; else the stored text takes its place
 * @returns {{edit: Edit, conflicts: Field[], dropped: Values}} the conflicts that are left, and the text that was not kept
 */
export function resolved(fields, edit, stored, field, mine) {
    const [theirs, own] = [take(field, stored.values), take(field, edit.values)];
    const base = { ...edit.base, ...theirs };
    const values = mine ? edit.values : { ...edit.values, ...theirs };
    return { ...rebased(fields, { ...edit, base, values }, stored), dropped: mine ? theirs : own };
}

/**
 * What a form has after a write, while which somebody may have typed on.
 * @param {Field[]} fields
 * @param {Edit} sent the edit that the write began with
 * @param {Values} now what the form has
 * @param {Stored} stored
 */
export const caughtUp = (fields, sent, now, stored) => rebased(fields, { ...sent, base: sent.values, values: now }, stored);
