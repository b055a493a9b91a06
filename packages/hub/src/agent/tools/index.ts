export { ApprovalManager, type ApprovalRequest, DeniedError, type ToolBinding } from "./approval-manager.ts";
export { AuditLogger } from "./audit-logger.ts";
export { BashTool } from "./bash-tool.ts";
export { findPlace, missingParent, type Place, refuseUnlessDirectory, refuseUnlessFile } from "./find-place.ts";
export { followApproval } from "./follow-approval.ts";
export { type Bound, HubTool, type ToolHost } from "./hub-tool.ts";
export { outputOf } from "./to-result.ts";
export type { CallResult, Tool, ToolConfig, ToolContext, ToolDefinition, ToolResult } from "./tool.ts";
export { ToolError } from "./tool-error.ts";
