import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { Approvals } from "../../approvals/index.ts";
import type { News } from "../../events/index.ts";

/** Of all texts that are kept; what doesn't fit is made again. */
const KEPT_BYTES = 32 * 1024 * 1024;

interface TextRooms {
  readonly approvals: Approvals;
  readonly news: News;
  /** A card as the dialect writes it, for everyone who may see it. */
  write(card: ExecApprovalRequestPayload): string;
}

/** Cards as one dialect sends them: each is read and written once, for all who come, until it changes. */
export class CardTexts {
  readonly #rooms: TextRooms;
  readonly #texts = new Map<string, Buffer>();
  #bytes = 0;
  #reading: Promise<unknown> = Promise.resolve();

  /** Before any door's own listener: what these are told is in the text already. */
  constructor(rooms: TextRooms) {
    this.#rooms = rooms;
    rooms.news.listen((news) => {
      if (news.kind === "asked") this.#drop(news.card.approvalId);
      else if (news.kind === "counted") this.#drop(news.counted.approvalId);
      else this.#drop(news.closed.approvalId);
    });
  }

  get(approvalId: string): Buffer | undefined {
    return this.#texts.get(approvalId);
  }

  /** The text of a card that the caller has at hand. */
  of(card: ExecApprovalRequestPayload): Buffer {
    return this.get(card.approvalId) ?? this.#keep(card);
  }

  /** Makes those that aren't there. One caller at a time: the others find most of theirs made. */
  async read(approvalIds: readonly string[]): Promise<void> {
    const reading = this.#reading.then(async () => {
      const missing = approvalIds.filter((id) => !this.#texts.has(id));
      await this.#rooms.approvals.show(missing, (card) => void this.#keep(card));
    });
    this.#reading = reading.catch(() => undefined);
    await reading;
  }

  #keep(card: ExecApprovalRequestPayload): Buffer {
    const text = Buffer.from(this.#rooms.write(card));
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
