// The interface of the service: forms in, JSON out. This is all of the page that speaks to it.

import { newKey, NoAnswer, Refusal } from "./refusal.js";

export { isDecided, newKey, NoAnswer, Refusal } from "./refusal.js";

const api = () => new URL(document.documentElement.dataset.api ?? "/API.php", location.href);
const TIME_LIMIT = 30_000;
const SILENCE = 90_000;    // milliseconds without progress of an upload, after which no answer is expected

// Before a request that got no answer is sent again, in milliseconds.
const pauses = () => (document.documentElement.dataset.pauses ?? "").split(" ").filter(Boolean).map(Number);

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function form(params) {
    const given = Object.entries({ responseFormat: "JSON", ...params }).filter(([, value]) => value !== undefined && value !== null);
    return new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
}

/**
 * The address of an operation; with parameters that of a read.
 * @param {string} func
 * @param {Record<string, any>} [params] undefined and null are left out
 */
export function addressOf(func, params) {
    const address = new URL(`${api().pathname}/${func}`, api());
    if (params) address.search = form(params).toString();
    return address;
}

// The session's token is in a cookie that no script can read. login answers it as well, for clients that keep it themselves:
// this page leaves it unseen.
function parse(text) {
    return JSON.parse(text, (name, value) => (name === "idrand" ? undefined : value));
}

// A coordinate with its name; or a text, so that what looks like a coordinate within a text is passed over.
const COORDINATES = /"(lat|lng)":(-?[\d.]+)|"(?:[^"\\]|\\.)*"/g;

// A number of JavaScript forgets the digits that were sent: 25.030 becomes 25.03.
function parseWithDigits(text) {
    return parse(text.replace(COORDINATES, (whole, name, digits) => (name ? `"${name}":"${digits}"` : whole)));
}

/** Reads an answer: its members, or the error that it is. */
export function understand(httpStatus, text, parser = parse) {
    let answer;
    try {
        answer = parser(text);
    } catch {
        // What a web server says by itself is XML, in the same words.
        const info = /<info>([^<]*)<\/info>/.exec(text)?.[1];
        if (info && httpStatus < 500) throw new Refusal(info, httpStatus);
        throw new NoAnswer(info ?? `HTTP ${httpStatus}`);
    }
    if (answer.status === "SUCCESS") return answer;
    if (httpStatus >= 500) throw new NoAnswer(answer.info);
    throw new Refusal(answer.info, httpStatus);
}

async function once(address, options, parser = parse) {
    let response, text;
    try {
        response = await fetch(address, { credentials: "same-origin", ...options });
        text = await response.text();
    } catch (error) {
        if (options.signal?.aborted && error.name === "AbortError") throw error;
        throw new NoAnswer(error.message);
    }
    return understand(response.status, text, parser);
}

function limited(signal) {
    const limit = AbortSignal.timeout(TIME_LIMIT);
    return signal ? AbortSignal.any([signal, limit]) : limit;
}

// Whatever gets no answer is sent again: a read changes nothing, and a write is known by its key.
async function persistently(request) {
    for (const milliseconds of pauses()) {
        try {
            return await request();
        } catch (error) {
            if (!(error instanceof NoAnswer)) throw error;
            await pause(milliseconds);
        }
    }
    return request();
}

const ahead = new Map();    // answers that are on their way, by their address

/**
 * Begins to read what read() is asked for soon: once, and with the same parameters.
 * @param {string} func the operation
 * @param {Record<string, any>} [params]
 */
export function readAhead(func, params = {}) {
    const { href } = addressOf(func, params);
    const answer = once(href, { signal: limited() });
    answer.catch(() => undefined);    // whoever reads it is told
    ahead.set(href, answer);
}

/**
 * Reads.
 * @param {string} func the operation
 * @param {Record<string, any>} [params] undefined and null are left out
 * @param {AbortSignal} [signal] gives up
 * @returns {Promise<any>} the answer's members
 */
