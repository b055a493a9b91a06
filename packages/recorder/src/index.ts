export { refuseLongPath } from "./frames/listen-at.ts";
export { openRecorder } from "./frames/open-recorder.ts";
export type { FrameCounts } from "./frames/recorder.ts";
export { linkRecorder, openHubStore } from "./remote/open-hub-store.ts";
export { joinRecorder, type PairOptions, pairHub } from "./remote/pair.ts";
export { type Invitation, invitationSchema } from "./remote/pairing.ts";
export { type StartedRecorder, type StartRecorderOptions, startRecorder } from "./remote/start-recorder.ts";
