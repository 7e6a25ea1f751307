// What people do in the page, in Firefox: node page.mjs STORY ADDRESS EMAIL PASSWORD PHOTO. Ends with 1 and the reason if the page
// does not get there, or writes anything to the console.

import puppeteer from "puppeteer-core";

const [story, address, email, password, photo] = process.argv.slice(2);
const PATIENCE = 60_000;
const browser = await puppeteer.launch({ browser: "firefox", executablePath: "/usr/bin/firefox-esr", headless: true, timeout: PATIENCE });
const page = await browser.newPage();
const messages = [];
page.on("console", (message) => { if (["error", "warn"].includes(message.type())) messages.push(message.text()); });
page.on("pageerror", (error) => messages.push(String(error)));

/** Until this is true in the page. */
async function until(what, condition, ...values) {
    for (const end = Date.now() + PATIENCE; Date.now() < end;) {
        if (await page.evaluate(condition, ...values).catch(() => false)) return;
        await new Promise((resolve) => { setTimeout(resolve, 50); });
    }
    const text = await page.evaluate(() => document.body.innerText);
    throw new Error(`waited in vain: ${what}: ${text.slice(-600)}`);
}

const see = (selector, text = "") => until(`${selector} ${text}`, (wanted, words) => [...document.querySelectorAll(wanted)]
    .some((element) => element.checkVisibility() && element.innerText.replace(/\s+/g, " ").includes(words)), selector, text);

async function go(hash, ready) {
    await page.goto(`${address}/${hash}`);
    await see(ready);
}

async function click(selector, text = "") {
    await see(selector, text);
    for (const element of await page.$$(selector)) {
        if (!(await element.evaluate((one, words) => one.checkVisibility() && one.innerText.includes(words), text))) continue;
        await element.evaluate((one) => one.scrollIntoView({ block: "center" }));
        return element.click();
    }
    throw new Error(`${selector} ${text} is gone`);
}

async function type(selector, text) {
    await click(selector);
    await page.keyboard.type(text);
}

async function clickMap() {
    const { x, y, width, height } = await (await page.$("#map")).boundingBox();
    await page.mouse.click(x + 0.6 * width, y + 0.6 * height);
}

async function logIn() {
    await go("#login", "[name=email]");
    await type("[name=email]", email);
    await type("[name=password]", password);
    await click("#panel button[type=submit]");
    await see(".tabs");
}

const save = () => click(".form-end button[type=submit]");

const STORIES = {
    async reading() {
        await go("", ".card");
        await see(".leaflet-marker-icon");
        await until("the map is drawn", () => [...document.querySelectorAll("canvas.leaflet-tile-loaded")].some((canvas) =>
            new Set(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data).size > 8));
        const title = await page.evaluate(() => document.querySelector(".card-title").innerText);
        await click(".card-link");
        await see(".piece h1", title);
        await page.evaluate(() => history.back());    // goBack() would wait for another document
        await see(".card-title", title);
    },

    async searching() {
        await go("", ".card");
        const title = await page.evaluate(() => document.querySelector(".card-title").innerText);
        await type("[name=q]", title);
        await see(".found-title", title);
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
        await see(".piece h1", title);
    },

    async writing() {
        await logIn();
        await go("#write", ".editor");
        await type("[name=blogTitle]", "From Firefox");
        await type(".editor", "a < b & ");
        await click("[aria-label=Bold]");
        await page.keyboard.type("bold");
        await clickMap();
        await click(".folded > summary");
        await click("[data-field=type] .choice", "Food");
        await click("[data-field=weather] .choice", "Drizzle");
        // The draft outlives the page.
        await see(".form-end [role=status]", "Saved");
        await page.reload();
        await see(".editor", "a < b & bold");
        await save();
        await see(".piece h1", "From Firefox");
        await see(".piece .prose :is(b, strong)", "bold");
    },

    async photographing() {
        await logIn();
        await go("#album-edit", "[name=albumTitle]");
        await type("[name=albumTitle]", "Harbour");
        await clickMap();
        await save();
        await see(".drop");
        await (await page.$("#photo-files")).uploadFile(photo);
        await until("the photo is there", () => document.querySelector(".photos img")?.naturalWidth > 0);
        await click(".photo");
        await until("the viewer has it", () => document.querySelector(".viewer img")?.naturalWidth > 0);
        await page.keyboard.press("Escape");
        await until("the viewer is closed", () => !document.querySelector(".viewer"));
    },
};

try {
    await STORIES[story]();
    if (messages.length) throw new Error(messages.join("\n"));
} catch (error) {
    process.exitCode = 1;
    console.error(error.message);
} finally {
    await browser.close();
}
