import type { Clock, Log } from "@countersign/core/base";
import type { Config } from "@countersign/core/config";
import type { LayerFile } from "@countersign/policy";
import type { Json } from "@countersign/receipts";
import type { Store, Write } from "@countersign/store";
import { ORGANISATION_ACCEPTED, type OrganisationPolicy, organisationPolicy, type Pinned } from "./organisation.ts";
import type { Pause } from "./pause.ts";
import { type HeldChange, PolicyQuestion } from "./policy-question.ts";
import type { Questions } from "./question.ts";

const DENIED = "organisation.denied";
/** The hash of a pin that was taken away. */
const NONE = "none";

interface Options {
  /** What `config.json` pins. */
  readonly pin: Config["organisation"];
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly questions: Pick<Questions, "open">;
  readonly pause: Pick<Pause, "isPaused">;
}

/** The organisation's policy in force, and the question about another one. Read at the start; a new pin needs a restart. */
export class ActiveOrganisation {
  readonly #pin: Config["organisation"];
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #questions: Pick<Questions, "open">;
  readonly #pause: Pick<Pause, "isPaused">;
  #policy: OrganisationPolicy;
  #asks: string | undefined;

  private constructor(policy: OrganisationPolicy, options: Options) {
    this.#policy = policy;
    this.#pin = options.pin;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#questions = options.questions;
    this.#pause = options.pause;
  }

  static async load(options: Options & { readonly firstStart: boolean }): Promise<ActiveOrganisation> {
    const { pin, store, clock, firstStart } = options;
    const policy = await organisationPolicy(pin, store, { firstStart });
    if (policy.news !== undefined) await store.commit(acceptWrites(policy.news, { by: "start" }, clock));
    return new ActiveOrganisation(policy, options);
  }

  layers(): readonly LayerFile[] {
    return this.#policy.layers;
  }

  /** Whether it takes only a device's word for what widens a policy. */
  get requiresDevice(): boolean {
    return this.#policy.layers.some(({ block }) => block.assurance === "device");
  }

  get frozen(): HeldChange | undefined {
    const { frozen } = this.#policy;
    if (!frozen) return undefined;
    const { wanted, widening, diff } = frozen;
    const hash = `sha256:${wanted?.sha256 ?? NONE}`;
    const edit = { file: "config.json (organisation)", profileId: "organisation", hash, widening, diff };
    return { ...edit, approvalId: this.#asks };
  }

  get warning(): string | undefined {
    return this.#policy.warning;
  }

  /** Asks about a pin that would allow more, unless the same one was denied. */
  async ask(): Promise<void> {
    const { frozen: edit } = this;
    if (!edit) return;
    const wanted = this.#policy.frozen?.wanted ?? null;
    if ((await this.#store.setting(DENIED)) === edit.hash) return;
    this.#log.warn({ widening: edit.widening }, "another organisation's policy is frozen until a person allows it");
    const question = new PolicyQuestion(edit, {
      clock: this.#clock,
      pause: this.#pause,
      requiresDevice: () => this.requiresDevice,
      accept: (facts) => acceptWrites(wanted, { by: "person", ...facts }, this.#clock),
      refuse: () => [{ op: "put-setting", key: DENIED, value: edit.hash }],
      accepted: async () => {
        this.#policy = await organisationPolicy(this.#pin, this.#store, { firstStart: false });
      },
    });
    await this.#questions.open(question, question.card, []);
    this.#asks = question.approvalId;
  }
}

function acceptWrites(pinned: Pinned | null, facts: Record<string, Json>, clock: Clock): Write[] {
  const body = { file: pinned?.file ?? null, hash: `sha256:${pinned?.sha256 ?? NONE}`, ...facts };
  return [
    { op: "put-setting", key: ORGANISATION_ACCEPTED, value: pinned },
    { op: "append", draft: { type: "policy-changed", sessionId: null, proposalKey: null, atMs: clock.wallMs(), body } },
  ];
}
