export { fromBase64url, toBase64url } from "./base64url.ts";
export { isTooLong, readFrame, writeFrame } from "./frame.ts";
export { asGatewayError, GatewayError, type GatewayErrorCode } from "./gateway-error.ts";
export { makeMessageId } from "./message-id.ts";
export type { SocketLike, WebSocketConstructor } from "./web-socket.ts";
