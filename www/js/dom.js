// Elements without markup: texts of strangers are always text nodes.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an element. A function is a listener ("onclick"), true an attribute without a value; false, null and undefined are
 * left out. Children are nodes and texts; what is null or false is left out, too.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...any} children
 * @returns {any}
 */
export function el(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
    element.append(...present(children));
    return element;
}

/**
 * A time in words.
 * @param {string} datetime for programs: a day or a moment, by ISO 8601
 * @param {string} words
 */
export const timeIn = (datetime, words) => el("time", { datetime }, words);

function setAttribute(element, name, value) {
    if (value === false || value === null || value === undefined) return;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
}

function present(children) {
    return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

/** A drawing of index.html, which says nothing by itself: what it is on has a name. */
export function icon(name, className = "icon") {
    const svg = document.createElementNS(SVG, "svg");
    const use = document.createElementNS(SVG, "use");
    svg.setAttribute("class", className);
    svg.setAttribute("aria-hidden", "true");
    svg.setAttribute("viewBox", "0 0 24 24");
    use.setAttribute("href", `#icon-${name}`);
    svg.append(use);
    return svg;
}

/** Puts these children in the place of those that an element has. */
export function fill(element, ...children) {
    element.replaceChildren(...present(children));
    return element;
}

/** The element of index.html with this id. */
export function byId(id) {
    return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * The first element below another one that a selector means.
 * @param {ParentNode} parent
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export const query = (parent, selector) => parent.querySelector(selector);

/**
 * All of them.
 * @param {ParentNode} parent
 * @param {string} selector
 * @returns {HTMLElement[]}
 */
export const queryAll = (parent, selector) => [...parent.querySelectorAll(selector)].map((element) => /** @type {HTMLElement} */ (element));

/**
 * Says that buttons wait for an answer: isWaiting() keeps clicks from them. A disabled button would lose the focus.
 * @param {Iterable<Element>} controls
 * @param {boolean} waits
 */
export function setWaiting(controls, waits) {
    for (const one of controls) one.toggleAttribute("data-waits", waits);
    for (const one of controls) one.ariaDisabled = waits ? "true" : null;
}

/** Whether a button waits. */
export const isWaiting = (target) => target instanceof Element && target.closest("[data-waits]") !== null;

/** A link that looks like a button, with an icon. */
export function linkButton(href, iconName, label, className = "button") {
    return el("a", { href, class: className }, icon(iconName), el("span", {}, label));
}

/**
 * A button with an icon; without a text it has a label for those who do not see it.
 * @param {string} iconName
 * @param {string} label
 * @param {(event: Event) => void} onclick
 * @param {Record<string, any>} [options] further attributes; `text`: whether the label is to be seen
 */
export function button(iconName, label, onclick, { className = "button", text = true, ...others } = {}) {
    const named = text ? {} : { "aria-label": label, title: label };
    return el("button", { type: "button", class: className, onclick, ...named, ...others },
        icon(iconName), text && el("span", {}, label));
}
