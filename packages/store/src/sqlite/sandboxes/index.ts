export { SandboxCounts } from "./count-sandboxes.ts";
export { AsidePlacer } from "./place-aside.ts";
export { placeInside } from "./place-inside.ts";
export { sandboxesIn, sandboxIn, terminalsIn } from "./read-sandboxes.ts";
export { explanationIn, stepsIn, unexplainedIn } from "./read-steps.ts";
export { OPENED_TERMINALS, READABLE_DROPS, SANDBOXES, SIDES } from "./schema.ts";
