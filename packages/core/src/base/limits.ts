/** Every bound of the hub in one place. Going over one is answered with LIMIT and the limit's name. */
export interface Limits {
  /** Approvals that one session may have waiting. */
  readonly pendingPerSession: number;
  /** Approvals waiting in all. */
  readonly pending: number;
  /** Commands running at once. */
  readonly running: number;
  /** Previews running at once; each may fill its scratch. */
  readonly previews: number;
  /** How long one may run, at the most. */
  readonly previewMs: number;
  /** Output that one shows, of each stream. */
  readonly previewOutputBytes: number;
  /** How long a proposer whose connection was cut may take to come back with the same `proposalId`. */
  readonly returnMs: number;
  /** How long a permit lives between the decision and the start. */
  readonly permitMs: number;
  /**
   * How long a permit is held for whoever claims it. An agent may put a question of its own to its user in between, and tells no one:
   * the same ten minutes as for what is permitted once.
   */
  readonly heldPermitMs: number;
  /** Permits that are held at once, and those of one session. */
  readonly heldPermits: number;
  readonly heldPermitsPerSession: number;
  /** Permits that somebody else was given and whose end isn't reported yet, and those of one session: some agents never tell of a failure. */
  readonly permitsOut: number;
  readonly permitsOutPerSession: number;
  /** How long an agent's own prompt may take, beside the run. */
  readonly promptMs: number;
  /** How long somebody who looked at what waits counts as there. */
  readonly presenceMs: number;
  /** Between TERM and KILL, and how long grandchildren may hold the output open after the shell ended. */
  readonly killGraceMs: number;
  /** Outputs of runs that have ended, kept in the order in which they were written. */
  readonly outputKeptBytes: number;
  /** Changes of the policy that are held against the past at once; and of each, how much of the past and how long. */
  readonly replays: number;
  readonly replayProposals: number;
  readonly replayMs: number;
  /** Entries of a policy that one answer tells. */
  readonly policyEntries: number;
  /** Readers of outputs at once, and those of one connection. */
  readonly followers: number;
  readonly followsPerConnection: number;
  /** Exports of the ledger under way at once, and those of one token; and how long one may wait for its reader. */
  readonly exports: number;
  readonly exportsPerToken: number;
  readonly exportIdleMs: number;
  /** How long a stored outcome, which holds output, can be fetched again. */
  readonly outcomeKeptMs: number;
  /** One JSON line on the socket, one HTTP body. */
  readonly frameBytes: number;
  /** One question of an agent's hook, which may hold a file before and after. */
  readonly hookBytes: number;
  /** Connections to the local socket at once. */
  readonly socketConnections: number;
  /** Connections to each port at once, whatever became of them: half-open TLS and WebSockets are among them. */
  readonly portConnections: number;
  /** WebSockets at once, both dialects. */
  readonly webSockets: number;
  /** Those of one address that haven't shown a token for a second: the one that waits longest makes room. */
  readonly strangersPerAddress: number;
  /** What one of them may send before its first frame is whole. */
  readonly strangerBytes: number;
  /** What may wait to be sent to one of them. */
  readonly sendBufferBytes: number;
  /** Frames that one of them may send: at first, and then each second. */
  readonly frameBurst: number;
  readonly framesPerSecond: number;
  /** Requests of one connection under way at once. */
  readonly requestsPerConnection: number;
  /**
   * From a connection's start, or a request's first byte, to the end of its headers; a TLS handshake; and how long a body, or a line of
   * the local socket, may stop coming. Then the connection is closed.
   */
  readonly headMs: number;
  /** From a request's first byte to the last of its body. */
  readonly requestMs: number;
  /** From the handshake to a valid token. */
  readonly loginMs: number;
  /** Most approvals in one page of a listing. */
  readonly pageSize: number;
  /** How long a denied proposal is denied again without asking. */
  readonly denialRepeatMs: number;
  /** How long what resembles a denied proposal is asked about, whatever allows it. */
  readonly denialKeptMs: number;
  /** Denials of one session that are remembered. */
  readonly denialsPerSession: number;
  /** Denials in a row that pause a session. */
  readonly denialsInARow: number;
  /** How long what was allowed for a session holds: a session has no end of its own, and its name can be used again. */
  readonly sessionGrantMs: number;
  /** How long a card that expired can be answered for when it asks again, and how long such an answer holds. */
  readonly lateAnswerMs: number;
  /** Scopes that are tried on the past at once; of that the newest questions, and no longer than this. */
  readonly trials: number;
  readonly trialProposals: number;
  readonly trialMs: number;
  /** Things allowed for a while, in all and in one session. */
  readonly grants: number;
  readonly grantsPerSession: number;
  /** Connections to the recorder's socket at once, and those of one user. */
  readonly emitterConnections: number;
  readonly emitterConnectionsPerUser: number;
  /** How long a frame may take to come, from its first byte to its last. */
  readonly emitterFrameMs: number;
  /** Frames of one connection that wait to be on record; more aren't read. */
  readonly emitterFramesWaiting: number;
  /** Frames that one user's emitters may send: at first, and then each second. */
  readonly emitterFrameBurst: number;
  readonly emitterFramesPerSecond: number;
  /** And the bytes of these. */
  readonly emitterByteBurst: number;
  readonly emitterBytesPerSecond: number;
  /** Chains (of sandboxes) that one emitter may begin in a day. */
  readonly emitterChainsPerDay: number;
  /** Receipts that a recorder's hub may be behind before emitters wait for it. */
  readonly hubBehind: number;
  /** How long a commit waits for a recorder of its own to confirm it. */
  readonly recorderWaitMs: number;
  /** Drafts that may wait for one that is out of reach. */
  readonly outboxDrafts: number;
  /** Agents of the hub's own that run at once. */
  readonly chatRuns: number;
  /** How often a model is asked in one run, unless the agent's configuration says otherwise. */
  readonly chatTurns: number;
  /** Sessions whose events are kept, beside those in use; and of each so many, so large. */
  readonly chatsKept: number;
  readonly chatEvents: number;
  readonly chatEventBytes: number;
  /** Of all sessions together. */
  readonly chatEventBytesInAll: number;
  /** Sessions that one connection listens to. */
  readonly chatsPerConnection: number;
  /** Of a session's transcript, what a model is given. */
  readonly promptBytes: number;
  /** Characters that a model may say in one turn. */
  readonly modelText: number;
  /** Tools that it may call in one turn, and the characters of their names and of what it gives them, together. */
  readonly modelCalls: number;
  readonly modelCallInput: number;
  /** How long a model may say nothing. */
  readonly modelIdleMs: number;
  /** Bytes of its answer to one question. */
  readonly modelBytes: number;
  /** How often a question that a provider didn't take is asked again, and how long is waited for that. */
  readonly modelRetries: number;
  readonly modelRetryMs: number;
  /** Of a tool's answer, what a model is told. */
  readonly toolText: number;
  /** MCP sessions over HTTP at once, in all and of one token; and how long one may do nothing. */
  readonly mcpSessions: number;
  readonly mcpSessionsPerToken: number;
  readonly mcpIdleMs: number;
  /** Notifications that wait to be sent to one channel; how often each is tried, and how long the other side may take to answer. */
  readonly notifyQueue: number;
  readonly notifyAttempts: number;
  readonly notifyTimeoutMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  pendingPerSession: 64,
  pending: 20_000,
  running: 256,
  previews: 4,
  previewMs: 120_000,
  previewOutputBytes: 128 * 1024,
  returnMs: 10_000,
  permitMs: 60_000,
  heldPermitMs: 600_000,
  heldPermits: 4_096,
  heldPermitsPerSession: 256,
  permitsOut: 2_048,
  permitsOutPerSession: 256,
  promptMs: 1_800_000,
  presenceMs: 60_000,
  killGraceMs: 2_000,
  outputKeptBytes: 16 * 1024 * 1024,
  replays: 4,
  replayProposals: 20_000,
  replayMs: 4_000,
  policyEntries: 5_000,
  exports: 8,
  exportsPerToken: 2,
  exportIdleMs: 60_000,
  followers: 1_000,
  followsPerConnection: 32,
  outcomeKeptMs: 86_400_000,
  frameBytes: 1024 * 1024,
  hookBytes: 8 * 1024 * 1024,
  socketConnections: 16_384,
  portConnections: 12_288,
  webSockets: 10_000,
  strangersPerAddress: 256,
  strangerBytes: 16 * 1024,
  sendBufferBytes: 8 * 1024 * 1024,
  frameBurst: 1_000,
  framesPerSecond: 200,
  requestsPerConnection: 256,
  headMs: 10_000,
  requestMs: 60_000,
  loginMs: 5_000,
  pageSize: 1_000,
  denialRepeatMs: 300_000,
  denialKeptMs: 86_400_000,
  denialsPerSession: 64,
  denialsInARow: 5,
  sessionGrantMs: 86_400_000,
  lateAnswerMs: 1_800_000,
  trials: 4,
  trialProposals: 2_000,
  trialMs: 500,
  grants: 10_000,
  grantsPerSession: 256,
  emitterConnections: 1_024,
  emitterConnectionsPerUser: 256,
  emitterFrameMs: 30_000,
  emitterFramesWaiting: 1_024,
  emitterFrameBurst: 50_000,
  emitterFramesPerSecond: 5_000,
  emitterByteBurst: 128 * 1024 * 1024,
  emitterBytesPerSecond: 16 * 1024 * 1024,
  emitterChainsPerDay: 10_000,
  hubBehind: 1_000,
  recorderWaitMs: 10_000,
  outboxDrafts: 100_000,
  chatRuns: 1_024,
  chatTurns: 50,
  chatsKept: 1_024,
  chatEvents: 4_096,
  chatEventBytes: 512 * 1024,
  chatEventBytesInAll: 128 * 1024 * 1024,
  chatsPerConnection: 1_024,
  promptBytes: 512 * 1024,
  modelText: 256 * 1024,
  modelCalls: 32,
  modelCallInput: 128 * 1024,
  modelIdleMs: 120_000,
  modelBytes: 16 * 1024 * 1024,
  modelRetries: 2,
  modelRetryMs: 60_000,
  toolText: 64 * 1024,
  mcpSessions: 256,
  mcpSessionsPerToken: 32,
  mcpIdleMs: 3_600_000,
  notifyQueue: 256,
  notifyAttempts: 6,
  notifyTimeoutMs: 10_000,
};
