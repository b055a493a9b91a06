import type {
  ExportReceiptsParams,
  ListChainsParams,
  ListCheckpointsParams,
  ListSandboxesParams,
  ReadChainParams,
  SandboxStory,
  SandboxStoryParams,
} from "@countersign/sdk";
import { HubError } from "../hub-error.ts";
import type { Identity } from "../identity.ts";
import type { Limits } from "../limits.ts";
import type { Store } from "../store/store.ts";
import { listSandboxes, tellSandbox } from "../story/sandbox-story.ts";
import { listChains, listCheckpoints, readChain } from "./chain-views.ts";
import { type ExportedReceipts, exportReceipts } from "./export-receipts.ts";

/** The ledger for those who look through it, or take it along. */
export class RecordRoom {
  readonly #store: Store;
  readonly #limits: Limits;
  /** Whose exports are under way. */
  readonly #exports: string[] = [];

  constructor({ store, limits }: { readonly store: Store; readonly limits: Limits }) {
    this.#store = store;
    this.#limits = limits;
  }

  chains(params: ListChainsParams): ReturnType<typeof listChains> {
    return listChains(this.#store, params);
  }

  chain(params: ReadChainParams): ReturnType<typeof readChain> {
    return readChain(this.#store, params);
  }

  checkpoints(params: ListCheckpointsParams): ReturnType<typeof listCheckpoints> {
    return listCheckpoints(this.#store, params);
  }

  sandboxes(params: ListSandboxesParams): ReturnType<typeof listSandboxes> {
    return listSandboxes(this.#store, params);
  }

  sandbox(params: SandboxStoryParams): Promise<SandboxStory> {
    return tellSandbox(this.#store, params);
  }

  /** Call `over` when it is, whole or not: only so many are under way at once. */
  async export(
    params: ExportReceiptsParams,
    { id }: Pick<Identity, "id">,
  ): Promise<ExportedReceipts & { over(): void }> {
    const { exports, exportsPerToken } = this.#limits;
    if (this.#exports.length >= exports) throw busy(`${exports} exports of the ledger are under way`, "exports");
    if (this.#exports.filter((one) => one === id).length >= exportsPerToken)
      throw busy(`${exportsPerToken} exports with this token are under way`, "exportsPerToken");
    this.#exports.push(id);
    let isOver = false;
    const over = () => {
      if (!isOver) this.#exports.splice(this.#exports.indexOf(id), 1);
      isOver = true;
    };
    try {
      return { ...(await exportReceipts(this.#store, params)), over };
    } catch (cause) {
      over();
      throw cause;
    }
  }
}

function busy(why: string, limit: string): HubError {
  return new HubError("LIMIT", `${why}; ask again when one is done (limit: ${limit})`);
}
