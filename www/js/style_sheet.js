// Style sheets that a first view does without. A module that needs one awaits the sheet, so nothing is seen without its style.

/**
 * Loads a style sheet, and resolves once the sheet is in use. Forced colours keep the last word.
 * @param {string} name of the file
 */
export const styleSheet = (name) => new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL(`../css/${name}`, import.meta.url).href;
    link.onload = () => resolve();
    link.onerror = () => {
        link.remove();
        reject(new Error(`${name} cannot be loaded`));
    };
    document.querySelector("link[href$='forced.css']").before(link);
});
