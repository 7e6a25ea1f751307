// Measures an address as Lighthouse does for a phone, so many times, with this browser, and prints the figures of each run.

import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";

const [chromePath, address, times] = process.argv.slice(2);
const CATEGORIES = ["performance", "accessibility", "best-practices"];

async function measure() {
    // The certificate is one of a test.
    const chromeFlags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--ignore-certificate-errors"];
    const chrome = await launch({ chromePath, chromeFlags });
    try {
        const { lhr } = await lighthouse(address, { port: chrome.port, logLevel: "error", onlyCategories: CATEGORIES });
        return figuresOf(lhr);
    } finally {
        chrome.kill();
    }
}

function figuresOf({ categories, audits, environment }) {
    const scores = Object.fromEntries(CATEGORIES.map((name) => [name, Math.round(100 * categories[name].score)]));
    const faults = ["accessibility", "best-practices"].flatMap((name) => categories[name].auditRefs)
        .filter(({ id, weight }) => weight > 0 && (audits[id].score ?? 1) < 1).map(({ id }) => id);
    return { ...scores, faults, benchmarkIndex: environment.benchmarkIndex };
}

const runs = [];
while (runs.length < Number(times)) runs.push(await measure());
process.stdout.write(JSON.stringify(runs));
