// Names of places as they are compared.

/** Without accents and case; words have one blank between. */
export const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("台", "臺").replace(/[\s'’-]+/g, " ").trim();
