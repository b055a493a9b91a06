import { sha256Hex } from "@countersign/core/base";
import type { JailKind } from "@countersign/jail";
import { canonicalize } from "@countersign/receipts";
import type { Enforcement } from "@countersign/vocabulary";

/** A proposal as the hub accepted it: paths real, defaults filled in, owner known. */
export interface Proposal {
  /** The hub's own id (UUIDv7). */
  readonly key: string;
  readonly ownerId: string;
  readonly proposalId: string;
  readonly sessionId: string;
  readonly agentName: string;
  readonly command: string;
  /** Real path. */
  readonly cwd: string;
  /** What the proposer adds to the environment. */
  readonly env: { readonly [name: string]: string };
  readonly reason?: string;
  readonly runTimeoutMs: number;
  readonly profileId: string;
  /** Real paths, the workspace first. */
  readonly roots: readonly string[];
  /** Whether a person may be asked. */
  readonly attended: boolean;
  readonly executor: Executor;
  /** The jail that the proposer asked for. */
  readonly jail?: JailKind;
  /** Whether the proposer waits on a connection. */
  readonly attached: boolean;
  readonly createdAtMs: number;
  /** Hash of what the proposer sent. */
  readonly bodyHash: string;
  /** Of the hashes in its receipts; proposals of earlier versions have none. */
  readonly salt?: string;
  readonly card?: CardAside;
  /** Why a person must be asked whatever the policy allows; the hub's own sentence. */
  readonly mustAskReason?: string;
  /** Whether its agent can ask by itself: then the profile says whether it is given the question. */
  readonly handsBack?: boolean;
  /** The shell that reads the command where its agent runs it; ours is bash. */
  readonly shell?: string;
  /** How long a person may take, where the proposer waits less than its profile says. */
  readonly patienceMs?: number;
}

/** What the hub's own tools put on the card. Nothing that comes over a wire can set it. */
export interface CardAside {
  /** A UUID that nobody used before: so whoever asks knows the approval before it is opened. */
  readonly approvalId?: string;
  /** What would change in a file; filtered, bounded and harmless to show. */
  readonly diff?: string;
}

/**
 * Who runs it once permitted: this hub, or somebody else who reports back. `claimed`: this hub, as soon as somebody comes with the
 * permit and takes what the run writes.
 */
export type Executor =
  | { readonly kind: "local"; readonly start?: "claimed" | undefined }
  | {
      readonly kind: "external";
      readonly enforcement: Exclude<Enforcement, "jail">;
      /** A search of the executor's own: it only reads, and follows no links. */
      readonly searches?: true | undefined;
    };

/** Names what an approver is asked about; the SDK computes the same from what it displays. */
export function hashProposal({ command, cwd, env }: Pick<Proposal, "command" | "cwd" | "env">): string {
  return `sha256:${sha256Hex(canonicalize({ command, cwd, env }))}`;
}
