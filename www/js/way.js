// The way of a diary on the map.

import { polyline } from "../leaflet/leaflet.esm.min.js";
import { showLayer } from "./map.js";
import { nearest } from "./markers.js";

const shortWay = (from, to) => ((((to - from + 180) % 360) + 360) % 360) - 180;

/**
 * A line from place to place, which is there until the signal.
 * @param {AbortSignal} signal
 * @returns {(places: any[]) => void} sets the places
 */
export function drawWay(signal) {
    const line = polyline([], { className: "way", interactive: false, smoothFactor: 1 });
    showLayer(line, signal);
    return (places) => {
        // The shorter way may lead across 180 degrees.
        let lng = nearest(places[0]?.Location.lng ?? 0);
        line.setLatLngs(places.map(({ Location }) => [Location.lat, lng += shortWay(lng, Location.lng)]));
    };
}
