// How long a view is there: whatever it waits for, listens to or would still show ends with it.

let current = new AbortController();

/** The end of the view that is shown. */
export const lifetime = () => current.signal;

/** Another view begins. */
export function nextView() {
    current.abort();
    current = new AbortController();
    return current.signal;
}
