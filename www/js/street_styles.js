// How a map of streets is drawn, for the two kinds of vector tiles that operators find: those of Protomaps
// (https://docs.protomaps.com/basemaps/layers) and of OpenMapTiles (https://openmaptiles.org/schema/).
//
// A style is one row for each thing that is drawn, in the order of drawing. `kinds` are values of the property `key`; a row without
// them takes all. Areas have `fill`, lines have `line` and `width`, in pixels at zoom level 18. Both name a colour of the style sheet.

/**
 * @typedef {{layer: string, key: string, kinds: Set<string> | null, fill?: string, line?: string, width?: number, from?: number,
 *            dash?: number[], unless?: string}} Row `from`: the first zoom level; `unless`: a property that excludes
 * @typedef {{ground: string, rows: Row[], places: string, streets: string,
 *            priority: (properties: any) => number, small: number}} Style `priority`: the lowest first; `small`: from which on names are small
 */

const rowsOf = (key) => (layer, kinds, paint) => ({ layer, key, kinds: kinds && new Set(kinds.split(" ")), ...paint });

// An edge below and the road above it: where roads cross, no edge shows.
const roads = (row, layer, kinds) => [
    ...kinds.map(([names, , width]) => row(layer, names, { line: "road-edge", width: width + 5, from: 12 })),
    ...kinds.map(([names, color, width, from]) => row(layer, names, { line: color, width, from })),
];

const PATH = { line: "path", width: 5, from: 14, dash: [3, 2] };
const RAIL = { line: "rail", width: 5, from: 10 };
const BORDER = { line: "border", width: 12, dash: [4, 3] };

function protomaps() {
    const row = rowsOf("kind");
    return [
        row("earth", null, { fill: "land" }),
        row("landuse", "residential commercial industrial hospital school university college aerodrome military railway pedestrian", { fill: "built" }),
        row("landuse", `park forest wood nature_reserve national_park protected_area cemetery golf_course garden grass grassland
            village_green zoo scrub recreation_ground playground pitch orchard meadow`.replace(/\s+/g, " "), { fill: "green" }),
        row("water", null, { fill: "sea" }),
        row("water", "river canal stream", { line: "sea", width: 10 }),
        row("buildings", null, { fill: "building", from: 14 }),
        row("roads", "path other", PATH),
        ...roads(row, "roads", [["minor_road", "road", 16, 12], ["major_road", "road", 24], ["highway", "highway", 28]]),
        row("roads", "rail", RAIL),
        row("boundaries", "country region", BORDER),
    ];
}

function openMapTiles() {
    const row = rowsOf("class");
    return [
        row("landuse", "residential suburb quarter neighbourhood commercial industrial hospital school university college military railway", { fill: "built" }),
        row("landcover", "wood grass wetland", { fill: "green" }),
        row("park", null, { fill: "green" }),
        row("landuse", "cemetery stadium pitch playground zoo", { fill: "green" }),
        row("water", null, { fill: "sea" }),
        row("waterway", null, { line: "sea", width: 10, unless: "intermittent" }),
        row("building", null, { fill: "building", from: 14 }),
        row("transportation", "path track", PATH),
        ...roads(row, "transportation", [
            ["minor service", "road", 16, 12], ["primary secondary tertiary", "road", 24], ["motorway trunk", "highway", 28],
        ]),
        row("transportation", "rail transit", RAIL),
        rowsOf("admin_level")("boundary", "2 4", { ...BORDER, unless: "maritime" }),
    ];
}

const RANKS = "continent country state province island city town village suburb quarter neighbourhood hamlet isolated_dwelling".split(" ");

/** @type {Record<string, Style>} */
const STYLES = {
    protomaps: {
        ground: "sea", rows: protomaps(), places: "places", streets: "roads", small: 60,
        priority: ({ kind, population_rank: rank }) => (kind === "locality" ? 40 - (rank ?? 0) : kind.endsWith("hood") ? 60 : 0),
    },
    openMapTiles: {
        ground: "land", rows: openMapTiles(), places: "place", streets: "transportation_name", small: 360,
        priority: ({ class: kind, rank }) => 40 * (RANKS.indexOf(kind) + 1) + (rank ?? 39),
    },
};

/**
 * The style for a file with these layers.
 * @param {string[]} layers
 */
export const styleFor = (layers) => (layers.includes("transportation") ? STYLES.openMapTiles : STYLES.protomaps);

/**
 * How wide a line is, in pixels.
 * @param {Row} row
 * @param {number} zoom
 */
export const widthOf = ({ width }, zoom) => Math.max(0.7, width * 1.45 ** (zoom - 18));

/** Whether a row draws what has these properties. */
export const fits = ({ key, kinds, unless }, properties) => (!kinds || kinds.has(String(properties[key]))) && !(unless && properties[unless]);
