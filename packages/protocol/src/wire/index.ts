export { Backoff, type BackoffOptions } from "./backoff.ts";
export {
  type AgentInfo,
  type HubInfo,
  isMethodName,
  ledgerCheckSchema,
  listScopesResultSchema,
  METHODS,
  type MethodName,
  type MethodParams,
  type MethodResult,
  pauseParamsSchema,
  pauseResultSchema,
  type ResolveExecApprovalResult,
  resumeParamsSchema,
} from "./methods.ts";
export {
  type RunPermitEnd,
  type RunPermitLine,
  runPermitLineSchema,
  runPermitSchema,
  type SocketRequest,
  type SocketResponse,
  socketLineSchema,
  socketRequestSchema,
  socketResponseSchema,
} from "./socket.ts";
