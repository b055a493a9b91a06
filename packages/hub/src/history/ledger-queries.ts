import type { Clock, Identity, Limits } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type {
  ExportReceiptsParams,
  ListChainsParams,
  ListCheckpointsParams,
  ListReceiptsParams,
  ListSandboxesParams,
  ReadChainParams,
  ReceiptView,
  Report,
  ReportParams,
  SandboxStory,
  SandboxStoryParams,
  Story,
} from "@countersign/protocol/records";
import {
  allReceipts,
  checkLedger,
  type ExportedReceipts,
  exportReceipts,
  getReceipt,
  type LedgerCheck,
  listChains,
  listCheckpoints,
  listReceipts,
  proveGrowth,
  proveReceipt,
  readChain,
  type Store,
  tellCheckpoint,
} from "@countersign/store";
import { listSandboxes, proposalAccount, sandboxAccount } from "./account/index.ts";
import { makeReport } from "./report/index.ts";

/** Queries, proofs and exports of the ledger. */
export class LedgerQueries {
  readonly #store: Store;
  readonly #limits: Limits;
  readonly #clock: Clock;
  #verifying: Promise<LedgerCheck> | undefined;
  #reporting = false;
  /** Token ids of the exports in progress. */
  readonly #exports: string[] = [];

  constructor({ store, limits, clock }: { readonly store: Store; readonly limits: Limits; readonly clock: Clock }) {
    this.#store = store;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Verifies the stored ledger page by page, so that other work gets its turn. */
  verify(): Promise<LedgerCheck> {
    // Verification reads everything and checks every signature, so simultaneous callers share one.
    this.#verifying ??= checkLedger(allReceipts(this.#store)).finally(() => {
      this.#verifying = undefined;
    });
    return this.#verifying;
  }

  receipts(wanted: ListReceiptsParams): ReturnType<typeof listReceipts> {
    return listReceipts(this.#store, wanted);
  }

  receipt(id: string): Promise<ReceiptView> {
    return getReceipt(this.#store, id);
  }

  /** Proofs for somebody who doesn't have the ledger. */
  get proofs() {
    return {
      checkpoint: () => tellCheckpoint(this.#store),
      inclusion: (id: string, size?: number) => proveReceipt(this.#store, id, size),
      consistency: (sizes: Parameters<typeof proveGrowth>[1]) => proveGrowth(this.#store, sizes),
    };
  }

  story(id: string): Promise<Story> {
    return proposalAccount(this.#store, id);
  }

  /** Runs one at a time, because each reads and verifies the whole ledger. */
  async report(span: ReportParams): Promise<Report> {
    if (this.#reporting) throw busy("A report is being made", "reports");
    this.#reporting = true;
    return await makeReport(this.#store, span, this.#clock.wallMs()).finally(() => {
      this.#reporting = false;
    });
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
    return sandboxAccount(this.#store, params);
  }

  /** Call `over` at the end, complete or not: the number of exports is limited. */
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
