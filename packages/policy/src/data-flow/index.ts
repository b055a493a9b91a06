export {
  findSender,
  findWritten,
  isDecoder,
  judgeDownloaded,
  noteDownload,
  noteText,
  noteUnpacked,
  noteWritten,
  printedText,
} from "./downloads.ts";
export { judgeFedReads, judgeLeaks, judgePipedData } from "./leaks.ts";
export { finishCarried, finishSuspicion, startSuspicion } from "./suspicion.ts";
