import type {
  Answer,
  ApprovalClosed,
  ApprovalCounted,
  ExecApprovalRequestPayload,
  Preview,
  ScopeOffer,
  WireExplanation,
} from "@countersign/protocol/proposals";
import type { ApprovalDecision } from "@countersign/vocabulary";
import type { BodyRow, CardBody } from "./card-body.ts";
import type { Draft } from "./edit-text.ts";
import type { Key } from "./keys.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The wall's time is for deadlines and what is written; the monotonic one for how long ago something was. */
export interface Now {
  readonly wallMs: number;
  readonly monoMs: number;
}

export interface WatchCard {
  readonly card: ExecApprovalRequestPayload;
  /** The command as it was shown before it was revealed: all that stays when it has ended. */
  readonly redacted?: string;
  /** How many identical questions it stands for; absent: one. Apart from the card, which stays the same under the fingers. */
  readonly count?: number;
  /** How it ended, in a few words; it can't be answered any more. */
  readonly ended?: string;
  /** Nobody answered in time: for a while it can be allowed for when it asks again. */
  readonly late?: true;
}

export interface RecentEvent {
  readonly approvalId: string;
  readonly mark: "✓" | "✗" | "–";
  readonly atMs: number;
  readonly command: string;
  readonly agentName: string;
  readonly how: string;
}

/** A line that the person types: `yes`, a reason, or how far an answer goes. */
export interface Input {
  readonly kind: "yes" | "reason" | "scope";
  readonly text: string;
  /** What `yes` is said to, beyond this once or in another jail. */
  readonly scope?: string;
  readonly jail?: JailChoice;
  readonly times?: number;
  readonly late?: true;
  /** What is to run instead. */
  readonly command?: string;
}

/** The ways to allow the selected card more than once; undefined until the hub has told them. */
export interface Menu {
  readonly approvalId: string;
  /** It lists jails instead, each to allow it in once. */
  readonly jails?: true;
  readonly offers: readonly ScopeOffer[] | undefined;
}

/** What the selected card would do, in its place; without a result while the hub tries it out. */
export interface PreviewPane {
  readonly approvalId: string;
  readonly result: Preview | undefined;
  /** Of the result, at this width. */
  readonly rows: readonly BodyRow[];
  readonly scroll: number;
}

/** What the hub says that a command would do, or why it doesn't. */
export type Explained =
  | { readonly kind: "known"; readonly explanation: WireExplanation }
  | { readonly kind: "unknown"; readonly why: string };

/** Another command in the place of the selected card's, this once: first it is written, then what it would do is shown. */
export type Edit = Draft & { readonly approvalId: string } & (
    | { readonly step: "write" }
    | {
        readonly step: "judge";
        /** Undefined while the hub thinks. */
        readonly explained: Explained | undefined;
        readonly scroll: number;
        /** Whether the end of it has been on the screen. */
        readonly seen: boolean;
      }
  );

/** What a person decided. */
export interface Decided {
  readonly decision: ApprovalDecision;
  readonly scope?: string;
  readonly jail?: JailChoice;
  readonly times?: number;
  readonly reason?: string;
  /** What is to run instead. */
  readonly command?: string;
}

export type JailChoice = NonNullable<Answer["jail"]>;

type LinkState = { readonly up: true } | { readonly up: false; readonly why: string };

/** Of the hub itself. */
export interface HubFacts {
  readonly paused: { readonly by: string; readonly atMs: number } | null;
  readonly ranToday: number;
  readonly agents: number;
}

export interface WatchState {
  readonly size: Size;
  /** Oldest first. Those that ended stay only while selected. */
  readonly cards: readonly WatchCard[];
  readonly selectedId: string | undefined;
  /** The selected card's rows, at this width. */
  readonly body: CardBody | undefined;
  readonly scroll: number;
  /** Whether the command's end has been on the screen since the card was selected, and the screen large enough. */
  readonly endSeen: boolean;
  /** Until then (monotonic) nothing can be decided: the person hasn't had time to see what it would be about. */
  readonly deadUntilMs: number;
  readonly input: Input | undefined;
  readonly menu: Menu | undefined;
  readonly preview: PreviewPane | undefined;
  readonly edit: Edit | undefined;
  /** Sent, and not answered by the hub yet. */
  readonly underWay: { readonly approvalId: string; readonly decision: ApprovalDecision } | undefined;
  readonly pausing: boolean;
  /** Newest first. */
  readonly recent: readonly RecentEvent[];
  readonly link: LinkState;
  readonly hub: HubFacts;
  /** Why the ledger isn't what this device remembers. */
  readonly alarm: string | undefined;
  readonly help: boolean;
  /** One sentence about the last thing that was done or couldn't be. */
  readonly notice: string | undefined;
  readonly lastBellMs: number;
  /** Written as `~`; undefined for a hub on another machine. */
  readonly tilde: string | undefined;
}

