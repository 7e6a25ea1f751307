// An author: the diary by date, on the map too, and albums.

import { read } from "../api.js";
import { dayOf } from "../domain.js";
import { el, fill, icon, linkButton } from "../dom.js";
import { feedLinks } from "../feeds.js";
import { card, nothing, pagedList, waiting } from "../lists.js";
import { fit } from "../map.js";
import { showPlaces } from "../markers.js";
import { complain } from "../notes.js";
import { avatar, line, nameOf, titleOf } from "../people.js";
import { address, renew } from "../router.js";
import { isMe } from "../session.js";
import { formatDay, formatMonth, formatNumber, t } from "../texts.js";
import { unread } from "../unread.js";
import { drawWay } from "../way.js";

const LIMIT = 50;

export async function showUser(panel, { value: userID, signal, rows }) {
    fill(panel, waiting());
    const diary = el("section", { class: "diary", "aria-label": t("diary") }, waiting());
    try {
        const [about, { albumList }] = await Promise.all([read("getUser", { userID }, signal), read("getUserAlbumList", { userID }, signal)]);
        fill(panel, head(about), albums(albumList, isMe(about.userID)), el("h2", {}, t("diary")), diary, feedLinks("getDiary", { userID }));
        document.title = nameOf(about.name, about.userID);
        fill(diary, await entries(userID, signal, rows));
    } catch (error) {
        if (!signal.aborted) unread(panel, error, { gone: t("error.user"), retry: renew });
    }
}

function head({ name, userID, icon: picture, joinDate, blogCount, albumCount, score }) {
    const number = (value, label) => el("li", {}, el("strong", {}, formatNumber(value)), ` ${label}`);
    return el("header", { class: "user-head" },
        avatar(nameOf(name, userID), picture, "avatar large"),
        el("div", {},
            el("h1", { tabindex: "-1", dir: "auto" }, nameOf(name, userID)),
            joinDate && el("p", { class: "facts" }, t("since", { day: formatDay(joinDate) })),
            el("ul", { class: "numbers" }, number(blogCount, t("kind.blogs")), number(albumCount, t("kind.albums")), number(score, t("score")))),
        isMe(userID) && linkButton(address("me"), "settings", t("profile"), "button small"));
}

function albums(list, own) {
    if (!list.length && !own) return null;
    return el("section", { "aria-label": t("kind.albums") },
        el("h2", {}, t("kind.albums")),
        el("ul", { class: "album-list" },
            list.map(({ albumID, albumTitle }) => el("li", {}, el("a", { href: address("album", albumID) }, icon("photos"), line(titleOf(albumTitle))))),
            own && el("li", {}, el("a", { href: address("album-edit") }, icon("plus"), t("album.new")))));
}

// A heading for each month. The map shows what the list does, with a line from day to day.
function entries(userID, signal, rows) {
    const shown = [];
    const setWay = drawWay(signal);
    const onpage = (places) => {
        const isFirst = !shown.length;
        shown.push(...places);
        showPlaces(shown);
        setWay(shown);
        if (isFirst) fit(shown);
    };
    let month = "";
    const item = (place) => {
        const heading = formatMonth(dayOf(place));
        const row = card(place);
        if (heading === month) return row;
        month = heading;
        row.prepend(el("h3", { class: "month" }, heading));
        return row;
    };
    const readPage = async (after) => {
        const { placeList, next } = await read("getDiary", { userID, limit: LIMIT, after }, signal);
        return { items: placeList, next };
    };
    return pagedList(readPage, { item, empty: () => nothing(t("empty.diary")), oncomplain: complain, onpage, least: rows });
}
