// The credits of what the map shows, in its corner. Those of an operator or of a map file may be HTML.

import * as L from "../leaflet/leaflet.esm.min.js";
import { el, fill } from "./dom.js";

const MARKUP = /[<&]/;

// The purifier is large, and most credits are plain.
const nodesOf = async (credit) => (MARKUP.test(credit) ? (await import("./trusted.js")).sanitized(credit).fragment : credit);

const creditOf = (layer) => layer.getAttribution?.() || "";

/** A control of Leaflet. */
export const Credits = L.Control.extend({
    options: { position: "bottomright" },

    onAdd(map) {
        this.box = el("div", { class: "leaflet-control-attribution" });
        map.on("layeradd layerremove", this.follow, this);
        this.draw();
        return this.box;
    },

    onRemove(map) {
        map.off("layeradd layerremove", this.follow, this);
    },

    // Markers come and go by the hundred, and have none.
    follow({ layer }) {
        if (creditOf(layer)) this.draw();
    },

    draw() {
        const credits = new Set();
        this._map.eachLayer((layer) => credits.add(creditOf(layer)));
        credits.delete("");
        const drawing = this.drawing = Promise.all(Array.from(credits, nodesOf));
        drawing.then((all) => {
            if (this.drawing === drawing) fill(this.box, ...all.flatMap((credit, i) => (i ? [" | ", credit] : [credit])));
        }, (error) => console.warn(error));
    },
});
