// Plays orders of writing, sending, losing and logging out on two devices by the page's own modules. No typed text may be lost:
// each one is stored by the service, kept on a device, still in a form, or its author saw what he put in its place.
//
//     node orders.mjs FIRST LAST [--without-versions | --without-aside | --without-keys]
//                        plays these seeds, and says which texts are lost; the options break something
//     node orders.mjs --steps SEED    the steps of a seed as JSON, for a browser

import { randomOf } from "./random.mjs";
import { draftsOf } from "./www/js/drafts.js";
import { BLOG } from "./www/js/kinds.js";
import { memoryStore } from "./www/js/memory_store.js";
import { NoAnswer, Refusal } from "./www/js/refusal.js";
import { begin, choose, isUnsent, keep, sendPiece } from "./www/js/work.js";

const ACCOUNT = 7;
const STEPS = 30;
const NAMES = ["blogTitle", "blogContent", "userCategory"];
const FIRST = {
    type: "0_2", lat: "25.0330", lng: "121.56", blogTitle: "title", blogContent: "content", year: 2026, month: 5, day: 3,
    weather: "晴空萬里", visibility: "public", userCategory: "label",
};

const ACTS = [["edit", 9], ["sync", 6], ["type while it is sent", 2], ["kill", 2], ["reload", 3], ["choose", 3], ["logout", 1], ["login", 2]];
const WEIGHT = ACTS.reduce((sum, [, weight]) => sum + weight, 0);

/** The steps of a seed: who does what. */
export function stepsOf(seed) {
    const random = randomOf(seed);
    const act = () => {
        let at = random(WEIGHT);
        return ACTS.find(([, weight]) => (at -= weight) < 0)[0];
    };
    return Array.from({ length: STEPS }, (_, n) => ({
        act: act(), device: random(2), tab: random(2), isNew: random(4) === 0, field: NAMES[random(NAMES.length)], text: `s${seed}t${n}`,
        network: ["well", "well", "well", "cut", "lost"][random(5)], choice: ["mine", "other"][random(2)],
        leaving: ["send", "keep", "delete"][random(3)],
    }));
}

/** A service that does a write with a key once, and refuses one upon another version. */
class Service {
    constructor(options) {
        Object.assign(this, { options, blogs: [], answers: new Map() });
        this.postBlog(FIRST);
    }

    read(id) {
        const { params, version } = this.blogs[id - 1];
        return { values: BLOG.valuesOf({ ...params, postDate: params }), version };
    }

    write(func, params, key) {
        const known = !this.options.has("--without-keys") && this.answers.get(key);
        const answer = known || this[func](params);
        this.answers.set(key, answer);
        if (answer.info) throw new Refusal(answer.info, 200);
        return answer;
    }

    postBlog(params) {
        return { blogID: this.blogs.push({ params, version: 1 }) };
    }

    updateBlog({ blogID, baseVersion, ...params }) {
        const blog = this.blogs[blogID - 1];
        if (baseVersion !== blog.version && !this.options.has("--without-versions")) return { info: "CHANGED MEANWHILE" };
        Object.assign(blog, { params: { visibility: blog.params.visibility, ...params }, version: blog.version + 1 });
        return {};
    }
}

/** A tab with a form. */
class Tab {
    constructor(device, place, isNew) {
        const { world, store, here } = device;
        Object.assign(this, { device, world, kept: null });
        this.id = `${place}.${++device.count}`;
        const before = device.tabs[place]?.id ?? device.before[place] ?? "";
        here.delete(before);
        here.add(this.id);
        this.drafts = draftsOf(store, { id: this.id, before, alone: (work) => work((tab) => !here.has(tab)) }, () => ++world.clock);
        this.isNew = isNew;
    }

    async open(way) {
        const { service } = this.world;
        const id = this.isNew ? "" : 1;
        const there = id ? service.read(id) : { values: { ...BLOG.valuesOf({ ...FIRST, postDate: FIRST }), blogTitle: "", blogContent: "" }, version: null };
        const draft = await this.drafts.open(ACCOUNT, id ? `blog.${id}` : "blog.new");
        const drafts = this.world.options.has("--without-aside") ? { ...this.drafts, setAside: async () => {} } : this.drafts;
        this.work = begin({ kind: BLOG, id, drafts, draft, there, way, redraw: () => this.draw() });
        this.draw();
    }

    // The form has the fields; all that it shows was seen by its author, who answers for what he puts in its place.
    draw() {
        const { work } = this;
        this.form = Object.fromEntries(NAMES.map((name) => [name, work.edit.values[name]]));
        work.current = () => ({ ...work.edit.values, ...this.form });
        for (const text of Object.values(this.form)) this.device.seen.add(text);
    }

    type(name, text) {
        this.world.typed.add(text);
        this.world.gone.add(this.form[name]);
        this.form[name] = text;
        this.kept = keep(this.work);
    }

