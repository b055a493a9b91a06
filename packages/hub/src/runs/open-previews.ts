import type { Clock, Log } from "@countersign/core/base";
import type { Outcome } from "@countersign/protocol/proposals";
import type { Store, Write } from "@countersign/store";
import * as z from "zod";
import { previewEndedDraft } from "../record/index.ts";

const placeSchema = z.object({ approvalId: z.string(), proposalKey: z.string(), sessionId: z.string() });
const listSchema = z.array(placeSchema);

/** Which preview: there is one of an approval at a time. */
export type PreviewPlace = Readonly<z.infer<typeof placeSchema>>;

const KEY = "previews.open";

/**
 * The previews that are on record as decided and not as ended. The list is written in the same commits: a proposal that was
 * answered meanwhile isn't open any more, and wouldn't tell of its preview.
 */
export class OpenPreviews {
  readonly #open = new Map<string, PreviewPlace>();

  /** What `commit` does with the write, it is open then; it isn't when that fails. */
  async begin<T>(place: PreviewPlace, commit: (write: Write) => Promise<T>): Promise<T> {
    this.#open.set(place.approvalId, place);
    try {
      return await commit(this.#list());
    } catch (cause) {
      this.#open.delete(place.approvalId);
      throw cause;
    }
  }

  /** One whose end can't be recorded stays open: the next start of the hub ends it. */
  async end<T>(place: PreviewPlace, commit: (write: Write) => Promise<T>): Promise<T> {
    this.#open.delete(place.approvalId);
    try {
      return await commit(this.#list());
    } catch (cause) {
      this.#open.set(place.approvalId, place);
      throw cause;
    }
  }

  /** Taken at once, so that of two commits the later one has the later list. */
  #list(): Write {
    return { op: "put-setting", key: KEY, value: [...this.#open.values()].map((place) => ({ ...place })) };
  }
}

/** After a crash: what was tried out then died with the hub, and how far it had come isn't known. */
export async function endInterruptedPreviews({
  store,
  clock,
  log,
}: {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<void> {
  const left = listSchema.safeParse((await store.setting(KEY)) ?? []);
  if (left.data?.length === 0) return;
  const places = left.data ?? [];
  const atMs = clock.wallMs();
  const drafts = places.map((place) => previewEndedDraft(place, interrupted(place), { atMs }));
  const appends = drafts.map((draft): Write => ({ op: "append", draft }));
  await store.commit([...appends, { op: "put-setting", key: KEY, value: [] }]);
  for (const { proposalKey } of places) log.warn({ proposal: proposalKey }, "a preview was interrupted");
}

function interrupted({ approvalId }: PreviewPlace): Outcome {
  return { kind: "interrupted", by: "person", approvalId, reason: "The hub stopped while it was tried out" };
}
