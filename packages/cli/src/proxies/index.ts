export { startServer } from "./child-server.ts";
export {
  CONNECTION_CLOSED,
  errorResponse,
  errorResult,
  hasTwinOf,
  INVALID_PARAMS,
  INVALID_REQUEST,
  idKey,
  isObject,
  type Message,
  PARSE_ERROR,
} from "./message.ts";
export { type Incoming, lineOf, readMessage } from "./read-message.ts";
export { type Ends, type Relay, spawnProxied } from "./spawn-proxied.ts";
export type { Ended, Upstream } from "./upstream.ts";
