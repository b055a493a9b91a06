export { exportStream } from "./export-stream.ts";
export { type HttpVariables, onlyOurOwn, onlyWithToken } from "./guard.ts";
export { metricsText } from "./metrics.ts";
export { OutputStreams } from "./output-streams.ts";
export { proposeRoute, waitMsOf } from "./propose-route.ts";
export { type HttpContext, param, type Route, readBody } from "./route.ts";
export { servePage } from "./serve-page.ts";
export { servePairing } from "./serve-pairing.ts";
