export { type Following, followOutput } from "./follow-output.ts";
export { endInterruptedPreviews } from "./open-previews.ts";
export { Previews } from "./previews.ts";
export { type RunControl, Runner } from "./run.ts";
export { Runs, withoutOutput } from "./runs.ts";
