import type { Json, TreeHead } from "@countersign/receipts";
import type { ApprovalState, ProposalState, UnexplainedReason } from "@countersign/vocabulary";
import type {
  FrameRecord,
  LedgerDraft,
  LedgerEntry,
  LedgerHead,
  LedgerIdentity,
  LedgerRow,
  ReceiptKey,
  Recorded,
  StoredReceipt,
  StoreError,
} from "../ledger/index.ts";
import type { Activity, HistoryPage, HistoryWish } from "./history.ts";
import type {
  AnswerCount,
  ApprovalRecord,
  ChatRecord,
  DenialRecord,
  DeviceRecord,
  EntryUse,
  GrantRecord,
  MessageRecord,
  ProposalRecord,
  SessionRecord,
  TokenRecord,
  UsedChat,
} from "./records.ts";

/**
 * One change, said as data so that any implementation can put several callers' changes into one transaction.
 * A change with a condition that doesn't hold refuses the whole commit it is part of.
 *
 * What is read is what was written, or the commit rejects with INVALID: text is Unicode (no lone surrogates) and, outside
 * JSON values, without NUL, which no program's argument can hold either; times are whole milliseconds; JSON values have
 * an RFC 8785 form. A repeated id that has no refusal below is a caller's bug and rejects with FAILED.
 */
export type Write =
  /** Makes the session, leaves it alone when it is there, or refuses with SESSION_FOREIGN when its id belongs to another owner. */
  | { readonly op: "claim-session"; readonly session: SessionRecord }
  /** Refuses with PROPOSAL_EXISTS when (ownerId, proposalId) is taken. */
  | { readonly op: "insert-proposal"; readonly proposal: ProposalRecord }
  /** Compare-and-set on the state: refuses with STATE_CHANGED. Fields left out stay as they are. Going back is INVALID. */
  | {
      readonly op: "advance-proposal";
      readonly key: string;
      readonly from: ProposalState;
      readonly to: ProposalState;
      readonly set?: Partial<
        Pick<ProposalRecord, "approvalId" | "decided" | "outcome" | "command" | "cwd" | "env" | "details" | "endedAtMs">
      >;
    }
  | { readonly op: "insert-approval"; readonly approval: ApprovalRecord }
  /** Compare-and-set from pending, or from expired: refuses with NOT_PENDING. Of two answers one wins. */
  | {
      readonly op: "close-approval";
      readonly id: string;
      readonly from?: "pending" | "expired";
      readonly state: Exclude<ApprovalState, "pending">;
      readonly resolution: { readonly [key: string]: Json };
      /** What is kept of the card, where that is less than what was shown. */
      readonly payload?: ApprovalRecord["payload"];
    }
  /** Marks pending approvals that nobody had seen yet; others are left alone. */
  | { readonly op: "mark-delivered"; readonly ids: readonly string[]; readonly atMs: number }
  /** Links one entry to the chain's head. Never refuses. With a `key` that an entry stands under already, that one is the answer. */
  | { readonly op: "append"; readonly draft: LedgerDraft; readonly key?: string }
  /**
   * Signs the tree as it stands, and puts that on the root chain, as the next receipt: whoever keeps a copy elsewhere finds
   * out when something is taken away. Never refuses.
   */
  | { readonly op: "checkpoint"; readonly atMs: number }
  | { readonly op: "put-setting"; readonly key: string; readonly value: Json }
  | {
      readonly op: "count-entry-use";
      readonly profileId: string;
      readonly entryIds: readonly string[];
      readonly atMs: number;
    }
  /** A person's answer about something that is called so, there. */
  | {
      readonly op: "count-answer";
      readonly profileId: string;
      readonly directory: string;
      readonly shapes: readonly string[];
      readonly verdict: "allow" | "deny";
      readonly atMs: number;
    }
  | { readonly op: "insert-grant"; readonly grant: GrantRecord }
  /** Those that aren't there any more are left alone. */
  | { readonly op: "remove-grants"; readonly ids: readonly string[] }
  /** Removes it, or refuses with GRANT_GONE: what is allowed once is used once. */
  | { readonly op: "take-grant"; readonly id: string }
  /** Remembers it, and counts it for its session. */
  | { readonly op: "insert-denial"; readonly denial: DenialRecord }
  /** A person allowed something in the session: what they denied of the same is forgotten, and the count begins anew. */
  | { readonly op: "forget-denial"; readonly sessionId: string; readonly proposalHash: string }
  /** The count of a session's denials begins anew. */
  | { readonly op: "reset-denials"; readonly sessionId: string }
  | { readonly op: "prune-denials"; readonly beforeMs: number }
  | { readonly op: "insert-token"; readonly token: TokenRecord }
  /** For ever; one that is revoked or unknown already stays as it is. */
  | { readonly op: "revoke-token"; readonly id: string; readonly atMs: number }
  /**
   * Makes the device, or refuses with DEVICE_FOREIGN when its id belongs to another token, or when it has another key
   * already: a key is set once.
   */
  | { readonly op: "claim-device"; readonly device: DeviceRecord }
  /** Refuses with NONCE_USED the second time. */
  | { readonly op: "use-nonce"; readonly nonce: string; readonly atMs: number }
  /** Says who answers in a session, or leaves it as it was said before. */
  | { readonly op: "open-chat"; readonly chat: ChatRecord }
  /** Refuses with MESSAGE_EXISTS when the session has one of that number. */
  | { readonly op: "insert-message"; readonly message: MessageRecord }
  /** Forgets outcomes (they hold output) of proposals that ended before; `outcomeCounts` still counts them. */
  | { readonly op: "prune-outcomes"; readonly endedBeforeMs: number };

