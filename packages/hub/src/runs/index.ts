export { type Following, followOutput } from "./follow-output.ts";
export { endInterruptedPreviews } from "./open-previews.ts";
export { Previews } from "./previews.ts";
export { RecentOutputs } from "./recent-outputs.ts";
export { type RunControl, Runner } from "./run.ts";
export { Runs } from "./runs.ts";
export { withoutOutput } from "./without-output.ts";