export type WatchEvent =
  | { readonly kind: "asked"; readonly card: ExecApprovalRequestPayload }
  | { readonly kind: "counted"; readonly counted: ApprovalCounted }
  | { readonly kind: "closed"; readonly closed: ApprovalClosed; readonly expired: boolean }
  /** After a reconnection: of those that were known, these don't wait any more. */
  | { readonly kind: "gone"; readonly approvalIds: readonly string[] }
  | { readonly kind: "link"; readonly link: LinkState }
  | { readonly kind: "hub"; readonly hub: HubFacts }
  | { readonly kind: "ledger"; readonly alarm: string | undefined }
  /** The hub took our answer; `note` is what else it said. */
  | {
      readonly kind: "answered";
      readonly approvalId: string;
      readonly decision: ApprovalDecision;
      /** It was changed first. */
      readonly edited?: true;
      readonly note?: string;
    }
  /** It is allowed for when it asks again, or can't be. */
  | { readonly kind: "late"; readonly approvalId: string; readonly note: string; readonly over: boolean }
  /** The hub told them, or didn't. */
  | { readonly kind: "scopes"; readonly approvalId: string; readonly offers: readonly ScopeOffer[] }
  | { readonly kind: "no-scopes"; readonly approvalId: string; readonly why: string }
  | { readonly kind: "previewed"; readonly result: Preview }
  | { readonly kind: "not-previewed"; readonly approvalId: string; readonly why: string }
  /** What a text would do in a card's place, or why that isn't known. */
  | {
      readonly kind: "explained";
      readonly approvalId: string;
      readonly command: string;
      readonly explained: Explained;
    }
  /** The card with nothing hidden, or why the hub doesn't show it. */
  | { readonly kind: "revealed"; readonly card: ExecApprovalRequestPayload }
  | { readonly kind: "not-revealed"; readonly why: string }
  | { readonly kind: "not-answered"; readonly approvalId: string; readonly why: string; readonly gone: boolean }
  | { readonly kind: "paused"; readonly why?: string }
  | { readonly kind: "key"; readonly key: Key }
  | { readonly kind: "resize"; readonly size: Size }
  | { readonly kind: "tick" };

/** What somebody with hands has to do for the state. */
export type Want =
  | ({ readonly kind: "decide"; readonly card: ExecApprovalRequestPayload } & Decided)
  | {
      readonly kind: "scopes" | "preview" | "cancel-preview" | "reveal" | "allow-late";
      readonly card: ExecApprovalRequestPayload;
    }
  | { readonly kind: "explain"; readonly card: ExecApprovalRequestPayload; readonly command: string }
  | { readonly kind: "pause" | "resume" }
  | { readonly kind: "bell" | "redraw" | "quit" };

export interface Step {
  readonly state: WatchState;
  readonly wants: readonly Want[];
}

export function firstState(size: Size, tilde?: string): WatchState {
  return {
    size,
    cards: [],
    selectedId: undefined,
    body: undefined,
    scroll: 0,
    endSeen: false,
    deadUntilMs: 0,
    input: undefined,
    menu: undefined,
    preview: undefined,
    edit: undefined,
    underWay: undefined,
    pausing: false,
    recent: [],
    link: { up: true },
    hub: { paused: null, ranToday: 0, agents: 0 },
    alarm: undefined,
    help: false,
    notice: undefined,
    lastBellMs: Number.NEGATIVE_INFINITY,
    tilde,
  };
}

export function selectedOf({ cards, selectedId }: WatchState): WatchCard | undefined {
  return cards.find(({ card }) => card.approvalId === selectedId);
}

export function waitingOf({ cards }: WatchState): number {
  return cards.filter(({ ended }) => ended === undefined).length;
}