export type WriteOf<Op extends Write["op"]> = Extract<Write, { readonly op: Op }>;

export type Refusal =
  | "DEVICE_FOREIGN"
  | "NONCE_USED"
  | "SESSION_FOREIGN"
  | "PROPOSAL_EXISTS"
  | "STATE_CHANGED"
  | "NOT_PENDING"
  | "GRANT_GONE"
  | "MESSAGE_EXISTS";

export type Commit =
  /**
   * Durable: it survives a power cut. `entries` are the ledger entries made, in the order of their `append` writes. Where another process
   * signs and is out of reach, there are none for what must not wait for it, see `mustBeConfirmed`: those follow when it is back.
   */
  | { readonly ok: true; readonly entries: readonly LedgerEntry[] }
  /** Nothing of this commit was kept. `index` is the write that refused. */
  | { readonly ok: false; readonly refusal: Refusal; readonly index: number };

/** A page holds at most this many; a larger `limit`, or one that isn't a whole number from 1, is INVALID. */
export const MAX_PAGE = 10_000;

export interface ReceiptPage {
  readonly afterSeq: number;
  readonly limit: number;
  readonly sessionId?: string | undefined;
  readonly type?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** As it was signed, with its place and its hash. */
export type FoundReceipt = StoredReceipt & LedgerHead;

export interface FoundReceipts {
  readonly receipts: readonly FoundReceipt[];
  /** Where the next page goes on; null: there's none. */
  readonly next: number | null;
}

/** A chain of the ledger, by its ends: nothing is between them that isn't counted. */
export interface ChainRecord {
  readonly chainId: string;
  readonly sessionId: string | null;
  /** Who proposes in that session. */
  readonly agentName: string | null;
  /** Whose frames; null: the hub's own word, or the recorder's. */
  readonly emitter: string | null;
  readonly first: ChainEnd;
  readonly last: ChainEnd;
}

export interface ChainEnd extends StoredReceipt, LedgerHead {
  /** In the chain, from 1. Of the last: how many it has. */
  readonly sequence: number;
  readonly atMs: number;
}

export interface ChainPage {
  /** Chains that began before this place in the ledger. */
  readonly beforeSeq?: number | undefined;
  readonly limit: number;
  /** Part of the chain's id or of the agent's name, in whatever case. */
  readonly text?: string | undefined;
}

/** What is on record about a sandbox. */
export interface SandboxRecord {
  readonly id: string;
  readonly first: { readonly seq: number; readonly atMs: number };
  readonly last: { readonly seq: number; readonly atMs: number };
  readonly receipts: number;
  /** What its story has: as many as receipts, but for flows of which several tell. */
  readonly steps: number;
  /** Frames of the proxy's that never came. */
  readonly dropped: number;
  /** What was seen from the host; `gaps`: how often nobody looked for a while. */
  readonly outside: {
    readonly flows: number;
    readonly blocked: number;
    readonly gaps: number;
    readonly dropped: number;
  };
  /** Terminals that were opened, and of whose end nothing is on record; no more than 10,000 are counted. */
  readonly openTerminals: number;
  /** Without what says that frames were dropped; the most frequent first. */
  readonly actions: readonly { readonly type: string; readonly count: number }[];
  /** In their order: one for each key that signed. */
  readonly chains: readonly { readonly chainId: string; readonly length: number }[];
}

export interface SandboxPage {
  /** Those that began before this place in the ledger. */
  readonly beforeSeq?: number | undefined;
  readonly limit: number;
}

/** Numbers in the ledger; null: nothing says that it ended. */
export interface TerminalRecord {
  readonly openedSeq: number;
  readonly closedSeq: number | null;
}

/** One step of a sandbox's story. */
export interface StepRecord {
  /** When it began, as its emitter says; never later than it was recorded. */
  readonly atMs: number;
  /** Its first receipt's number, and its last one's: only a flow has several. */
  readonly firstSeq: number;
  readonly seq: number;
  readonly receipts: number;
}

/** Clocks are read in milliseconds, at two places, and not always of one machine. */
export const EXPLAIN_SLACK_MS = 1_000;

/**
 * What the record from inside has for a moment in a sandbox. `call`: so many commands, pieces of code or terminals of which one holds the moment
 * or touches one that does, the first of them by its number. `terminal`: one that was open, and of whose end nothing is on record. `lost`: frames of
 * the proxy's never came around then. The other reasons say how it lies to what is on record from inside.
 */
export type Explanation =
  | { readonly kind: "call"; readonly seq: number; readonly receipts: number }
  | { readonly kind: "terminal"; readonly seq: number }
  | {
      readonly kind: "none";
      readonly reason: UnexplainedReason;
    };

export interface CheckpointRecord {
  readonly size: number;
  readonly note: string;
  readonly atMs: number;
}

/**
 * The state that must survive. Every method rejects with StoreError on an operational failure; then nothing of that
 * call was kept. Nothing outside this folder knows which database stands behind it.
 *
 * A row that another tool has spoilt doesn't hide the others: where a number is unreadable it is NaN, and where any JSON
 * of a row is, an approval's `payload`, a proposal's `env` and `details`, a grant's, a denial's and a message's `body` are all `{}`. The caller refuses such a row.
 * A spoilt ledger entry or setting rejects with CORRUPT instead: going on without it would be a lie.
 */
export interface Store {
  /** All or nothing, in order; resolves only once durable. Concurrent calls share one transaction. */
  commit(writes: readonly Write[]): Promise<Commit>;
  /**
   * Puts what another process says on record, on a chain of its own kind; resolves only once durable. Frames of one chain keep
   * their order. What can't be a receipt rejects with INVALID, and takes no other frame with it.
   */
  record(frame: FrameRecord): Promise<Recorded>;

