// The texts of the page, one file a language, and how that language writes dates and numbers.

import { isolated } from "./characters.js";
import { remember, remembered } from "./memory.js";

/** The languages, by what they call themselves. */
export const LANGUAGES = { "zh-Hant": "繁體中文", en: "English" };

/** @type {Record<string, string>} */
let texts = {};
let current = "en";
/** @type {Intl.PluralRules} */
let plural;

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
    plural = new Intl.PluralRules(current);
    document.documentElement.lang = current;
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
    const form = typeof values.n === "number" ? texts[`${name}.${plural.select(values.n)}`] : undefined;
    const text = form ?? texts[name] ?? name;
    return text.replace(/\{(\w+)\}/g, (whole, key) => {
        const value = values[key];
        return typeof value === "number" ? formatNumber(value) : isolated(String(value ?? whole));
    });
}

/** Whether there is a text of this name. */
export const hasText = (name) => name in texts;

/** Texts one after the other, as in "one, two, and three". */
export const formatList = (list) => new Intl.ListFormat(current).format(list);

export const formatNumber = (number) => new Intl.NumberFormat(current).format(number);

// The constructor takes the year 50 for 1950.
function inWords({ year, month, day }, style) {
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    return new Intl.DateTimeFormat(current, { ...style, timeZone: "UTC" }).format(date);
}

/** A day of the interface, {year, month, day}, in words. */
export const formatDay = (day) => inWords(day, { dateStyle: "long" });

/** Its month, in words. */
export const formatMonth = ({ year, month }) => inWords({ year, month, day: 1 }, { year: "numeric", month: "long" });

/** A time of the interface, in seconds since the epoch, in words. */
export function formatTime(seconds) {
    return new Intl.DateTimeFormat(current, { dateStyle: "medium", timeStyle: "short" }).format(new Date(seconds * 1000));
}

/** A day of a date field, "0050-01-02", in words. */
export function formatDate(date) {
    const [year, month, day] = date.split("-").map(Number);
    return formatDay({ year, month, day });
}

/** A moment, in milliseconds since the epoch, in words. */
export const formatMoment = (at) => formatTime(at / 1000);

/** The time of a moment by the clock: "14:03". */
export const formatClock = (at) => new Intl.DateTimeFormat(current, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(at));

/** A distance in metres, in words. */
export function formatDistance(metres) {
    const far = metres >= 1000;
    const value = far ? metres / 1000 : metres;
    return new Intl.NumberFormat(current, {
        style: "unit", unit: far ? "kilometer" : "meter", maximumFractionDigits: far && value < 10 ? 1 : 0,
    }).format(value);
}
