// Pictures of this service, and those of others, which are not fetched: a fetch would tell others who reads.

/** Whether an address is a picture that this service keeps. The policy of the page lets no other be fetched. */
export function isOwnPicture(address) {
    if (!address) return false;
    const url = URL.canParse(address, location.href) ? new URL(address, location.href) : null;
    return url !== null && url.origin === location.origin && url.pathname.startsWith("/photos/");
}