  /**
   * Changes the key that signs, while everything goes on: the old one signs the receipt that names the next, and is destroyed. What is committed
   * at the same time is signed with the one or the other, as its place in the ledger demands. NO_NEXT_KEY where the next isn't there. Where it
   * rejects after the change was durable, the change stands, and the next start tidies up.
   */
  rotateKey(rotation: Pick<LedgerDraft, "atMs" | "body">): Promise<LedgerEntry>;

  session(id: string): Promise<SessionRecord | null>;
  /** Newest first; of one owner, or of all. */
  sessions(page: { readonly ownerId?: string; readonly limit: number }): Promise<readonly SessionRecord[]>;
  chat(sessionId: string): Promise<ChatRecord | null>;
  /** Those that were used last first; of one owner, or of all. */
  chats(page: { readonly ownerId?: string; readonly limit: number }): Promise<readonly UsedChat[]>;
  /** Newest first; those before a number, or the newest of all. */
  messages(page: {
    readonly sessionId: string;
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly MessageRecord[]>;
  /** All, revoked ones too, oldest first. */
  tokens(): Promise<readonly TokenRecord[]>;
  device(id: string): Promise<DeviceRecord | null>;
  /** The newest 10,000, oldest first. */
  devices(): Promise<readonly DeviceRecord[]>;
  /** All that have a key, oldest first. */
  signingDevices(): Promise<readonly DeviceRecord[]>;
  proposal(key: string): Promise<ProposalRecord | null>;
  /** In the order of the keys; those that aren't there are left out. */
  proposals(keys: readonly string[]): Promise<readonly ProposalRecord[]>;
  proposalOf(ownerId: string, proposalId: string): Promise<ProposalRecord | null>;
  /** Whoever's, by the name that their proposers gave them; a few. */
  proposalsNamed(proposalId: string): Promise<readonly ProposalRecord[]>;
  /** Everything not ended, oldest first: what a restart has to settle. */
  openProposals(): Promise<readonly ProposalRecord[]>;
  /** Those that ended at that time or later, by key (which is by age), after the given key. */
  endedProposals(page: {
    readonly sinceMs: number;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly ProposalRecord[]>;
  /** Those that a person was asked about and that have ended, the newest first. */
  askedProposals(page: { readonly limit: number }): Promise<readonly ProposalRecord[]>;
  /** How many of these ended at that time or later. */
  askedCount(sinceMs: number): Promise<number>;
  /** How many that a person was asked about wait or run still. */
  openAskedCount(): Promise<number>;
  /** Those that ended at that time or later, the last to end first, before the given one. */
  newestEnded(page: {
    readonly sinceMs: number;
    readonly before?: Pick<ProposalRecord, "key"> & { readonly endedAtMs: number };
    readonly limit: number;
  }): Promise<readonly ProposalRecord[]>;
  /**
   * Proposals that have ended, newest first. Looks at a bounded number at once: a page may be short and have a `next`. `signal`: nobody waits for it any
   * more. Rejects with BUSY where too many ask.
   */
  history(wish: HistoryWish, signal?: AbortSignal): Promise<HistoryPage>;
  /** What happened since then, by agent and repository. Asking again about the same time is cheap. */
  activity(fromMs: number, signal?: AbortSignal): Promise<Activity>;
  approval(id: string): Promise<ApprovalRecord | null>;
  /** Pending only, by id (which is by age), after the given id. */
  pendingApprovals(page: { readonly after?: string; readonly limit: number }): Promise<readonly ApprovalRecord[]>;
  /** Those that nobody answered and whose deadline came at that time or later, newest first. */
  expiredApprovals(page: { readonly sinceMs: number; readonly limit: number }): Promise<readonly ApprovalRecord[]>;
  /** What the hub itself put on record; what came in frames is only among the receipts. */
  ledger(page: { readonly afterSeq: number; readonly limit: number }): Promise<readonly LedgerEntry[]>;
  /** All of them, as they were signed. */
  receipts(page: { readonly afterSeq: number; readonly limit: number }): Promise<readonly StoredReceipt[]>;
  /** All of them, with what they are found by. */
  ledgerRows(page: { readonly afterSeq: number; readonly limit: number }): Promise<readonly LedgerRow[]>;
  /** Some of them, in their order. A page looks at a bounded number of rows: it may be short and have a `next`. Rejects with BUSY where too many ask. */
  findReceipts(page: ReceiptPage): Promise<FoundReceipts>;
  receiptBy(key: ReceiptKey): Promise<FoundReceipt | null>;
  /** Those that began last first. A page that looks for a text may hold fewer than there are: `next` goes on. */
  chains(page: ChainPage): Promise<{ readonly chains: readonly ChainRecord[]; readonly next: number | null }>;
  /** One of them; null where it hasn't begun. */
  chain(id: string): Promise<ChainRecord | null>;
  /** In the order of the chain, those after a sequence. */
  receiptsOfChain(page: {
    readonly chainId: string;
    readonly afterSequence: number;
    readonly limit: number;
  }): Promise<readonly (StoredReceipt & LedgerHead)[]>;
  /** Those that began last first. */
  sandboxes(page: SandboxPage): Promise<readonly SandboxRecord[]>;
  sandbox(id: string): Promise<SandboxRecord | null>;
  /** In the order in which things began, then in the ledger's; those after so many. */
  sandboxSteps(page: {
    readonly sandbox: string;
    readonly after: number;
    readonly limit: number;
  }): Promise<readonly StepRecord[]>;
  /** For each of the moments. */
  explanations(of: {
    readonly sandbox: string;
    readonly momentsMs: readonly number[];
  }): Promise<readonly Explanation[]>;
  /** How many of a sandbox's newest 5,000 flows nothing from inside explains, but for those to the relay. */
  unexplainedFlows(sandbox: string): Promise<number>;
  /** Of a sandbox, by their correlators. */
  terminals(of: {
    readonly sandbox: string;
    readonly correlators: readonly string[];
  }): Promise<ReadonlyMap<string, TerminalRecord>>;
  /** The newest first, of fewer receipts than `before`. */
  checkpoints(page: {
    readonly before?: number | undefined;
    readonly limit: number;
  }): Promise<readonly CheckpointRecord[]>;
  /** Everything on record about one proposal, in order, as it was signed. */
  receiptsOf(proposalKey: string): Promise<readonly (StoredReceipt & LedgerHead)[]>;
  ledgerHead(): Promise<LedgerHead | null>;
  /** Everything on record about one proposal, in order. */
  ledgerOf(proposalKey: string): Promise<readonly LedgerEntry[]>;
  /** The tree of the first so many receipts, by default of all; null where there aren't as many. */
  treeHead(size?: number): Promise<TreeHead | null>;
  /** A complete subtree of 2^level receipts, from receipt index × 2^level on; CORRUPT where it is missing. */
  treeNode(level: number, index: number): Promise<Uint8Array>;
  newestCheckpoint(): Promise<{ readonly size: number; readonly note: string } | null>;
  /** The checkpoint of exactly so many receipts. */
  checkpointOf(size: number): Promise<string | null>;
  /** What its keys rest on, as it was signed: the first receipt, and each that changed the key. Empty before that. */
  keyLine(): Promise<readonly string[]>;
  /** The public keys that ever signed it, the one in force first. */
  ledgerKeys(): Promise<readonly Uint8Array[]>;
  /** The public key that may follow; null: it isn't at hand here. */
  nextLedgerKey(): Promise<Uint8Array | null>;
  /** Whose ledger this is; null before its first receipt. */
  ledgerIdentity(): Promise<LedgerIdentity | null>;
  /** Why nothing that must be confirmed can be put on record now; undefined while it can. */
  unrecordable(): StoreError | undefined;
  /** Whether the ledger is another process's, and this is its mirror. */
  readonly isMirror: boolean;
  /** Of a mirror: receipts of what its hub told that came back since it was opened, and that this store never put there: it is an older copy. */
  readonly forgotten: number;
  /** Called after commits that made ledger entries are durable: once for several. A listener reads `ledger` itself. */
  onAppend(listener: () => void): void;
  /** Called for each commit that fails, after its caller was told. */
  onFailure(listener: (error: StoreError) => void): void;
  setting(key: string): Promise<Json | undefined>;
  /** Keys of settings that begin so, in order; a page of them. */
  settingKeys(page: { readonly prefix: string; readonly limit: number }): Promise<readonly string[]>;
  /** By entry id. */
  entryUses(profileId: string): Promise<readonly EntryUse[]>;
  /** Of one shape, the directory that was answered about last first; a few. */
  answerCounts(profileId: string, shape: string): Promise<readonly AnswerCount[]>;
  /** All, oldest first. */
  grants(): Promise<readonly GrantRecord[]>;
  /** All that are remembered, oldest first. */
  denials(): Promise<readonly DenialRecord[]>;
  /** How many proposals of a session people denied since they last allowed one; sessions without any are left out. */
  denialCounts(): Promise<ReadonlyMap<string, number>>;
  /** How many proposals ended at that time or later, by their outcome's `kind`; without one, under `unknown`. */
  outcomeCounts(sinceMs: number): Promise<Readonly<Record<string, number>>>;

  /** A consistent copy at `path`, which must not exist yet. */
  backup(path: string): Promise<void>;
  /** Waits for commits under way, then lets go of the database. Later calls reject with CLOSED, except close itself. */
  close(): Promise<void>;
}
