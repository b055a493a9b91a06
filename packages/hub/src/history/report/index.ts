export type { Span } from "./counters.ts";
export { makeReport, unansweredIn } from "./make-report.ts";
export { notShown } from "./not-shown.ts";
export { ReportCounter } from "./report-counter.ts";
