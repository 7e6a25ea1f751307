// Calls every operation of the interface by the types that openapi-typescript has made of its description. Takes the address
// of the document and what exists already; prints each call with its answer, a line of JSON each.
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

declare const process: { argv: string[] };

const [document = "", given = ""] = process.argv.slice(2);
const { email, password, category, picture } =
    JSON.parse(given) as { email: string; password: string; category: number; picture: string };
const { servers } = (await (await fetch(document)).json()) as { servers: { url: string }[] };
const form = (body: unknown) => new URLSearchParams(body as Record<string, string>).toString();
// A file is a Blob, whatever its type says.
const parts = (body: unknown) => {
    const data = new FormData();
    for (const [name, value] of Object.entries(body as Record<string, string | number | Blob>))
        data.append(name, typeof value === "number" ? String(value) : value);
    return data;
};
const inParts = { bodySerializer: parts, headers: { "Content-Type": null } } as const;

// The answers that are JSON; lists have other forms, too.
const client = createClient<paths, "application/json">({
    baseUrl: new URL(servers[0]!.url, document).href,
    bodySerializer: form,
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
});

// Node keeps no cookies.
let cookies = "";
client.use({
    onRequest({ request }) {
        if (cookies) request.headers.set("Cookie", cookies);
        return request;
    },
});

type Answer = { status: "SUCCESS" } | { status: "FAILED"; info: string };
type Success<A> = Extract<A, { status: "SUCCESS" }>;
type Result<A> = { data?: A; response: Response };

function shown<A extends Answer>(func: string, params: object, result: Result<A>): A {
    const { data, response } = result;
    if (data === undefined) throw new Error(`${func}: HTTP status ${response.status}`);
    console.log(JSON.stringify({ func, params, answer: data }));
    return data;
}

function succeeded<A extends Answer>(func: string, params: object, result: Result<A>): Success<A> {
    const answer = shown(func, params, result);
    if (answer.status === "FAILED") throw new Error(`${func}: ${answer.info}`);
    return answer as Success<A>;
}

const responseFormat = "JSON";
const query = { responseFormat } as const;
const album = { albumTitle: "墾丁 & <br>", category: 5, lat: 21.9483, lng: 120.7798 };
const blog = {
    type: "0_8", lat: 25.033, lng: 121.5654, blogTitle: "登山", blogContent: "<b>好</b>\r\n&amp;",
    year: 2024, month: 2, day: 29, weather: "晴空萬里",
} as const;

const { id, idrand } = succeeded("login", { email },
    await client.POST("/API.php/login", { params: { query }, body: { email, password } }));
cookies = `id=${id}; idrand=${idrand}`;

async function addAlbum() {
    const result = await client.POST("/API.php/addAlbum", { params: { query }, body: album });
    return succeeded("addAlbum", album, result).albumID;
}

async function postBlog() {
    const result = await client.POST("/API.php/postBlog", { params: { query }, body: blog });
    const { blogID, reward } = succeeded("postBlog", blog, result);
    if (reward < 0) throw new Error("a negative reward");
    return blogID;
}

const albumID = await addAlbum();
const newAlbum = { ...album, albumID, albumTitle: "改" };
succeeded("updateAlbum", newAlbum, await client.POST("/API.php/updateAlbum", { params: { query }, body: newAlbum }));
const oldAlbum = { albumID: await addAlbum(), delete: "true" } as const;
succeeded("updateAlbum", oldAlbum, await client.POST("/API.php/updateAlbum", { params: { query }, body: oldAlbum }));

const photo = new Blob([Uint8Array.from(atob(picture), (char) => char.charCodeAt(0))]) as unknown as string;
const photos = await addAlbum();
async function addPhoto() {
    const told = { albumID: photos, description: "第一張" };
    const result = await client.POST("/API.php/addPhoto", { params: { query }, body: { ...told, photo }, ...inParts });
    const { photoID, width } = succeeded("addPhoto", told, result);
    if (width <= 0) throw new Error("no width");
    return photoID;
}

