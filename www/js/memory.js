// What this browser keeps. Nothing of it is secret, and where the browser keeps nothing, the page works without.

const PREFIX = "mapdiary.";

/** The value that was kept under a name; null where none was. */
export function remembered(name) {
    try {
        return JSON.parse(localStorage.getItem(PREFIX + name) ?? "null");
    } catch {
        return null;
    }
}

/** Keeps a value; null forgets it. Returns whether it is kept. */
export function remember(name, value) {
    try {
        if (value === null) localStorage.removeItem(PREFIX + name);
        else localStorage.setItem(PREFIX + name, JSON.stringify(value));
        return true;
    } catch {
        return false;
    }
}
