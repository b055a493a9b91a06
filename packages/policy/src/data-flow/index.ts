export { judgeFedReads } from "./judge-fed-reads.ts";
export { judgeLeaks } from "./judge-leaks.ts";
export { judgePipedData } from "./judge-piped-data.ts";
export { isDecoder, printedText } from "./made-code.ts";
export { finishCarried, finishSuspicion, startSuspicion } from "./suspect.ts";
export { judgeDownloaded, noteDownload, noteUnpacked, noteWritten } from "./track-downloads.ts";
export { findWritten, noteText } from "./track-written.ts";
