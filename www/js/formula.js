// MathML as text.

const BETWEEN = { mfrac: "/", msup: "^", msub: "_", mover: "^", munder: "_" };
const [BEFORE, BEHIND] = [{ msqrt: "√(" }, { msqrt: ")" }];
const UNREAD = ["annotation", "annotation-xml"];    // the same once more, in another language

/** The text of a formula, as a node. */
export const textOf = (formula) => document.createTextNode(read(formula).replace(/\s+/g, " ").trim());

function read(node) {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    const name = node.nodeName.toLowerCase();
    if (node.nodeType !== Node.ELEMENT_NODE || UNREAD.includes(name)) return "";
    const between = BETWEEN[name];
    const parts = between ? [...node.children].map((part) => grouped(read(part).trim())) : [...node.childNodes].map(read);
    return `${BEFORE[name] ?? ""}${parts.join(between ?? "")}${BEHIND[name] ?? ""}`;
}

const grouped = (text) => (/^[\p{L}\p{N}.]*$/u.test(text) || text.length < 2 ? text : `(${text})`);
