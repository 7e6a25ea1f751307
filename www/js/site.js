// What the service says about itself.

import { read, Refusal } from "./api.js";
import { t } from "./texts.js";

export const site = {
    siteName: "",
    registration: "",    // not known
    tiles: { map: "", satellite: "", attribution: "" },
    photoSize: 20 * 1024 * 1024,
    contact: "",
    /** @type {{year: number, month: number, day: number} | null} */
    today: null,    // the day there when it was asked
};

/** What the site calls itself. */
export const siteTitle = () => site.siteName || t("title");

/** Asks for it; a service that does not say keeps what stands above. */
export async function loadSite() {
    try {
        const { siteName, registration, tiles, photoSize, contact, today } = await read("getSite");
        Object.assign(site, { siteName, registration, photoSize, contact: contact ?? "", today });
        Object.assign(site.tiles, tiles);
    } catch (error) {
        if (!(error instanceof Refusal)) throw error;
    }
}
