// Places by their names: cities of GeoNames (build-aux/base-map.mjs), and places that the service knows.

import { read } from "./api.js";
import { categoryText, placeIcon } from "./domain.js";
import { fold } from "./folding.js";
import { view } from "./map.js";
import { titleOf } from "./people.js";
import { formatDistance, language, t } from "./texts.js";

const LIMIT = 4;    // of each

async function load(name) {
    const answer = await fetch(new URL(`../map/cities/${name}.json`, import.meta.url), { credentials: "same-origin" });
    const { scale, cities } = await answer.json();
    return cities.map(([lng, lat, country, city, chinese = ""]) =>
        ({ lng: lng / scale, lat: lat / scale, country, name: city, chinese, folded: fold(city) }));
}

const files = {};

const file = (name) => (files[name] ??= load(name).catch((error) => { delete files[name]; throw error; }));

const fileFor = (wanted) => (/^[a-z]/.test(wanted) ? wanted[0] : /^\p{Script=Han}/u.test(wanted) ? "chinese" : "other");

// The largest first; those that begin with the words before those that have a word that does.
async function findCities(text) {
    const wanted = fold(text);
    const all = await file(fileFor(wanted));
    const first = all.filter(({ folded, chinese }) => folded.startsWith(wanted) || chinese.startsWith(wanted));
    const then = first.length < LIMIT ? all.filter(({ folded, chinese }) => folded.includes(` ${wanted}`) || chinese.includes(wanted, 1)) : [];
    const countries = new Intl.DisplayNames([language()], { type: "region" });
    return [...first, ...then].slice(0, LIMIT).map(({ name, chinese, country, lat, lng }) => ({
        title: (language() === "zh-Hant" && chinese) || name, facts: [countries.of(country)], drawing: "pin", it: { lat, lng },
    }));
}

async function findPlaces(q, signal) {
    const { lat, lng } = view();
    const { placeList } = await read("search", { q, lat, lng, kind: "POI", limit: LIMIT }, signal);
    return placeList.map((place) => ({
        title: titleOf(place.title), drawing: placeIcon(place), it: place.Location,
        facts: [t(categoryText(place.kind, place.category)), place.distance !== undefined && ` · ${formatDistance(place.distance)}`],
    }));
}

/**
 * What is called so. Where one of both sources is silent, the other one's places are all.
 * @returns {Promise<import("./combobox.js").Option[]>}
 */
export async function placesCalled(text, signal) {
    const found = await Promise.allSettled([findCities(text), findPlaces(text, signal)]);
    return found.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}
