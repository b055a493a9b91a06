export { isolatedRoutes, noIsolatedRoutes } from "./isolated-routes.ts";
export { IsolatedSessions } from "./isolated-sessions.ts";
export type { Isolation, IsolationWish, Isolator } from "./isolator.ts";
