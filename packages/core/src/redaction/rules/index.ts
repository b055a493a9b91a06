export { ADDRESSES } from "./addresses.ts";
export { ASSIGNMENTS } from "./assignments.ts";
export { KEYS } from "./keys.ts";
export { PROVIDERS } from "./providers.ts";
export { LOOK_BACK, type Rule, WINDOW } from "./rule.ts";
