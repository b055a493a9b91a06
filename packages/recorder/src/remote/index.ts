export { linkRecorder, openHubStore } from "./open-hub-store.ts";
export { joinRecorder, type PairOptions, pairHub } from "./pair.ts";
export { type Invitation, invitationSchema } from "./pairing.ts";
export { type StartedRecorder, type StartRecorderOptions, startRecorder } from "./start-recorder.ts";
