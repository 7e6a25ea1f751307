// A piece that is being written: its draft upon what is stored, what was typed, what others changed meanwhile, and its sending.
// Knows neither the document nor the network.

import { isKnown } from "./drafts.js";
import { begun, caughtUp, changesOf, rebased, resolved } from "./edit.js";
import { tidy, updateParams } from "./kinds.js";
import { newKey, Refusal } from "./refusal.js";
import { address } from "./router.js";
import { Conflict, send } from "./saving.js";
import { isBegun, voteParams } from "./vote_params.js";

/**
 * @typedef {object} Way how a piece is written and read
 * @property {(func: string, params: any, key: string) => Promise<any>} write
 * @property {(kind: any, id: string | number) => Promise<import("./edit.js").Stored>} read
 *
 * @typedef {object} Work
 * @property {import("./kinds.js").Kind} kind
 * @property {string | number} id of the stored piece; "" before there is one
 * @property {any} drafts of this browser
 * @property {any} draft the open one
 * @property {Way} way
 * @property {import("./edit.js").Stored} there what is stored, as it was read last
 * @property {import("./edit.js").Edit} edit what was begun; its base follows what is stored
 * @property {import("./edit.js").Field[]} conflicts the fields that somebody else changed, too
 * @property {boolean} isRestored whether it began with a draft
 * @property {() => import("./edit.js").Values} current what the form has now
 * @property {() => Record<string, any>} [shown] what the map shows, as a part of a new piece
 * @property {() => void} [redraw] draws the form anew, as it has not all that `edit` has
 */

/** Whether something is left to be sent. */
const isLeft = (kind, edit) => changesOf(kind.fields, edit).length > 0 || (isBegun(edit.values) && !edit.values.hasVote);

const placeOf = ({ kind, id }) => ({ thing: `${kind.name}.${id}`, where: address(kind.view, id) });

/**
 * Begins with what is stored, and the draft upon it. A draft never shows more to others than what is stored.
 * @param {any} opening kind, id, drafts, draft, way, there, and whatever else the form needs
 * @returns {any} the work
 */
export function begin(opening) {
    const { kind, id, draft, there } = opening;
    const work = { ...opening, edit: begun(there), conflicts: [], isRestored: false, current: () => work.edit.values };
    const { edit: typed, post: pending } = draft.get();
    if (!typed) return work;
    const visibility = id && there.values.visibility === "private" ? "private" : typed.values.visibility;
    const { edit, conflicts } = rebased(kind.fields, { ...typed, values: { ...typed.values, visibility } }, there);
    if (isLeft(kind, edit) || pending) Object.assign(work, { edit, conflicts, isRestored: true });
    else draft.forget();
    return work;
}

// Takes over what came of a step. The form then has what others changed, too.
function adopt(work, members) {
    Object.assign(work, members);
    const [has, wanted] = [work.current(), work.edit.values];
    if (work.conflicts.length || Object.keys(wanted).some((name) => (has[name] ?? "") !== (wanted[name] ?? ""))) work.redraw?.();
}

const now = (work) => ({ ...work.edit, values: work.current() });

/**
 * Keeps what was typed as the draft.
 * @param {Work} work
 * @returns {Promise<boolean | null>} whether it is kept; null if there is nothing to keep
 */
export async function keep(work) {
    const { draft } = work;
    if (isUnsent(work) || draft.get().post) return draft.keep({ edit: now(work) });
    if (draft.exists()) await draft.forget();
    return null;
}

/** Whether the form has something that is not sent. */
export const isUnsent = (work) => isLeft(work.kind, now(work));

/** Takes over what a new piece would begin with now, in the place of what nobody changed. */
export function follow(work, fresh) {
    work.edit = rebased(work.kind.fields, now(work), { values: { ...work.edit.base, ...fresh }, version: null }).edit;
}

/**
 * Ends the conflict of a field. The text that does not stay is set aside.
 * @param {Work} work
 * @param {import("./edit.js").Field} field
 * @param {boolean} mine whether the form's text stays
 */
export async function choose(work, field, mine) {
    const { kind, drafts, draft, there } = work;
    const { edit, conflicts, dropped } = resolved(kind.fields, now(work), there, field, mine);
    await drafts.setAside(draft.account, { ...placeOf(work), values: { [kind.title]: work.current()[kind.title], ...dropped } });
    Object.assign(work, { edit, conflicts, current: () => work.edit.values });
    await keep(work);
}

/**
 * Sends what was typed. Each step that was done is written down, so that the next try begins with the one that failed.
 * Throws Conflict, and notes what is in conflict, if somebody else has changed the same field.
 * @param {Work} work
 * @param {import("./edit.js").Values} values what the form had when its author sent it
 */
export async function sendPiece(work, values) {
    if (!work.id) await post(work, values);
    await update(work, values);
    if (isBegun(values)) await addVote(work, values);
}

// A post without an answer is sent again as it was, whatever was typed since; the piece that it made is changed then.
async function post(work, values) {
    const { kind, draft, way } = work;
    const before = draft.get().post;
    if (before && !isKnown(before)) {
        await draft.keep({ post: undefined });
        throw new Refusal("POST UNKNOWN", 0);
    }
    const params = () => ({ ...kind.paramsOf(tidy(kind, { ...work.edit, values })), ...work.shown?.() });
    const sent = before ?? { params: params(), key: newKey(), at: Date.now() };
    await draft.keep({ post: sent });
    const answer = await way.write(kind.funcs.add, sent.params, sent.key);
    work.id = answer[kind.id];
    const base = kind.valuesOf({ ...sent.params, postDate: sent.params });
    work.edit = { base, values: { ...work.current(), ...unseen(kind, base) }, version: 1 };
    await draft.keep({ ...placeOf(work), post: undefined, edit: work.edit });
}

const unseen = (kind, values) => Object.fromEntries(kind.unseen.map((name) => [name, values[name]]));

async function update(work, values) {
    const { kind, id, draft, way } = work;
    const sent = { ...work.edit, values: { ...values, ...unseen(kind, work.edit.values) } };
    const kindOfSend = { fields: kind.fields, paramsOf: (edit) => updateParams(kind, id, edit) };
    try {
        const stored = await send(kindOfSend, { ...sent, values: tidy(kind, sent) }, {
            write: (params, key) => way.write(kind.funcs.update, params, key),
            keyFor: (params) => draft.keyFor(params),
            read: () => way.read(kind, id),
        });
        adopt(work, { ...caughtUp(kind.fields, sent, work.current(), stored), there: stored });
    } catch (error) {
        if (error instanceof Conflict) adopt(work, { ...rebased(kind.fields, now(work), error.there), there: error.there });
        throw error;
    }
    await draft.keep({ edit: work.edit });
}

// A piece has one vote. Whoever wrote another one meanwhile finds it in the list of drafts.
async function addVote(work, values) {
    const { kind, id, drafts, draft, way } = work;
    if (work.edit.values.hasVote) {
        await drafts.setAside(draft.account, { ...placeOf(work), values });
    } else {
        const params = { [kind.id]: id, ...voteParams(values) };
        await way.write("addVote", params, await draft.keyFor(params));
    }
    const has = { hasVote: "true" };
    work.edit = { ...work.edit, base: { ...work.edit.base, ...has }, values: { ...work.current(), ...has } };
}
