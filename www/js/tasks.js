// Work in pieces, between which a touch or a key is answered.

/** The next task of the browser. */
export const nextTask = () => new Promise((resolve) => { setTimeout(resolve); });
