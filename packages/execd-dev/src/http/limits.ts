/** A stock execd has none of these; each is answered with the code that stands beside it. */
export interface LocalLimits {
  /** Of a body that is JSON: 413 BODY_TOO_LARGE. */
  readonly maxJsonBytes: number;
  /** Of a multipart body: 413 BODY_TOO_LARGE. */
  readonly maxUploadBytes: number;
  /** Of the metadata part of an upload: 413 BODY_TOO_LARGE. */
  readonly maxMetadataBytes: number;
  /** Files of one upload: 413 BODY_TOO_LARGE. */
  readonly maxUploadFiles: number;
  /** Of a file whose content is replaced: 413 FILE_TOO_LARGE. */
  readonly maxReplaceBytes: number;
  /** Entries of a search or a listing: 500 TOO_MANY_RESULTS. */
  readonly maxEntries: number;
  /** Commands, sessions' runs, interpreters and terminals that run at once: 429 TOO_MANY_PROCESSES. */
  readonly maxProcesses: number;
  /** Sessions, code contexts and terminals that exist: 429 TOO_MANY_SESSIONS. */
  readonly maxSessions: number;
  /** Sessions with a jail of their own: 429 TOO_MANY_SESSIONS. */
  readonly maxIsolatedSessions: number;
  /** Directories that one of those can ask for besides its workspace: 413 TOO_MANY_MOUNTS. */
  readonly maxIsolatedMounts: number;
  /** What runs at once in one of those: 429 TOO_MANY_PROCESSES. */
  readonly maxIsolatedRuns: number;
  /** Commands whose status is remembered; the ones that ended first are forgotten first, and then aren't found. */
  readonly maxRemembered: number;
  /** Of a background command's log: what comes after it is dropped, and the log's last line says LOG_LIMIT. */
  readonly maxLogBytes: number;
  /** Of a line of output that has no end yet: it is sent in pieces. */
  readonly maxLineBytes: number;
  /** Of what waits for a client that doesn't read: its command waits with it. */
  readonly maxUnreadBytes: number;
  /** Of a terminal's output that is kept for who comes back. */
  readonly maxReplayBytes: number;
  /** Of one WebSocket message: closed with 1009. */
  readonly maxFrameBytes: number;
  /** For a whole header to arrive: the connection is closed. */
  readonly headersTimeoutMs: number;
  /** For the next byte of a body: the connection is closed. */
  readonly idleBodyMs: number;
}

export const DEFAULT_LOCAL_LIMITS: LocalLimits = {
  maxJsonBytes: 16 * 1024 * 1024,
  maxUploadBytes: 8 * 1024 * 1024 * 1024,
  maxMetadataBytes: 64 * 1024,
  maxUploadFiles: 1_000,
  maxReplaceBytes: 64 * 1024 * 1024,
  maxEntries: 100_000,
  maxProcesses: 1_000,
  maxSessions: 1_000,
  maxIsolatedSessions: 32,
  maxIsolatedMounts: 64,
  maxIsolatedRuns: 64,
  maxRemembered: 10_000,
  maxLogBytes: 256 * 1024 * 1024,
  maxLineBytes: 1024 * 1024,
  maxUnreadBytes: 4 * 1024 * 1024,
  maxReplayBytes: 1024 * 1024,
  maxFrameBytes: 4 * 1024 * 1024,
  headersTimeoutMs: 10_000,
  idleBodyMs: 120_000,
};
