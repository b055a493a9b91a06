export { exportStream } from "./export-stream.ts";
export { type DoorVariables, onlyOurOwn, onlyWithToken } from "./guard.ts";
export { metricsText } from "./metrics.ts";
export { outputRoute } from "./output-route.ts";
export { pageDoor } from "./page-door.ts";
export { pairingDoor } from "./pairing-door.ts";
export { proposeRoute, waitMsOf } from "./propose-route.ts";
export { type DoorContext, param, type Route, type RouteRooms, readBody } from "./route.ts";
