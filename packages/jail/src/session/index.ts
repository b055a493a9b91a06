export { arrangeMounts } from "./arrange-mounts.ts";
export { JailDirectory, removeLeftBehind } from "./jail-directory.ts";
export { type JailedProcess, startJailed } from "./jailed-process.ts";
export { type Lasting, lastingView, settingsOf } from "./lasting.ts";
export { overlayLimits } from "./overlay-limits.ts";
export type { SessionMounts, SessionWish } from "./session-mount.ts";
export { openSessionRoom, type SessionRoom, type SessionRoot } from "./session-room.ts";
export { idArguments, type Session, sessionView, standingAlone } from "./session-view.ts";
export { makeWayInTemporary, makeWayTo, type WayInTemporary } from "./way-in-temporary.ts";
