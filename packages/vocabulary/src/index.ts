export * from "./decisions.ts";
export * from "./effects.ts";
export * from "./exit-codes.ts";
export * from "./policy.ts";
export * from "./recording.ts";
export * from "./states.ts";
