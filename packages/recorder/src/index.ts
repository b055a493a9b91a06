export { type FrameCounts, openRecorder, refuseLongPath } from "./frames/index.ts";
export {
  type Invitation,
  invitationSchema,
  joinRecorder,
  linkRecorder,
  openHubStore,
  type PairOptions,
  pairHub,
  type StartedRecorder,
  type StartRecorderOptions,
  startRecorder,
} from "./remote/index.ts";
