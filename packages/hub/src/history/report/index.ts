export { makeReport, unansweredIn } from "./make-report.ts";
export { notShown } from "./not-shown.ts";
export type { Span } from "./span.ts";
export { Tally } from "./tally.ts";
