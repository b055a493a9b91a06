export { denyWhatFails } from "./deny-what-fails.ts";
export { answerHookLine } from "./hook-line.ts";
export { hookQuerySchema, hookRoute } from "./hook-route.ts";
