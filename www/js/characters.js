// What a text is made of, for texts that strangers wrote and that stand among others.

const UNSEEN = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u;
const ISOLATES = /[\u2066-\u2069]/g;
const [FIRST_STRONG, POP] = ["\u2068", "\u2069"];

/** Whether a text has a character that can be seen. */
export const isSeen = (text) => !UNSEEN.test(text ?? "");

/** The text with an end for each isolate that it begins, and no other end: one more would end the isolate around the text. */
export function balanced(text) {
    let open = 0;
    const inside = text.replace(ISOLATES, (mark) => {
        if (mark !== POP) open += 1;
        else if (open === 0) return "";
        else open -= 1;
        return mark;
    });
    return inside + POP.repeat(open);
}

/** The text as a part of a longer one, whose direction it neither takes nor changes. ASCII has no other direction than the page. */
export const isolated = (text) => (/^[ -~]*$/.test(text) ? text : `${FIRST_STRONG}${balanced(text)}${POP}`);

// Only as many as are asked for, as a text may be long.
function graphemes(text, most) {
    const found = [];
    for (const { segment } of new Intl.Segmenter().segment(text)) {
        if (found.length === most) break;
        found.push(segment);
    }
    return found;
}

/** The beginning of a text: so many characters as readers count them, with a sign where more follow. */
export function beginning(text, most) {
    const begun = graphemes(text, most).join("");
    return begun.length < text.length ? `${begun}…` : text;
}

// Making the first segmenter takes a phone a tenth of a second, and most names begin like this: nothing joins such a letter to the next.
const LONE_LETTER = /^[A-Za-z0-9\u4e00-\u9fff](?=[A-Za-z0-9 \u4e00-\u9fff]|$)/;

/** The first character as readers count them. */
export const initial = (text) => LONE_LETTER.exec(text)?.[0] ?? graphemes(text, 1)[0] ?? "";
