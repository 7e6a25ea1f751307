// When a form keeps its draft: soon after each letter, and at once when the page goes away.

const SOON = 400;    // milliseconds after the first letter that is not kept yet

const forms = new Set();

/**
 * Keeps a draft soon after touch().
 * @param {() => Promise<any>} keep
 * @param {AbortSignal} [signal] of the view that has the form; what is not kept when it ends is kept then
 */
export function keepSoon(keep, signal) {
    let timer = 0;
    let last = Promise.resolve();
    const one = {
        touch() { timer ||= window.setTimeout(one.flush, SOON); },
        /** Resolves when all that was typed is kept. */
        flush() {
            if (timer) {
                clearTimeout(timer);
                timer = 0;
                last = keep();
            }
            return last;
        },
    };
    forms.add(one);
    signal?.addEventListener("abort", () => {
        one.flush();
        forms.delete(one);
    });
    return one;
}

/** Keeps all that is typed. */
export const flushAll = () => Promise.all([...forms].map((one) => one.flush()));

addEventListener("pagehide", flushAll);
document.addEventListener("visibilitychange", () => { if (document.hidden) flushAll(); });
