export { type Beginning, BegunIn } from "./begun-in.ts";
export { BodyReader } from "./body-reader.ts";
export { Contexts } from "./contexts.ts";
export { errorAnswer } from "./error-answer.ts";
export { HeadBuffer, LONGEST_HEAD } from "./head-buffer.ts";
export { HeldBytes } from "./held-bytes.ts";
export {
  type AnswerHead,
  type Headers,
  headerOf,
  type RequestHead,
  readAnswerHead,
  readRequestHead,
} from "./message-head.ts";
export { withoutExtensions } from "./plain-socket.ts";
export { portsOf } from "./ports.ts";
export { PROXY_LIMITS, type ProxyLimits } from "./proxy-limits.ts";
export { Reading } from "./reading.ts";
export { write, writeAndLetGo } from "./write-and-let-go.ts";
