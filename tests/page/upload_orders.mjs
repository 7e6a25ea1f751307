// Plays orders of choosing photos, losing the network, refusals and logging out by the page's own queue. Each photo that somebody
// chose and did not give up is stored once, in the order of choosing, by its own account.
//
//     node upload_orders.mjs FIRST LAST [--without-keys | --without-order]
//                        plays these seeds, and says what went wrong; the options break something

import { randomOf } from "./random.mjs";
import { UploadQueue } from "./www/js/upload_queue.js";
import { NoAnswer, Refusal } from "./www/js/refusal.js";

const ACCOUNTS = [7, 8];
const ALBUMS = ["#album=1", "#album=2"];
const STEPS = 40;
const FATES = ["well", "well", "well", "well", "cut", "lost", "often", "full", "ended", "slow", "slow"];
const BEFORE = { often: "TOO MANY ATTEMPTS", ended: "LOGIN REQUIRED" };    // refusals that come before the key is looked at
const ACTS = ["add", "add", "add", "answer", "answer", "answer", "wake", "retry", "drop", "login", "logout"];
const DAMAGED = 9;    // one of so many files is no photo

const turn = () => new Promise((resolve) => { setImmediate(resolve); });

/** A service that remembers what it answered to a key. The next fate says what becomes of a request. */
class Service {
    constructor(random, options) {
        Object.assign(this, { random, options, stored: [], answers: new Map(), held: [], isWell: false });
    }

    async send({ account, where, file, key }, { signal }) {
        const fate = this.isWell ? "well" : FATES[this.random(FATES.length)];
        if (fate === "slow") await new Promise((resolve) => { this.held.push(resolve); });
        if (signal.aborted) throw new DOMException("aborted", "AbortError");
        if (fate === "cut") throw new NoAnswer("cut");
        if (Object.hasOwn(BEFORE, fate)) throw new Refusal(BEFORE[fate], 200);
        const known = this.options.has("--without-keys") ? undefined : this.answers.get(key);
        const answer = known ?? this.store({ account, where, file }, fate);
        this.answers.set(key, answer);
        if (fate === "lost") throw new NoAnswer("lost");
        if (answer.info) throw new Refusal(answer.info, 200);
        return answer;
    }

    store(photo, fate) {
        if (fate === "full") return { info: "QUOTA EXCEEDED" };
        if (photo.file.isDamaged) return { info: "PHOTO NOT READABLE" };
        this.stored.push(photo);
        return {};
    }

    answer = () => this.held.shift()?.();
}

class Play {
    constructor(seed, options) {
        this.random = randomOf(seed);
        this.service = new Service(this.random, options);
        this.account = ACCOUNTS[0];
        this.chosen = [];
        this.sleeping = [];
        this.queue = new UploadQueue({
            send: (one, more) => this.service.send(one, more), account: () => this.account,
            onlogout: () => this.become(undefined), sleep: () => new Promise((resolve) => { this.sleeping.push(resolve); }),
        });
        if (options.has("--without-order")) this.queue.list = ((list) => (where) => list(where).reverse())(this.queue.list.bind(this.queue));
    }

    become(account) {
        this.account = account;
        this.queue.resume();
    }

    pick = (state) => {
        const all = this.queue.list().filter((one) => !state || one.state === state);
        return all[this.random(all.length)];
    };

    acts = {
        add: () => {
            if (!this.account) return;
            const where = ALBUMS[this.random(ALBUMS.length)];
            const files = Array.from({ length: 1 + this.random(4) }, () => ({ n: this.chosen.length + this.random(1000) / 1000, isDamaged: this.random(DAMAGED) === 0 }));
            this.chosen.push(...files.map((file) => ({ account: this.account, where, file, isDropped: false })));
            this.queue.add(where, {}, files);
        },
        answer: () => this.service.answer(),
        wake: () => {
            this.queue.wake();
            for (const done of this.sleeping.splice(0)) done();
        },
        retry: () => {
            const one = this.pick("stopped");
            if (one) this.queue.retry(one);
        },
        drop: () => {
            const one = this.pick("");
            if (!one || one.state === "arrived") return;
            this.chosen.find(({ file }) => file === one.file).isDropped = true;
            this.queue.drop(one);
        },
        login: () => this.become(ACCOUNTS[this.random(ACCOUNTS.length)]),
        logout: () => this.become(undefined),
    };

    /** All is well from now on, and everybody comes back. */
    async end() {
        this.service.isWell = true;
        for (let n = 0; n < 3 * STEPS; n++) {
            if (n % 20 === 0) this.become(ACCOUNTS[(n / 20) % 2]);
            for (const one of this.queue.list().filter(({ state }) => state === "stopped")) this.queue.retry(one);
            this.service.answer();
            this.acts.wake();
            await turn();
        }
    }

    /** What went wrong. */
    faults() {
        const { stored } = this.service;
        const countOf = (file) => stored.filter((one) => one.file === file).length;
        const wanted = this.chosen.filter(({ file, isDropped }) => !file.isDamaged && !isDropped);
        const isMine = (one) => this.chosen.some(({ account, where, file }) => file === one.file && account === one.account && where === one.where);
        return [
            ...wanted.filter(({ file }) => countOf(file) === 0).map(({ file }) => `lost ${file.n}`),
            ...this.chosen.filter(({ file }) => countOf(file) > 1).map(({ file }) => `twice ${file.n}`),
            ...stored.filter((one) => !isMine(one)).map(({ file }) => `of another ${file.n}`),
            ...ALBUMS.flatMap((where) => ACCOUNTS.flatMap((account) => this.disorder(where, account, wanted))),
        ];
    }

    disorder(where, account, wanted) {
        const of = (all) => all.filter((one) => one.where === where && one.account === account).map(({ file }) => file);
        const right = of(wanted);
        const came = of(this.service.stored).filter((file) => right.includes(file));
        return came.length === right.length && came.some((file, i) => file !== right[i]) ? [`out of order ${where} of ${account}`] : [];
    }
}

async function played(seed, options) {
    const play = new Play(seed, options);
    for (let n = 0; n < STEPS; n++) {
        play.acts[ACTS[play.random(ACTS.length)]]();
        for (let i = play.random(3); i >= 0; i--) await turn();
    }
    await play.end();
    return play.faults();
}

const [first, last, ...given] = process.argv.slice(2);
for (let seed = Number(first); seed <= Number(last); seed++) {
    for (const fault of await played(seed, new Set(given))) console.log(`${seed}: ${fault}`);
}
console.log(`${Number(last) - Number(first) + 1} orders`);
