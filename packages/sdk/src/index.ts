export * from "./approval.ts";
export * from "./hub-state.ts";
export * from "./outcome.ts";
export * from "./problem.ts";
export * from "./proposal.ts";
export * from "./socket.ts";
