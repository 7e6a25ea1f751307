// The texts of the page, one file a language, and how that language writes dates and numbers.

import { isolated } from "./characters.js";
import { remember, remembered } from "./memory.js";

/** The languages, by what they call themselves. */
export const LANGUAGES = { "zh-Hant": "繁體中文", en: "English" };

/** @type {Record<string, string>} */
let texts = {};
let current = "en";
/** @type {Map<string, any>} */
const formats = new Map();    // a format takes far longer to make than to use

/** The language of the texts. */
export const language = () => current;

function wanted() {
    const chosen = remembered("language");
    const names = chosen in LANGUAGES ? [chosen] : navigator.languages;
    for (const name of names) {
        if (/^zh\b/i.test(name)) return "zh-Hant";
        if (/^en\b/i.test(name)) return "en";
    }
    return "en";
}

/** Loads the language that was chosen here, or else the first of the browser's that there is. */
export async function loadTexts() {
    current = wanted();
    const answer = await fetch(new URL(`../texts/${current}.json`, import.meta.url));
    texts = await answer.json();
    document.documentElement.lang = current;
}

// A format of the language, made once.
function format(Kind, options = {}) {
    const key = `${Kind.name} ${JSON.stringify(options)}`;
    if (!formats.has(key)) formats.set(key, new Kind(current, options));
    return formats.get(key);
}

/** Chooses a language, which this browser keeps. A page that is loaded afterwards has it. */
export const chooseLanguage = (name) => remember("language", name);

/**
 * The text of a name. {n} in it stands for the value n, whose direction is its own; if it counts ("n" is a number), "name.one" and
 * so on come first.
 * @param {string} name
 * @param {Record<string, any>} [values]
 */
export function t(name, values = {}) {
    const form = typeof values.n === "number" ? texts[`${name}.${format(Intl.PluralRules).select(values.n)}`] : undefined;
    const text = form ?? texts[name] ?? name;
    return text.replace(/\{(\w+)\}/g, (whole, key) => {
        const value = values[key];
        return typeof value === "number" ? formatNumber(value) : isolated(String(value ?? whole));
    });
}

/** Whether there is a text of this name. */
export const hasText = (name) => name in texts;

// Counts below a thousand need no format: both languages have the same digits.
export const formatNumber = (number) => (Number.isInteger(number) && number >= 0 && number < 1000 ? String(number)
    : format(Intl.NumberFormat).format(number));

/** A count in little room: "12K". */
export const formatCompact = (count) => (count < 1000 ? String(count) : format(Intl.NumberFormat, { notation: "compact" }).format(count));

// By texts: lists have days, and making the first format of Intl takes a phone an eighth of a second.
const inWords = (pattern, { year, month, day }) => texts[pattern].replace("{year}", year).replace("{month}", texts[`month.${month}`])
    .replace("{day}", day);

/** A day of the interface, {year, month, day}, in words. */
export const formatDay = (day) => inWords("date.day", day);

/** Its month, in words. */
export const formatMonth = (day) => inWords("date.month", day);

/** A time of the interface, in seconds since the epoch, in words. */
export function formatTime(seconds) {
    return format(Intl.DateTimeFormat, { dateStyle: "medium", timeStyle: "short" }).format(new Date(seconds * 1000));
}

/** A day of a date field, "0050-01-02", in words. */
export function formatDate(date) {
    const [year, month, day] = date.split("-").map(Number);
    return formatDay({ year, month, day });
}

/** A moment, in milliseconds since the epoch, in words. */
export const formatMoment = (at) => formatTime(at / 1000);

/** The time of a moment by the clock: "14:03". */
export const formatClock = (at) => format(Intl.DateTimeFormat, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(at));

/** A distance in metres, in words. */
export function formatDistance(metres) {
    const far = metres >= 1000;
    const value = far ? metres / 1000 : metres;
    return format(Intl.NumberFormat, {
        style: "unit", unit: far ? "kilometer" : "meter", maximumFractionDigits: far && value < 10 ? 1 : 0,
    }).format(value);
}
