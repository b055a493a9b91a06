export { type EngineProbe, probeEngine } from "./probe-engine.ts";
export { giveable, openWorkspaceJail, WorkspaceJail, type WorkspaceJailOptions } from "./workspace-jail.ts";
