export { arrangeMounts } from "./arrange-mounts.ts";
export { JailDirectory, removeLeftBehind } from "./jail-directory.ts";
export { type JailedProcess, startJailed } from "./jailed-process.ts";
export { type SessionJailOptions, sessionJailView, settingsOf } from "./session-jail-options.ts";
export type { SessionMounts, SessionRequest } from "./session-mount.ts";
export { overlayLimits } from "./session-mount.ts";
export { openSessionNamespace, type SessionNamespace, type SessionRoot } from "./session-namespace.ts";
export { idArguments, type Session, sessionView, standingAlone } from "./session-view.ts";
export { makeTmpBindPath, makeWayTo, type TmpBindPath } from "./tmp-bind-path.ts";
