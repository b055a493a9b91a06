export { findSender } from "./download-sender.ts";
export { findWritten, judgeDownloaded, noteDownload, noteText, noteUnpacked, noteWritten } from "./downloads.ts";
export { judgeFedReads, judgeLeaks, judgePipedData } from "./leaks.ts";
export { isDecoder, printedText } from "./printed-text.ts";
export { finishCarried, finishSuspicion, startSuspicion } from "./suspicion.ts";
