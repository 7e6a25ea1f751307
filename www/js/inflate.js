// What pmtiles asks of a library for browsers without DecompressionStream. All that the page supports have one, so the page brings none.

export function decompressSync() {
    throw new Error("this browser cannot decompress");
}
