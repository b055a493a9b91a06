import type { Clock } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { BuiltJail, Discarded, DiscardedChanges, Engine, JailSpec, Withdrawal } from "@countersign/jail";
import type { Outcome, Preview } from "@countersign/protocol/proposals";
import { canonicalize, type Json } from "@countersign/receipts";
import { type Store, saltedHash } from "@countersign/store";
import type { Permit } from "../permits/index.ts";
import { type End, previewEndedDraft, withoutSecrets } from "../record/index.ts";
import type { OpenPreviews, PreviewPlace } from "./open-previews.ts";
import type { RunMode } from "./run.ts";

/** Where a preview runs: over the workspace, not in it; on record as itself, without moving its proposal. */
export class PreviewMode implements RunMode {
  readonly kind = "preview";
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #open: OpenPreviews;
  readonly #place: PreviewPlace;
  readonly #cancelled = new AbortController();
  #discarded: Discarded | undefined;
  #changes: DiscardedChanges | undefined;

  constructor(
    place: PreviewPlace,
    options: {
      readonly store: Store;
      readonly clock: Clock;
      readonly open: OpenPreviews;
      readonly withdrawal: Withdrawal;
    },
  ) {
    this.#place = place;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#open = options.open;
    options.withdrawal.onWithdrawn(() => this.#cancelled.abort());
  }

  /** May be called again for a jail that couldn't be built. */
  async build(spec: JailSpec, engine: Pick<Engine, "build">): Promise<BuiltJail> {
    this.#discarded = undefined;
    const jail = await engine.build({ ...spec, discards: { cancelled: this.#cancelled.signal } });
    this.#discarded = jail.discarded;
    return jail;
  }

  async outgrown(): Promise<string | undefined> {
    return await this.#discarded?.outgrown();
  }

  /** Its own decision is on record already, and is the intent. */
  recordStart(): Promise<void> {
    return Promise.resolve();
  }

  async recordEnd({ id, assessment }: Permit, { outcome }: End): Promise<Outcome> {
    this.#changes = await this.#discarded?.changes();
    const told = withoutSecrets(this.#withHints(outcome));
    const { salt } = assessment.proposal;
    const facts = { permit: id, ...this.#recorded(salt) };
    const draft = previewEndedDraft({ ...this.#place, salt }, told, { facts, atMs: this.#clock.wallMs() });
    return await this.#open.end(this.#place, async (write) => {
      const commit = await this.#store.commit([{ op: "append", draft }, write]);
      if (!commit.ok) throw new HubError("INTERNAL", "The end of a preview could not be recorded");
      const receipt = commit.entries[0]?.hash;
      return { ...told, ...(receipt === undefined ? {} : { receipt }) };
    });
  }

  result(): Omit<Preview, "approvalId" | "outcome"> {
    if (!this.#changes) return { changes: [], counts: { created: 0, changed: 0, deleted: 0 }, truncated: false };
    const { how, changes, counts, truncated } = this.#changes;
    return { how, changes: [...changes], counts: { ...counts }, truncated };
  }

  #recorded(salt: string | undefined): Record<string, Json> {
    if (!this.#changes) return {};
    const { how, changes, counts } = this.#changes;
    return { how, ...counts, changesHash: saltedHash(canonicalize(changes as unknown as Json), salt) };
  }

  /** What fails here and wouldn't for real. */
  #withHints(outcome: Outcome): Outcome {
    if (outcome.kind === "exited" && outcome.exitCode === 0) return outcome;
    const said = outcome.stderr?.slice(-LOOKED_AT) ?? "";
    const full = this.#changes?.full ?? (NO_SPACE.test(said) ? "what it may write in a preview" : undefined);
    const hints = [
      ...(full === undefined ? [] : [`It may have failed because there was too little of ${full}.`]),
      ...(CROSS_DEVICE.test(said) ? ["In a preview, directories of the workspace can be copied but not renamed."] : []),
    ];
    return hints.length === 0 ? outcome : { ...outcome, reason: [outcome.reason ?? [], ...hints].flat().join(" ") };
  }
}

const LOOKED_AT = 8_192;
const NO_SPACE = /no space left on device|ENOSPC/i;
const CROSS_DEVICE = /cross-device link|EXDEV/i;
