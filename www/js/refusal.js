// How a request may end without an answer to what it asked, and the keys by which the service knows a write again.

/** The service refused a request: `info` says why, `parameter` which one it means where it means one. */
export class Refusal extends Error {
    constructor(info, httpStatus) {
        super(info);
        const [text, parameter = ""] = info.split(": ");
        this.info = text;
        this.parameter = parameter;
        this.httpStatus = httpStatus;
    }
}

/** No answer came: the network is away, or the service is. Whether a write was carried out is not known. */
export class NoAnswer extends Error { }

// Refusals that tell nothing of a request that was sent before with the same key.
const UNDECIDED = ["LOGIN REQUIRED", "TOO MANY ATTEMPTS"];

/** Whether the service has decided on a write, so that another try is another write. */
export const isDecided = (error) => error instanceof Refusal && !UNDECIDED.includes(error.info);

/** A key by which the service knows a write again. */
export const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(16)),
    (byte) => byte.toString(16).padStart(2, "0")).join("");
