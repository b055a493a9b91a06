export { type CliDevice, deviceIdOf, openDevice } from "./device-key.ts";
export { type ExecTransport, execTransport, socketTransport } from "./exec-transport.ts";
export { findHub, type HttpHub } from "./find-hub.ts";
export { callHttp } from "./http.ts";
export { byteLinesOf } from "./lines-of.ts";
export { anything, readAnswer, type Schema } from "./read-answer.ts";
export { askSocket, HubLine, isListening } from "./socket.ts";
