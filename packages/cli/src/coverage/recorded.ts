import { sha256Hex } from "@countersign/core/base";
import { redactCommand } from "@countersign/core/redaction";
import { claimedPermit } from "@countersign/hub";
import type { StoreReader } from "@countersign/store";
import type { AgentCall } from "./agent-call.ts";

const PAGE = 1_000;
/** A proposal may be older than the transcript's line about it, by the clock's grain and a person's time to answer. */
const BEFORE_MS = 3_600_000;

/** What the hub has on record, by what a transcript can know of it. */
export class Recorded {
  readonly #ids = new Set<string>();
  /** Commands of a session, as often as they are there. */
  readonly #commands = new Map<string, number>();
  readonly #permits = new Set<string>();
  /** What a permit was claimed with: it counts for no other command. */
  readonly #claims = new Map<string, string>();

  static async read(reader: StoreReader, sinceMs: number): Promise<Recorded> {
    const recorded = new Recorded();
    for (const proposal of await reader.openProposals()) recorded.#add(proposal);
    let after: string | undefined;
    for (;;) {
      const page = { sinceMs: sinceMs - BEFORE_MS, limit: PAGE, ...(after === undefined ? {} : { after }) };
      const proposals = await reader.endedProposals(page);
      for (const proposal of proposals) recorded.#add(proposal);
      after = proposals.at(-1)?.key;
      if (proposals.length < PAGE || after === undefined) break;
    }
    await recorded.#readPermits(reader, sinceMs - BEFORE_MS);
    return recorded;
  }

  /** Whether it has receipts. Each proposal answers for one call: the same command twice needs two. */
  has({ agent, sessionId, callId, command }: AgentCall): boolean {
    if (callId !== undefined && this.#ids.has(idOf(sessionId, callId))) return true;
    if (command === undefined) return false;
    const permit = claimedPermit(command);
    if (permit !== undefined && this.#permits.has(permit)) {
      const claim = this.#claims.get(permit) ?? command;
      this.#claims.set(permit, claim);
      return claim === command;
    }
    const key = commandKey(`${agent}:${sessionId}`, command);
    const left = this.#commands.get(key) ?? 0;
    if (left > 0) this.#commands.set(key, left - 1);
    return left > 0;
  }

  #add({
    proposalId,
    sessionId,
    command,
  }: {
    readonly proposalId: string;
    readonly sessionId: string;
    readonly command: string;
  }): void {
    this.#ids.add(proposalId);
    const key = commandKey(sessionId, command);
    this.#commands.set(key, (this.#commands.get(key) ?? 0) + 1);
  }

  async #readPermits(reader: StoreReader, sinceMs: number): Promise<void> {
    for (let afterSeq = 0; ; ) {
      const entries = await reader.ledger({ afterSeq, limit: PAGE });
      for (const { type, atMs, body } of entries)
        if (type === "started" && atMs >= sinceMs && typeof body.permit === "string") this.#permits.add(body.permit);
      afterSeq = entries.at(-1)?.seq ?? 0;
      if (entries.length < PAGE) return;
    }
  }
}

/** As the hub names a use of a tool. */
function idOf(sessionId: string, callId: string): string {
  const id = `${sessionId}/${callId}`;
  return id.length <= 128 ? id : sha256Hex(id);
}

/** What has ended is kept without its secrets, so both are compared without. */
function commandKey(session: string, command: string): string {
  return `${session}\0${redactCommand(command)}`;
}