const photoID = await addPhoto();
const newPhoto = { photoID, description: "改", position: 1, cover: "true" };
succeeded("updatePhoto", newPhoto, await client.POST("/API.php/updatePhoto", { params: { query }, body: newPhoto }));
const oldPhoto = { photoID: await addPhoto(), delete: "true" } as const;
succeeded("updatePhoto", oldPhoto, await client.POST("/API.php/updatePhoto", { params: { query }, body: oldPhoto }));
succeeded("updateUser", { name: "改" },
    await client.POST("/API.php/updateUser", { params: { query }, body: { name: "改", icon: photo }, ...inParts }));
succeeded("getPhoto", { photoID }, await client.GET("/API.php/getPhoto", { params: { query: { responseFormat, photoID } } }));

const newcomer = { email: "newcomer@example.org", password, name: "新", language: "zh-Hant" };
succeeded("register", { name: "新" }, await client.POST("/API.php/register", { params: { query }, body: newcomer }));
const token = { token: "0".repeat(32), password };
shown("confirmEmail", {}, await client.POST("/API.php/confirmEmail", { params: { query }, body: token }));
shown("resetPassword", {}, await client.POST("/API.php/resetPassword", { params: { query }, body: token }));
succeeded("requestPasswordReset", { email },
    await client.POST("/API.php/requestPasswordReset", { params: { query }, body: { email } }));
succeeded("changeEmail", {},
    await client.POST("/API.php/changeEmail", { params: { query }, body: { password, email: "new@example.org" } }));
succeeded("changePassword", {},
    await client.POST("/API.php/changePassword", { params: { query }, body: { password, newPassword: password } }));
shown("deleteUser", {}, await client.POST("/API.php/deleteUser", { params: { query }, body: { password: "wrong" } }));

const got = succeeded("getAlbum", { albumID },
    await client.GET("/API.php/getAlbum", { params: { query: { responseFormat, albumID } } }));
if (got.Location.lat !== album.lat || got.cover !== null) throw new Error("another album");
const { albumList } = succeeded("getUserAlbumList", { userID: id },
    await client.GET("/API.php/getUserAlbumList", { params: { query: { responseFormat, userID: id } } }));
if (albumList.find((item) => item.albumID === albumID)?.albumTitle !== newAlbum.albumTitle) throw new Error("no album");

const { POIList } = succeeded("getCategoryPOIList", { category },
    await client.GET("/API.php/getCategoryPOIList", { params: { query: { responseFormat, category } } }));
for (const { POIID } of POIList)
    succeeded("getPOI", { POIID }, await client.GET("/API.php/getPOI", { params: { query: { responseFormat, POIID } } }));

const blogID = await postBlog();
const replyBlogID = await postBlog();
const newBlog = { ...blog, blogID, blogTitle: "下山", replyBlogID, zoomLevel: 9, mapType: 2, userCategory: "x" };
succeeded("updateBlog", newBlog, await client.POST("/API.php/updateBlog", { params: { query }, body: newBlog }));
const oldBlog = { blogID: await postBlog(), delete: "true" } as const;
succeeded("updateBlog", oldBlog, await client.POST("/API.php/updateBlog", { params: { query }, body: oldBlog }));
succeeded("getBlog", { blogID }, await client.GET("/API.php/getBlog", { params: { query: { responseFormat, blogID } } }));

const comment = { blogID: replyBlogID, comment: "讚 & <br>" };
const addComment = async () => succeeded("addComment", comment,
    await client.POST("/API.php/addComment", { params: { query }, body: comment })).commentID;
const reply = { commentID: await addComment(), reply: "謝謝" };
succeeded("replyComment", reply, await client.POST("/API.php/replyComment", { params: { query }, body: reply }));
const oldReply = { commentID: reply.commentID, delete: "true" } as const;
succeeded("replyComment", oldReply, await client.POST("/API.php/replyComment", { params: { query }, body: oldReply }));
const oldComment = { commentID: await addComment(), delete: "true" } as const;
succeeded("updateComment", oldComment, await client.POST("/API.php/updateComment", { params: { query }, body: oldComment }));

