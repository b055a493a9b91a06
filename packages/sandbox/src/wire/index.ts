export { EventReader, type ExecdEvent } from "./event-stream.ts";
export { GoJsonError } from "./go-json.ts";
export { goUtf8 } from "./go-text.ts";
export {
  decodeFirst,
  decodeOnly,
  type GoType,
  goAboutInt,
  goBool,
  goInt,
  goMap,
  goOptionalBool,
  goOptionalUint32,
  goSlice,
  goString,
  goStruct,
  takeFirst,
  takeOnly,
} from "./go-types.ts";
export { MultipartReader, type PartSink } from "./multipart.ts";
export { boundaryOf } from "./part-head.ts";
export { PtyFrameReader, type PtyPiece } from "./pty-frames.ts";
export { type Operation, type Ports, type Route, routeOf } from "./routes.ts";
export { ACCESS_TOKEN, ACCESS_TOKEN_NAME, EXECD_PORT } from "./stock.ts";
export { readQuery, readTarget } from "./target.ts";
