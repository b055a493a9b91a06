export { proposalHashOf } from "./proposal-hash.ts";
export { quoteWord, quoteWords } from "./quoting.ts";
export { REDACTION_MARK, visible, visibleJson, visibleLines } from "./visible.ts";
