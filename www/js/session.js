// Who is logged in. The session is in cookies that scripts cannot read; what is kept here is only that there is one, and whose.

import { read, Refusal, write } from "./api.js";
import { remember, remembered } from "./memory.js";

// Nobody is kept as false. Where nothing is kept, as the browser may have deleted it, the service is asked.
const kept = () => remembered("me") || null;

/** @type {{userID: number, name?: string, icon?: string, email?: string} | null} */
let me = kept();
const listeners = new Set();

/** Whoever is logged in; null for nobody. */
export const user = () => me;

/** Whether a user, by identifier, is the one who is logged in. */
export const isMe = (userID) => me !== null && me.userID === userID;

/** Calls whenever somebody logs in or out, or changes; `isElsewhere`: in another tab. */
export const onUser = (listener) => listeners.add(listener);

function set(somebody) {
    me = somebody;
    remember("me", me ?? false);
    for (const listener of listeners) listener({ isElsewhere: false });
}

// Another tab of this browser has the same cookies.
addEventListener("storage", (event) => {
    if (event.key !== "mapdiary.me") return;
    me = kept();
    for (const listener of listeners) listener({ isElsewhere: true });
});

/** Asks the service for the user, unless this browser knows that nobody is logged in. */
export async function loadUser() {
    if (remembered("me") === false) return;
    try {
        const { userID, name, icon, email } = await read("getMe");
        set({ userID, name, icon, email });
    } catch (error) {
        if (!(error instanceof Refusal)) return;
        if (error.info === "LOGIN REQUIRED") set(null);
    }
}

/** The service has given this browser a session, which the next request shows. */
export async function begin({ id }) {
    set({ userID: id });
    await loadUser();
    if (!me) throw new Refusal("SESSION LOST", 200);
}

/**
 * Lets somebody log in where one stands; a write waits for that. Whoever was logged in before does not write as somebody else.
 * @param {() => Promise<{id: number} | null>} ask
 * @returns {Promise<null | (() => Promise<void>)>} for whenLoginIsRequired()
 */
export async function logInHere(ask) {
    const before = me?.userID;
    const answer = await ask();
    if (!answer) return null;
    if (before === undefined || before === answer.id) return () => begin(answer).catch(() => {});    // the write says what is wrong
    await begin(answer);
    return null;
}

export async function login(email, password) {
    await begin(await write("login", { email, password }));
}

export async function logout() {
    try {
        await write("logout", {});
    } catch (error) {
        if (!(error instanceof Refusal)) throw error;    // the session had ended already
    }
    sessionEnded();
}

/** Nobody is logged in any more. */
export const sessionEnded = () => set(null);
