export type { CallEnd, Denial, Gate, OpenTerminals, Permit, ProposedCall } from "./before.ts";
export { Call, type Desk, type Ending } from "./call.ts";
export { FollowCommands } from "./follow-commands.ts";
export { OwnCalls } from "./own-calls.ts";
export { Ptys } from "./ptys.ts";
export { tellPtyAgain, tellPtyEnd } from "./tell-pty.ts";
export { tellRefusal } from "./tell-refusal.ts";
export { Tellings } from "./tellings.ts";
