// Work in pieces, between which a touch or a key is answered.

/** The next task of the browser. */
export const nextTask = () => new Promise((resolve) => { setTimeout(resolve); });

/** The first task behind the next picture: what a touch has begun is seen before more of it is done. */
export const nextPicture = () => new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });

let last = Promise.resolve();

/** A task of the browser for one caller at a time, in the order of the calls: for tiles, of which each takes a task of its own. */
export const turn = () => (last = last.then(nextTask));
