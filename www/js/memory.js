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

/** Forgets all whose names begin so. */
export function forgetAll(beginning) {
    try {
        const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX + beginning));
        for (const name of names) localStorage.removeItem(name);
    } catch {
        // then nothing is kept either
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