export async function read(func, params = {}, signal) {
    const { href } = addressOf(func, params);
    let early = ahead.get(href);
    ahead.delete(href);
    const answer = await persistently(() => {
        const asked = early ?? once(href, { signal: limited(signal) });
        early = undefined;
        return asked;
    });
    signal?.throwIfAborted();
    return answer;
}

/**
 * Reads for a form that writes back what nobody changed: lat and lng are texts, with the digits that were sent.
 * @param {string} func the operation
 * @param {Record<string, any>} params
 * @returns {Promise<any>} the answer's members
 */
export function readDigits(func, params) {
    return persistently(() => once(addressOf(func, params), { signal: limited() }, parseWithDigits));
}

/** @type {() => Promise<null | (() => Promise<void>)>} */
let askToLogIn = () => Promise.resolve(null);

/**
 * Takes the function that runs when the service refuses a write without a session. `ask` shows the login, and resolves with a function
 * that tells the page of the new user; null: nobody logged in. The write is sent again before the page is told, while its view is there.
 * @param {typeof askToLogIn} ask
 */
export const whenLoginIsRequired = (ask) => { askToLogIn = ask; };

/**
 * One question serves all writes that are refused while it is open.
 * @type {null | { writes: number, answer: ReturnType<typeof askToLogIn> }}
 */
let question = null;

// Sends a write again after a login. Throws the refusal if nobody logs in.
async function afterLogin(send, refusal) {
    question ??= { writes: 0, answer: askToLogIn().finally(() => { question = null; }) };
    const asked = question;
    asked.writes++;
    const tell = await asked.answer;
    if (!tell) throw refusal;
    try {
        return await send();
    } finally {
        asked.writes--;
        if (asked.writes === 0) setTimeout(tell);
    }
}

/**
 * Writes. Sent again with the same key, also after the page was closed in between, it is carried out once.
 * @param {string} func the operation
 * @param {Record<string, any>} params undefined and null are left out
 * @param {string} [key]
 * @returns {Promise<any>} the answer's members
 */
export async function write(func, params, key = newKey()) {
    const headers = { "Idempotency-Key": key };
    const send = () => persistently(() => once(addressOf(func), { method: "POST", headers, body: form(params), signal: limited() }));
    try {
        return await send();
    } catch (error) {
        if (!(error instanceof Refusal) || error.info !== "LOGIN REQUIRED" || func === "logout") throw error;
        return afterLogin(send, error);
    }
}

/**
 * Writes with a file, once: who calls it shows the progress, and sends it again with the same key.
 * @param {string} func the operation
 * @param {Record<string, any>} params of which one is a File
 * @param {{key: string, onprogress?: (part: number) => void, signal?: AbortSignal}} options
 * @returns {Promise<any>} the answer's members
 */
export function upload(func, params, { key, onprogress, signal }) {
    const body = new FormData();
    for (const [name, value] of Object.entries(params)) {
        if (value !== undefined && value !== null) body.append(name, value instanceof Blob ? value : String(value));
    }
    body.append("responseFormat", "JSON");
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();    // fetch tells nothing of what is on its way
        let silence = 0;
        const listen = () => {
            clearTimeout(silence);
            silence = window.setTimeout(() => request.abort(), SILENCE);
        };
        request.open("POST", addressOf(func));
        request.setRequestHeader("Idempotency-Key", key);
        request.upload.onprogress = (event) => {
            listen();
            onprogress?.(event.total ? event.loaded / event.total : 0);
        };
        request.onloadend = () => clearTimeout(silence);
        request.onload = () => {
            try {
                resolve(understand(request.status, request.responseText));
            } catch (error) {
                reject(error);
            }
        };
        request.onerror = request.ontimeout = () => reject(new NoAnswer("upload"));
        request.onabort = () => reject(signal?.aborted ? new DOMException("aborted", "AbortError") : new NoAnswer("upload"));
        signal?.addEventListener("abort", () => request.abort());
        listen();
        request.send(body);
    });
}
