export { explainFailure } from "./explain-failure.ts";
export { type Jailed, type JailRequest, Jails, type Lent } from "./jails.ts";
export { ownHosts } from "./own-hosts.ts";
export { type JailProbe, probeJails } from "./probe-jails.ts";
export { runInJail } from "./run-in-jail.ts";
export { snapshotCode } from "./snapshot-code.ts";
export { giveable, openWorkspaceJail, WorkspaceJail, type WorkspaceJailOptions } from "./workspace-jail.ts";
