import type { ExternalEnforcement } from "@countersign/vocabulary";
/** What a sandbox may be wholly or partly seen through, and in whose words it is told what isn't. */
export interface ExecdCoverage {
  readonly covers: readonly string[];
  readonly excludes: readonly string[];
  readonly placement: "execd";
  readonly opensandbox_version?: string;
  /** Sentences: what the proxy can't see or tell. */
  readonly limits: readonly string[];
}

export interface ExecdBinding {
  readonly sandbox_id: string;
  /** The family: `/command`, `/code`, `/files`, `/directories`, `/pty`. */
  readonly endpoint: string;
  readonly route: string;
  readonly placement: "execd";
  /** When it was passed on to execd, by the clock that dates frames: a frame is made when a call is over. RFC 3339. */
  readonly started_at?: string;
  /** What stood in the request line, where it wasn't the route's plain form. */
  readonly sent_as?: string;
}

/** What one frame may tell of as dropped: far more than ever is, and so little that sums of it stay exact. */
export const MOST_DROPS = 1_000_000_000;

/** What the recorder's frame takes, as the proxy says it: one call, or one path of it. What is delivered beside it is `drop_count` and `ack`. */
export interface ExecdFrame {
  readonly v: "1";
  /** RFC 3339. */
  readonly ts_emit: string;
  /** The sandbox's id, as in the binding. */
  readonly session_id: string;
  readonly channel: "opensandbox_execd";
  readonly tool: { readonly name: string; readonly server: "execd" };
  readonly action_type: string;
  /** `denied`: the gate refused it, and execd never saw it. */
  readonly decision: "allowed" | "denied";
  /** Only their hashes are kept. */
  readonly input: object;
  /** Absent where it isn't known how the call ended. */
  readonly output?: object;
  readonly error?: string;
  /** Shared by the paths of one call, and by what opens and closes. */
  readonly correlation_id?: string;
  /** Random, one for each frame: however often it is delivered, it is one receipt. */
  readonly idempotency_key: string;
  readonly binding: ExecdBinding;
  readonly coverage: ExecdCoverage;
  readonly enforcement: ExternalEnforcement;
}

/** A call that was passed on. */
export interface UntoldCall {
  /** All that there is to tell of it, at once. Only the first time counts. */
  tell(frames: readonly ExecdFrame[]): void;
}

export interface FrameSink {
  /** Before a call's first byte is passed on: whoever is killed before it is told has it counted as dropped. Never blocks and never throws. */
  begin(): UntoldCall;
  /** What is told of no call that was passed on. Never blocks and never throws: the agent's answer waits for nothing here. What can't be kept is counted as dropped. */
  emit(frame: ExecdFrame): void;
  /**
   * Delivers what waits. What isn't delivered when the time is up stays on disk for the next start; what is emitted afterwards is counted as
   * dropped.
   */
  drain(deadlineMs: number): Promise<void>;
}
