import type { Identity } from "@countersign/core/base";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { Approvals } from "../../approvals/index.ts";
import type { Head, Peer } from "../index.ts";
import type { CardTexts } from "./card-texts.ts";
import type { FairQueue } from "./fair-queue.ts";

/** Ids looked up at a time. */
const PAGE = 100;
/** Bytes written at a time, and held for one reader at most, unless a single frame is larger. */
const CHUNK_BYTES = 32 * 1024;

interface Receiver {
  readonly connection: Peer;
  readonly identity: Identity;
  /** A new one for each batch. */
  head(): Head;
  /** Sends a card whose text wasn't kept. Returns false if it wasn't sent. */
  send(card: ExecApprovalRequestPayload): boolean;
}

interface Step {
  readonly sent: readonly string[];
  /** Id of the last approval that is done. */
  readonly after: string;
  /** Approvals whose texts must be made first. */
  readonly missing: readonly string[];
  readonly isOver: boolean;
}

/**
 * Sends pending cards to a client that has just registered, oldest first. The next chunk is sent when the client has
 * read the last and it is its turn, so that neither a slow client nor a thousand delay others.
 */
export async function replayPending(
  approvals: Approvals,
  texts: CardTexts,
  queue: FairQueue,
  to: Receiver,
): Promise<void> {
  const { connection, identity } = to;
  let after = "";
  let unmade: string | undefined;
  for (;;) {
    await connection.drained(0);
    if (connection.gone.aborted) return;
    const step = await queue.run(() => sendSome(approvals, texts, to, after));
    if (step === undefined) return;
    const sent = [...step.sent];
    after = step.after;
    const [missing] = step.missing;
    if (missing !== undefined && missing === unmade) {
      // The text was made and dropped again: more cards are pending than fit the cache.
      await approvals.show([missing], (card) => {
        if (to.send(card)) sent.push(missing);
      });
      after = missing;
    } else if (missing !== undefined) {
      await texts.read(step.missing);
    }
    unmade = missing;
    if (identity.role === "approver" && sent.length > 0 && (await connection.confirmed()))
      await approvals.delivered(sent);
    if (step.isOver) return;
  }
}

/** Undefined if the connection doesn't take it. */
function sendSome(approvals: Approvals, texts: CardTexts, to: Receiver, from: string): Step | undefined {
  const { connection } = to;
  const head = to.head();
  const tails: Buffer[] = [];
  const sent: string[] = [];
  let bytes = 0;
  let after = from;
  const step = (rest: Pick<Step, "missing" | "isOver">): Step | undefined =>
    tails.length > 0 && !connection.sendShared({ head, tails }) ? undefined : { sent, after, ...rest };
  for (;;) {
    const page = approvals.pendingAfter(after, PAGE);
    for (const [index, id] of page.entries()) {
      // Skips approvals that are being settled or share another's card.
      const tail = approvals.isSeen(id) ? texts.get(id) : undefined;
      if (tail === undefined && approvals.isSeen(id)) return step({ missing: page.slice(index), isOver: false });
      after = id;
      const size = head.bytes.length + (tail?.length ?? 0);
      // A card that is too large for a frame doesn't hide those after it.
      if (tail === undefined || size > connection.frameBytes) continue;
      tails.push(tail);
      sent.push(id);
      bytes += size;
      if (bytes >= CHUNK_BYTES) return step({ missing: [], isOver: false });
    }
    if (page.length < PAGE) return step({ missing: [], isOver: true });
  }
}
