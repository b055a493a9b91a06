import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { Approvals } from "../../approvals/index.ts";
import type { News } from "../../events/index.ts";

/** Limit of all texts together. A dropped text is made again. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** Caches cards as one dialect sends them: each is read and serialized once for all receivers, until it changes. */
export class CardTexts {
  readonly #approvals: Approvals;
  readonly #write: (card: ExecApprovalRequestPayload) => string;
  readonly #texts = new Map<string, Buffer>();
  #bytes = 0;
  #reading: Promise<unknown> = Promise.resolve();

  /** Listens before the dialect does, so that the texts are current when it sends. `write` must not depend on the receiver. */
  constructor(approvals: Approvals, news: News, write: (card: ExecApprovalRequestPayload) => string) {
    this.#approvals = approvals;
    this.#write = write;
    news.listen((event) => {
      if (event.kind === "asked") this.#drop(event.card.approvalId);
      else if (event.kind === "counted") this.#drop(event.counted.approvalId);
      else this.#drop(event.closed.approvalId);
    });
  }

  get(approvalId: string): Buffer | undefined {
    return this.#texts.get(approvalId);
  }

  /** Returns the text of a card that the caller has loaded. */
  of(card: ExecApprovalRequestPayload): Buffer {
    return this.get(card.approvalId) ?? this.#keep(card);
  }

  /** Makes the missing texts. Runs one caller at a time, so that the next ones find most of theirs made. */
  async read(approvalIds: readonly string[]): Promise<void> {
    const reading = this.#reading.then(async () => {
      const missing = approvalIds.filter((id) => !this.#texts.has(id));
      await this.#approvals.show(missing, (card) => void this.#keep(card));
    });
    this.#reading = reading.catch(() => undefined);
    await reading;
  }

  #keep(card: ExecApprovalRequestPayload): Buffer {
    const text = Buffer.from(this.#write(card));
    this.#drop(card.approvalId);
    this.#texts.set(card.approvalId, text);
    this.#bytes += text.length;
    for (const id of this.#texts.keys()) {
      if (this.#bytes <= KEPT_BYTES) break;
      this.#drop(id);
    }
    return text;
  }

  #drop(approvalId: string): void {
    this.#bytes -= this.#texts.get(approvalId)?.length ?? 0;
    this.#texts.delete(approvalId);
  }
}
