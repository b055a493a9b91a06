import type { Identity, Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { RunOutput } from "@countersign/jail";
import type { OutcomeWithoutOutput, OutputEvent } from "@countersign/protocol/proposals";
import { type Following, followOutput, withoutOutput } from "../runs/index.ts";
import type { Proposals } from "./proposals.ts";

/** What a run writes, event by event; then how it ended. */
export interface Feed {
  readonly events: AsyncGenerator<OutputEvent>;
  /** Known once the events are over; undefined where it isn't known at all. */
  outcome(): OutcomeWithoutOutput | undefined;
}

/** Those who read along with runs, beside their proposers. */
export class Followers {
  readonly #proposals: Proposals;
  readonly #limits: Limits;
  #count = 0;

  constructor(proposals: Proposals, limits: Limits) {
    this.#proposals = proposals;
    this.#limits = limits;
  }

  async follow(name: string, identity: Identity, following: Following): Promise<Feed> {
    if (this.#count >= this.#limits.followers) {
      throw new HubError("LIMIT", `${this.#count} readers follow outputs already (limit: followers)`);
    }
    const output = await this.#proposals.output(name, identity);
    const outcome = () => (output.outcome ? withoutOutput(output.outcome) : undefined);
    return { events: this.#counted(output, following), outcome };
  }

  async *#counted(output: RunOutput, following: Following): AsyncGenerator<OutputEvent> {
    this.#count += 1;
    try {
      yield* followOutput(output, following);
    } finally {
      this.#count -= 1;
    }
  }
}
