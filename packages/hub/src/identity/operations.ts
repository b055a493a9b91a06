import type { Role } from "@countersign/vocabulary";

/** The ways in. */
export type DoorName = "envelope" | "rpc" | "http" | "socket";

export interface Operation {
  readonly roles: readonly Role[];
  /** What it is called at each door; a door that isn't named doesn't have it. */
  readonly envelope?: string;
  readonly rpc?: readonly string[];
  readonly http?: string;
  readonly socket?: string;
}

const PROPOSERS = ["agent", "approver"] as const;
const WATCHERS = ["observer", "approver"] as const;
const APPROVERS = ["approver"] as const;
const EVERYONE = ["agent", "observer", "approver"] as const;

/**
 * Who may do what, through which door: the one table. An agent never decides, not even about its own; an observer never
 * changes anything; a hub's token is for registering a hub and for nothing else.
 */
export const OPERATIONS = {
  propose: { roles: PROPOSERS, envelope: "proposeExec", http: "POST /api/v1/exec", socket: "proposeExec" },
  /** Starts what a permit that is held permits, and takes what it writes. */
  runPermit: { roles: PROPOSERS, socket: "runPermit" },
  /** What an agent's hook asks; the agent runs it itself. */
  hook: { roles: PROPOSERS, http: "POST /api/v1/hooks/claude-code", socket: "hook" },
  /** Our own tools for an MCP client of this user; and what its proxy asks about those of others. */
  callTool: { roles: PROPOSERS, http: "POST /mcp", socket: "callTool" },
  pinTools: { roles: PROPOSERS, socket: "pinTools" },
  proposeToolCall: { roles: PROPOSERS, socket: "proposeToolCall" },
  reportToolCall: { roles: PROPOSERS, socket: "reportToolCall" },
  proposalStatus: { roles: PROPOSERS, http: "GET /api/v1/exec/:proposalId" },
  listRuns: { roles: WATCHERS, envelope: "listRuns", rpc: ["exec.running"], http: "GET /api/v1/exec" },
  followRuns: { roles: WATCHERS, envelope: "followRuns" },
  unfollowRuns: { roles: WATCHERS, envelope: "unfollowRuns" },
  /** Whoever's it is; `withdraw` is for proposers, and also ends what only waits. */
  stopRun: { roles: APPROVERS, envelope: "stopRun", rpc: ["exec.stop"] },
  /** An agent's own; those who see everything, anyone's. */
  followOutput: {
    roles: EVERYONE,
    envelope: "followOutput",
    rpc: ["exec.follow"],
    http: "GET /api/v1/exec/:proposalId/output",
  },
  unfollowOutput: { roles: EVERYONE, envelope: "unfollowOutput", rpc: ["exec.unfollow"] },
  withdraw: { roles: PROPOSERS, http: "DELETE /api/v1/exec/:proposalId", socket: "cancelExec" },
  /** Tells what entries there are and where links lead, which is more than an agent is told. */
  explain: { roles: WATCHERS, http: "POST /api/v1/explain" },
  sendChat: { roles: PROPOSERS, rpc: ["chat.send"] },
  abortChat: { roles: PROPOSERS, rpc: ["chat.abort"] },
  /** An agent's own; those who see everything, anyone's. */
  readChat: { roles: EVERYONE, rpc: ["chat.history", "chat.resume"] },
  listChats: { roles: EVERYONE, rpc: ["chat.list"] },
  listChatAgents: { roles: WATCHERS, rpc: ["agents.list"] },
  createSession: { roles: PROPOSERS, rpc: ["sessions.create"] },
  listSessions: { roles: EVERYONE, rpc: ["sessions.list"] },
  getSession: { roles: EVERYONE, rpc: ["sessions.get"] },
  listApprovals: { roles: WATCHERS, envelope: "listExecApprovals", rpc: ["exec.list"], http: "GET /api/v1/approvals" },
  getApproval: { roles: WATCHERS, envelope: "getExecApproval", http: "GET /api/v1/approvals/:id" },
  /** With nothing hidden; on record. */
  revealApproval: { roles: APPROVERS, envelope: "revealExecApproval", http: "POST /api/v1/approvals/:id/reveal" },
  listScopes: { roles: WATCHERS, envelope: "listScopes", http: "GET /api/v1/approvals/:id/scopes" },
  pastAnswers: { roles: WATCHERS, http: "GET /api/v1/approvals/:id/past" },
  /** What an answer with a scope would come to; nothing is answered or saved. */
  tryScope: { roles: WATCHERS, http: "POST /api/v1/approvals/:id/try-scope" },
  answer: {
    roles: APPROVERS,
    envelope: "resolveExecApproval",
    rpc: ["exec.approve", "exec.deny"],
    http: "POST /api/v1/approvals/:id/decision",
  },
  listExpired: { roles: WATCHERS, envelope: "listExpiredApprovals", http: "GET /api/v1/expired" },
  /** An approval that has expired, for when the same is asked again. */
  allowLate: {
    roles: APPROVERS,
    envelope: "allowIfAsksAgain",
    http: "POST /api/v1/approvals/:id/allow-if-asks-again",
  },
  preview: { roles: APPROVERS, envelope: "previewExec", http: "POST /api/v1/approvals/:id/preview" },
  cancelPreview: { roles: APPROVERS, envelope: "cancelPreview", http: "DELETE /api/v1/approvals/:id/preview" },
  viewPolicy: { roles: WATCHERS, http: "GET /api/v1/policy" },
  replayPolicy: { roles: WATCHERS, http: "POST /api/v1/policy/replay" },
  editPolicy: { roles: APPROVERS, http: "POST /api/v1/policy/edit" },
  trustPolicy: { roles: APPROVERS, http: "POST /api/v1/policy/trust" },
  pause: { roles: APPROVERS, envelope: "pause", http: "POST /api/v1/pause" },
  resume: { roles: APPROVERS, envelope: "resume", http: "POST /api/v1/resume" },
  /** Who is told that something waits when nobody looks, and whether somebody does. */
  attend: { roles: APPROVERS, envelope: "attend" },
  listNotifications: { roles: WATCHERS, http: "GET /api/v1/notifications" },
  turnOnPush: { roles: APPROVERS, http: "POST /api/v1/notifications/subscription" },
  turnOffPush: { roles: APPROVERS, http: "DELETE /api/v1/notifications/subscription" },
  testNotification: { roles: APPROVERS, http: "POST /api/v1/notifications/test" },
  listGrants: { roles: WATCHERS, http: "GET /api/v1/grants" },
  revokeGrant: { roles: APPROVERS, http: "DELETE /api/v1/grants/:id" },
  /** What happened, for whoever looks back. */
  searchHistory: { roles: WATCHERS, http: "GET /api/v1/history" },
  today: { roles: WATCHERS, http: "GET /api/v1/today" },
  suggest: { roles: WATCHERS, http: "GET /api/v1/suggestions" },
  hubInfo: { roles: EVERYONE, envelope: "getHubInfo", rpc: ["health.check"] },
  listAgents: { roles: WATCHERS, envelope: "listAgents" },
  state: { roles: WATCHERS, http: "GET /api/v1/state" },
  followState: { roles: WATCHERS, envelope: "followState" },
  unfollowState: { roles: WATCHERS, envelope: "unfollowState" },
  verify: {
    roles: WATCHERS,
    envelope: "verify",
    rpc: ["receipts.verify"],
    http: "POST /api/v1/receipts/verify",
  },
  listChains: { roles: WATCHERS, http: "GET /api/v1/chains" },
  readChain: { roles: WATCHERS, http: "GET /api/v1/chains/:chain" },
  listSandboxes: { roles: WATCHERS, http: "GET /api/v1/sandboxes" },
  /** What a gate in front of a sandbox's execd asks; execd runs it. */
  proposeSandboxCall: { roles: PROPOSERS, http: "POST /api/v1/sandboxes/:id/calls" },
  reportSandboxCall: { roles: PROPOSERS, http: "POST /api/v1/sandboxes/:id/calls/:permit/outcome" },
  tellSandbox: { roles: WATCHERS, http: "GET /api/v1/sandboxes/:id/story" },
  listCheckpoints: { roles: WATCHERS, http: "GET /api/v1/checkpoints" },
  /** The ledger as a file, or one chain of it. */
  exportReceipts: { roles: WATCHERS, http: "GET /api/v1/receipts/export" },
  listReceipts: { roles: WATCHERS, rpc: ["receipts.list"], http: "GET /api/v1/receipts" },
  /** Counts, approvers, changes and gaps of a span, each receipt verified. */
  report: { roles: WATCHERS, rpc: ["receipts.report"], http: "GET /api/v1/report" },
  tellStory: { roles: WATCHERS, http: "GET /api/v1/receipts/:id/story" },
  getCheckpoint: {
    roles: WATCHERS,
    envelope: "getCheckpoint",
    rpc: ["receipts.checkpoint"],
    http: "GET /api/v1/checkpoint",
  },
  proveConsistency: {
    roles: WATCHERS,
    envelope: "proveConsistency",
    rpc: ["receipts.consistency"],
    http: "GET /api/v1/receipts/consistency",
  },
  proveReceipt: {
    roles: WATCHERS,
    envelope: "proveReceipt",
    rpc: ["receipts.prove"],
    http: "GET /api/v1/receipts/:id/proof",
  },
  getReceipt: { roles: WATCHERS, rpc: ["receipts.get"], http: "GET /api/v1/receipts/:id" },
  rotateKey: { roles: APPROVERS, rpc: ["receipts.rotate"], http: "POST /api/v1/receipts/rotate" },
  auditTail: { roles: WATCHERS, rpc: ["audit.tail"] },
  createToken: { roles: APPROVERS, http: "POST /api/v1/tokens" },
  listTokens: { roles: APPROVERS, http: "GET /api/v1/tokens" },
  enrolDevice: { roles: APPROVERS, http: "POST /api/v1/devices", socket: "enrolDevice" },
  listDevices: { roles: APPROVERS, http: "GET /api/v1/devices" },
  startPairing: { roles: APPROVERS, http: "POST /api/v1/pairing" },
  seePairing: { roles: APPROVERS, http: "GET /api/v1/pairing/:code" },
  refusePairing: { roles: APPROVERS, http: "DELETE /api/v1/pairing/:code" },
  confirmPairing: { roles: APPROVERS, http: "POST /api/v1/pairing/confirm" },
  listAddresses: { roles: APPROVERS, http: "GET /api/v1/addresses" },
  findAgents: { roles: WATCHERS, http: "GET /api/v1/agents" },
  connectAgent: { roles: APPROVERS, http: "POST /api/v1/agents/:name/connect" },
  disconnectAgent: { roles: APPROVERS, http: "DELETE /api/v1/agents/:name/connect" },
  revokeToken: { roles: APPROVERS, http: "DELETE /api/v1/tokens/:id" },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;

/** The operation that a door's method stands for; undefined when that door has no such method. */
export function operationFor(door: DoorName, method: string): OperationName | undefined {
  return BY_DOOR[door].get(method);
}

export function mayDo(role: Role, operation: OperationName): boolean {
  return (OPERATIONS[operation].roles as readonly Role[]).includes(role);
}

const BY_DOOR: Record<DoorName, ReadonlyMap<string, OperationName>> = {
  envelope: methodsAt("envelope"),
  rpc: methodsAt("rpc"),
  http: methodsAt("http"),
  socket: methodsAt("socket"),
};

function methodsAt(door: DoorName): Map<string, OperationName> {
  const methods = new Map<string, OperationName>();
  for (const [name, operation] of Object.entries(OPERATIONS) as [OperationName, Operation][]) {
    for (const method of [operation[door] ?? []].flat()) methods.set(method, name);
  }
  return methods;
}
