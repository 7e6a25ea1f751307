// Work in pieces, between which a touch or a key is answered.

/** The next task of the browser. */
export const nextTask = () => new Promise((resolve) => { setTimeout(resolve); });

let last = Promise.resolve();

/** A task of the browser for one caller at a time, in the order of the calls: for tiles, of which each takes a task of its own. */
export const turn = () => (last = last.then(nextTask));
