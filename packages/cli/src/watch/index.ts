export { HubLink } from "./hub-link.ts";
export { runLines } from "./line.ts";
export { render } from "./render.ts";
export { runWatch } from "./run.ts";
export { SideEffects } from "./side-effects.ts";
