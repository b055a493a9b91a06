export { proposalHashOf } from "./proposal-hash.ts";
export { quoteWord } from "./quote-word.ts";
export { quoteWords } from "./quote-words.ts";
export { REDACTION_MARK } from "./redaction-mark.ts";
export { visible, visibleJson, visibleLines } from "./visible.ts";
