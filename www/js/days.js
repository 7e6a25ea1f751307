// Days: of this device, of the service, and of what is written.

import { site } from "./site.js";

const two = (number) => String(number).padStart(2, "0");

/** A day of the interface, {year, month, day}, as a field for dates has it: "0050-01-02". Days compare as these texts do. */
export const dateOf = ({ year, month, day }) => `${String(year).padStart(4, "0")}-${two(Number(month))}-${two(Number(day))}`;

/** Today, here. */
export function today() {
    const now = new Date();
    return dateOf({ year: now.getFullYear(), month: now.getMonth() + 1, day: now.getDate() });
}

/** Whether a day has come here, and not yet at the service. */
export const isAhead = (date) => date <= today() && (!site.today || date > dateOf(site.today));

/** Calls at each new day, also if it began while the page was asleep. Ends with the signal. */
export function onNewDay(listener, signal) {
    let shown = today();
    const look = () => {
        if (shown === today()) return;
        shown = today();
        listener(shown);
    };
    const timer = setInterval(look, 10_000);
    signal.addEventListener("abort", () => clearInterval(timer));
    document.addEventListener("visibilitychange", look, { signal });
}
