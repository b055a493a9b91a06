export { AllowedOrigins } from "./allowed-origins.ts";
export { listenOnPort, timeLimits } from "./listen-on-port.ts";
export { type Listening, listening } from "./listening.ts";
export { planned, Reach, type ReachOptions } from "./reach.ts";
export { webDoors } from "./web-doors.ts";
