export { type Identity, silentLog } from "@countersign/core/base";
export { hubTools, ToolRegistry } from "./agent/facade/index.ts";
export { EditFileTool, ListDirTool, ReadFileTool, WriteFileTool } from "./agent/files/index.ts";
export {
  ApprovalManager,
  type ApprovalRequest,
  AuditLogger,
  BashTool,
  type CallResult,
  DeniedError,
  HubTool,
  type Tool,
  type ToolBinding,
  type ToolConfig,
  type ToolContext,
  type ToolDefinition,
  ToolError,
  type ToolHost,
  type ToolResult,
} from "./agent/tools/index.ts";
export type { LocalAgents } from "./api/index.ts";
export { type ToolPort, toolServer } from "./api/mcp/index.ts";
export { DEFAULT_GATEWAY_PORT, type Gateway, type GatewayOptions, startGateway } from "./gateway/index.ts";
export { listSandboxes, proposalAccount, type SandboxReader, sandboxAccount } from "./history/account/index.ts";
export { notShown, ReportCounter, type Span, unansweredIn } from "./history/report/index.ts";
export { type Replay, replay, type Suggestion, suggest } from "./history/review/index.ts";
export { type Hub, lacksSpace } from "./hub/index.ts";
export { type Claimant, openHubKey, type PairingApprover } from "./identity/index.ts";
export { editOffline, explainOffline, rotateOffline, trustOffline } from "./offline/index.ts";
export { claimedPermit } from "./permits/index.ts";
export {
  editRepository,
  type OfflinePolicies,
  openOffline,
  type RepositoryFile,
  readRepositoryFile,
  repositoryFor,
  type Trust,
  trustIn,
  viewPolicy,
} from "./policies/index.ts";
export { DEFAULT_PORT, type Served, type ServeOptions, serve } from "./serve.ts";