const others = { POIID: POIList[0]!.POIID };
const recommended = succeeded("recommend", others,
    await client.POST("/API.php/recommend", { params: { query }, body: others })).score;
const takenBack = { ...others, delete: "true" } as const;
const { score } = succeeded("recommend", takenBack,
    await client.POST("/API.php/recommend", { params: { query }, body: takenBack }));
if (score !== recommended - 1) throw new Error("another score");

const reported = { ...others, reason: "請看" };
succeeded("report", reported, await client.POST("/API.php/report", { params: { query }, body: reported }));

const somewhere = { lat: 1, lng: 1 };
const { advertisement } = succeeded("getAdvertisement", somewhere,
    await client.GET("/API.php/getAdvertisement", { params: { query: { ...query, ...somewhere } } }));
if (advertisement === undefined) throw new Error("no advertisement");
const followed = { advertisementID: advertisement.advertisementID };
succeeded("clickAdvertisement", followed,
    await client.POST("/API.php/clickAdvertisement", { params: { query }, body: followed }));

const newVote = { blogID: replyBlogID, description: "哪一座?", choice1: "一", choice2: "二" };
succeeded("addVote", newVote, await client.POST("/API.php/addVote", { params: { query }, body: newVote }));
const ballot = { blogID: replyBlogID, choice: 2 };
const { vote } = succeeded("castVote", ballot, await client.POST("/API.php/castVote", { params: { query }, body: ballot }));
if (vote.choices[1]?.votes !== 1) throw new Error("another tally");
const closed = { blogID: replyBlogID };
succeeded("closeVote", closed, await client.POST("/API.php/closeVote", { params: { query }, body: closed }));
const user = succeeded("getUser", { userID: id },
    await client.GET("/API.php/getUser", { params: { query: { responseFormat, userID: id } } }));
const me = succeeded("getMe", {}, await client.GET("/API.php/getMe", { params: { query } }));
if (me.userID !== user.userID || me.photoBytes <= 0) throw new Error("another user");

const gone = { albumID: oldAlbum.albumID };
shown("getAlbum", gone, await client.GET("/API.php/getAlbum", { params: { query: { responseFormat, ...gone } } }));
succeeded("logout", {}, await client.POST("/API.php/logout", { params: { query } }));
succeeded("getPiece", { blogID }, await client.GET("/API.php/getPiece", { params: { query: { responseFormat, blogID } } }));
const page = { blogID, limit: 1 };
succeeded("getComments", page, await client.GET("/API.php/getComments", { params: { query: { responseFormat, ...page } } }));
const near = { lat: 25.03, lng: 121.56, radius: 100000, limit: 2 };
const { placeList } = succeeded("getNearby", near,
    await client.GET("/API.php/getNearby", { params: { query: { responseFormat, ...near } } }));
if (placeList[0] && placeList[0].title === "") throw new Error("a place without a title");
const box = { west: 121, south: 24, east: 122, north: 26, zoomLevel: 8 };
const view = succeeded("getMap", box, await client.GET("/API.php/getMap", { params: { query: { responseFormat, ...box } } }));
if (view.placeList.length + view.clusterList.length > 500) throw new Error("too much for a map");
const words = { q: "下山", limit: 1 };
succeeded("search", words, await client.GET("/API.php/search", { params: { query: { responseFormat, ...words } } }));
const newest = { limit: 1 };
succeeded("getBlogList", newest, await client.GET("/API.php/getBlogList", { params: { query: { responseFormat, ...newest } } }));
const author = { userID: id, from: "2001-01-01", limit: 1 };
succeeded("getDiary", author, await client.GET("/API.php/getDiary", { params: { query: { responseFormat, ...author } } }));
const site = succeeded("getSite", {}, await client.GET("/API.php/getSite", { params: { query: { responseFormat } } }));
if (site.languages.length === 0) throw new Error("no language");
const start = succeeded("getStart", {}, await client.GET("/API.php/getStart", { params: { query: { responseFormat } } }));
if (start.south >= start.north) throw new Error("a box that is upside down");
shown("addAlbum", album, await client.POST("/API.php/addAlbum", { params: { query }, body: album }));
