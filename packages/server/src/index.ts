export type { AgentsHere } from "./agents-here/agents-here.ts";
export { type Clock, systemClock, type Timer } from "./clock.ts";
export { type ToolPort, toolServer } from "./doors/mcp/tool-server.ts";
export { DEFAULT_GATEWAY_PORT, type Gateway, type GatewayOptions, startGateway } from "./gateway/gateway.ts";
export { openHubKey } from "./gateway/hub-key.ts";
export { type Home, homeAt, prepareHome } from "./home.ts";
export { lacksRoom } from "./hub/disk-watch.ts";
export { Hub } from "./hub/hub.ts";
export type { Claimant, PairingDesk } from "./hub/pairing-desk.ts";
export { HubError } from "./hub-error.ts";
export { type Identity, LOCAL_AGENT } from "./identity.ts";
export { removeLeftBehind } from "./jail/jail-directory.ts";
export { JailError, type JailErrorCode } from "./jail/jail-error.ts";
export { overlayLimits } from "./jail/session/overlay-limits.ts";
export type { SessionWish } from "./jail/session/session-mount.ts";
export {
  giveable,
  openWorkspaceJail,
  type WorkspaceJail,
  type WorkspaceJailOptions,
} from "./jail/workspace-jail.ts";
export { checkLedger, type LedgerCheck } from "./ledger/check-ledger.ts";
export type { LedgerEntry } from "./ledger/entries.ts";
export { proveGrowth, proveReceipt } from "./ledger/proofs.ts";
export { rotateOffline } from "./ledger/rotate-offline.ts";
export { DEFAULT_LIMITS, type Limits } from "./limits.ts";
export { type Log, silentLog } from "./log.ts";
export { type Lock, LockError, tryLock } from "./machine/lock-file.ts";
export { editOffline, trustOffline } from "./profiles/edit-offline.ts";
export { editRepository, repositoryFor } from "./profiles/edit-repository.ts";
export { type OfflinePolicies, openOffline } from "./profiles/offline-policies.ts";
export { type RepositoryFile, readRepositoryFile } from "./profiles/repository-files.ts";
export { type Trust, trustIn } from "./profiles/trusted-repositories.ts";
export { viewPolicy } from "./profiles/view-policy.ts";
export { explainOffline } from "./propose/explain-offline.ts";
export type { AuditEvent } from "./record/audit.ts";
export { rebuildAudit } from "./record/rebuild-audit.ts";
export { joinRecorder, type PairOptions, pairHub } from "./recorder/pair.ts";
export { type Invitation, invitationSchema } from "./recorder/pairing.ts";
export { type StartedRecorder, type StartRecorderOptions, startRecorder } from "./recorder/start-recorder.ts";
export { unansweredIn } from "./report/make-report.ts";
export { notShown } from "./report/not-shown.ts";
export type { Span } from "./report/span.ts";
export { Tally } from "./report/tally.ts";
export { type Replay, replay } from "./review/replay.ts";
export { type Suggestion, suggest } from "./review/suggest.ts";
export { claimedPermit } from "./run/claim-command.ts";
export { filterSecrets, filterSecretsDeep } from "./secrets/filter-secrets.ts";
export { redactCommand } from "./secrets/redact-command.ts";
export { SECRET_ANCHORS } from "./secrets/rules.ts";
export { DEFAULT_PORT, type Served, type ServeOptions, serve } from "./serve.ts";
export { sha256Hex } from "./sha256.ts";
export { StartError } from "./start-error.ts";
export type { ActivityGroup } from "./store/history.ts";
export { backUpFile } from "./store/sqlite/back-up-file.ts";
export {
  openSqliteStore,
  openStoreToRead,
  readLedger,
  readReceipts,
  type StoreReader,
} from "./store/sqlite/open-sqlite-store.ts";
export { StoreError } from "./store/store-error.ts";
export { listSandboxes, type SandboxReader, tellSandbox } from "./story/sandbox-story.ts";
export { tellStory } from "./story/tell-story.ts";
export { ApprovalManager, type ApprovalRequest, type ToolBinding } from "./tools/approval-manager.ts";
export { AuditLogger } from "./tools/audit-logger.ts";
export { BashTool } from "./tools/bash-tool.ts";
export { DeniedError } from "./tools/denied-error.ts";
export { EditFileTool } from "./tools/files/edit-file-tool.ts";
export { ListDirTool } from "./tools/files/list-dir-tool.ts";
export { ReadFileTool } from "./tools/files/read-file-tool.ts";
export { WriteFileTool } from "./tools/files/write-file-tool.ts";
export { type Called, type Desk, HubTool } from "./tools/hub-tool.ts";
export { hubTools } from "./tools/hub-tools.ts";
export type { Tool, ToolConfig, ToolContext, ToolDefinition, ToolResult } from "./tools/tool.ts";
export { ToolError } from "./tools/tool-error.ts";
export { ToolRegistry } from "./tools/tool-registry.ts";
export { VERSION } from "./version.ts";