    async choose(choice) {
        const [field] = this.work.conflicts;
        if (!field) return;
        await choose(this.work, field, choice === "mine");
        this.draw();
    }

    // Whoever types while it is sent does so at any of its steps.
    async sync(network, typing = () => {}) {
        const { work } = this;
        await this.kept;
        if (work.conflicts.length) return;
        this.network = network;
        const sending = sendPiece(work, work.current());
        typing();
        try {
            await sending;
            if (isUnsent(work)) await keep(work);
            else {
                await work.draft.forget();
                this.device.close(this);
            }
        } catch (error) {
            work.draft.failed(error);
            if (!(error instanceof NoAnswer || error instanceof Refusal)) throw error;
            await keep(work);
        }
    }
}

class Device {
    constructor(world) {
        Object.assign(this, { world, store: memoryStore(), tabs: [null, null], before: ["", ""], here: new Set(), seen: new Set(), isIn: true, count: 0 });
    }

    async open(place, isNew) {
        const tab = new Tab(this, place, isNew);
        const { service } = this.world;
        await tab.open({
            read: async (kind, id) => service.read(id),
            write: async (func, params, key) => {
                if (tab.network === "cut") throw new NoAnswer();
                const answer = service.write(func, params, key);
                if (tab.network === "lost") throw new NoAnswer();
                return answer;
            },
        });
        this.tabs[place] = tab;
        return tab;
    }

    close(tab) {
        const place = this.tabs.indexOf(tab);
        if (place < 0) return;
        this.before[place] = tab.id;
        this.here.delete(tab.id);
        this.tabs[place] = null;
    }

    async logout(leaving) {
        const open = this.tabs.filter(Boolean);
        await Promise.all(open.map(({ kept }) => kept));
        if (leaving === "send") for (const tab of open) await tab.sync("well");
        if (leaving === "delete") {
            for (const { edit } of await this.world.draftsOf(this)) this.world.deleted(edit?.values);
            for (const { form } of open) this.world.deleted(form);
            await this.any().removeAll(ACCOUNT);
        }
        for (const tab of this.tabs.filter(Boolean)) this.close(tab);
        this.isIn = false;
    }

    any() {
        return draftsOf(this.store, { id: "", before: "", alone: (work) => work(() => true) }, () => this.world.clock);
    }
}

/** Two devices, one service, and what became of each text. */
class World {
    constructor(options) {
        Object.assign(this, { options, service: new Service(options), clock: 0, typed: new Set(), gone: new Set() });
        this.devices = [new Device(this), new Device(this)];
    }

    deleted(values = {}) {
        for (const text of Object.values(values)) this.gone.add(text);
    }

    draftsOf(device) {
        return device.any().list(ACCOUNT);
    }

    async do({ act, device: number, tab: place, isNew, field, text, network, choice, leaving }) {
        const device = this.devices[number];
        if (act === "login") device.isIn = true;
        if (!device.isIn) return;
        if (act === "logout") return device.logout(leaving);
        const tab = device.tabs[place] ?? (act === "edit" && await device.open(place, isNew));
        if (!tab) return;
        if (act === "edit") tab.type(field, text);
        else if (act === "sync") await tab.sync(network);
        else if (act === "type while it is sent") await tab.sync(network, () => tab.type(field, text));
        else if (act === "choose") await tab.choose(choice);
        else {
            await tab.kept;    // what was typed within the last second is another matter
            if (act === "kill") device.close(tab);
            else await device.open(place, tab.isNew);
        }
    }

    /** The texts that are nowhere. What a form shows of the service counts for nothing. */
    async lost() {
        const there = new Set();
        const add = (values = {}) => { for (const text of Object.values(values)) there.add(text); };
        for (const { params } of this.service.blogs) add(params);
        for (const device of this.devices) {
            for (const tab of device.tabs.filter(Boolean)) await tab.kept;
            for (const { edit } of await this.draftsOf(device)) add(edit?.values);
        }
        return [...this.typed].filter((text) => !there.has(text) && !this.gone.has(text));
    }

    /** The texts that the service has twice. */
    twice() {
        const all = this.service.blogs.slice(1).map(({ params }) => params.blogContent).filter(Boolean);
        return all.filter((text, i) => all.indexOf(text) !== i);
    }
}

async function play(seed, options) {
    const world = new World(options);
    for (const step of stepsOf(seed)) await world.do(step);
    return { lost: await world.lost(), twice: world.twice() };
}

const [first, last, ...options] = process.argv.slice(2);
if (first === "--steps") console.log(JSON.stringify(stepsOf(Number(last))));
else {
    for (let seed = Number(first); seed <= Number(last); seed++) {
        const { lost, twice } = await play(seed, new Set(options));
        if (lost.length) console.log(`seed ${seed} lost ${lost.join(", ")}`);
        if (twice.length) console.log(`seed ${seed} wrote twice ${twice.join(", ")}`);
    }
    console.log(`${Number(last) - Number(first) + 1} orders`);
}
