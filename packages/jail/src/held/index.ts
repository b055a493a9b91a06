export { holdFacts } from "./hold-facts.ts";
export type { HeldCode } from "./hold-order.ts";
export { type Held, MountWatch } from "./mount-watch.ts";
