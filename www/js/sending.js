// Sending a draft that no form has open.

import { write } from "./api.js";
import { drafts } from "./draft_store.js";
import { pieceOf, textOf } from "./kinds.js";
import { Refusal } from "./refusal.js";
import { Conflict } from "./saving.js";
import { readStored } from "./stored.js";
import { begin, sendPiece } from "./work.js";

/** How a piece reaches the service. */
export const way = { write, read: readStored };

/**
 * Sends it, and forgets it then.
 * @param {number} account
 * @param {import("./drafts.js").Draft} draft of the list
 */
export async function sendDraft(account, { id, thing, where }) {
    const draft = await drafts.open(account, thing, { wanted: id, where });
    const { edit } = draft.get();
    if (draft.get().id !== id || !edit) return;
    const piece = pieceOf(thing);
    try {
        if (piece) await sendPieceOf(piece, draft, edit);
        else {
            const { func, params } = textOf(thing, edit.values);
            await write(func, params, await draft.keyFor(params));
        }
    } catch (error) {
        draft.failed(error);
        throw error;
    }
    await draft.forget();
}

async function sendPieceOf({ kind, id }, draft, edit) {
    const there = id ? await readStored(kind, id) : { values: edit.base, version: null };
    const work = begin({ kind, id, drafts, draft, way, there });
    if (work.conflicts.length) throw new Conflict(work.edit, work.conflicts, there);
    const fault = kind.faultOf(work.edit.values);
    if (fault) throw new Refusal(fault, 0);
    await sendPiece(work, work.edit.values);
}
