export { BashSession, type SessionRun } from "./bash-session.ts";
export { sessionRoutes } from "./session-routes.ts";
export { Sessions } from "./sessions.ts";
