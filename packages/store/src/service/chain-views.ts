import { HubError } from "@countersign/core/errors";
import type {
  ChainView,
  ListChainsParams,
  ListCheckpointsParams,
  listChainsResultSchema,
  listCheckpointsResultSchema,
  ReadChainParams,
  readChainResultSchema,
} from "@countersign/protocol/records";
import { type Receipt, readCheckpoint } from "@countersign/receipts";
import type * as z from "zod";
import type { ChainRecord, Store } from "../contract/index.ts";
import { viewReceipt } from "./receipt-views.ts";

type Chains = Pick<Store, "chains" | "chain" | "receiptsOfChain" | "checkpoints" | "ledgerHead">;

/** The chains of the ledger, those that began last first. */
export async function listChains(
  store: Chains,
  { before, limit, text }: ListChainsParams,
): Promise<z.infer<typeof listChainsResultSchema>> {
  const { chains, next } = await store.chains({ beforeSeq: before, limit, text });
  const receipts = (await store.ledgerHead())?.seq ?? 0;
  return { receipts, chains: chains.map(viewChain), ...(next === null ? {} : { next }) };
}

/** A chain and a page of its receipts. Its places have no gaps, so that any page can be asked for. */
export async function readChain(
  store: Chains,
  { chain: id, after, limit }: ReadChainParams,
): Promise<z.infer<typeof readChainResultSchema>> {
  const receipts = await store.receiptsOfChain({ chainId: id, afterSequence: after, limit });
  const chain = await store.chain(id);
  if (chain === null) throw new HubError("NOT_FOUND", "There's no such chain");
  return { chain: viewChain(chain), receipts: receipts.map(viewReceipt) };
}

export async function listCheckpoints(
  store: Chains,
  { before, limit }: ListCheckpointsParams,
): Promise<z.infer<typeof listCheckpointsResultSchema>> {
  const found = await store.checkpoints({ before, limit });
  const checkpoints = found.map(({ size, note, atMs }) => {
    const { root = new Uint8Array(0) } = readCheckpoint(note) ?? {};
    return { size, root: Buffer.from(root).toString("base64"), note, atMs };
  });
  const last = found.at(-1);
  return { checkpoints, ...(last && found.length === limit ? { next: last.size } : {}) };
}

type Whose = Pick<ChainView, "kind" | "name">;

function viewChain({ chainId, sessionId, agentName, emitter, first, last }: ChainRecord): ChainView {
  const { proof } = JSON.parse(last.raw) as Receipt;
  const { issuer } = JSON.parse(first.raw) as Receipt;
  const { continues } = issuer.runtime ?? {};
  const earlier = (continues as { readonly chain_id?: unknown } | undefined)?.chain_id;
  return {
    chainId,
    ...whose({ chainId, sessionId, emitter }),
    agent: agentName,
    // The key itself: behind the fragment it is only said once more.
    key: proof.verificationMethod.split("#")[0] ?? "",
    count: last.sequence,
    firstSeq: first.seq,
    lastSeq: last.seq,
    firstAtMs: first.atMs,
    lastAtMs: last.atMs,
    head: last.hash,
    continues: typeof earlier === "string" ? earlier : null,
  };
}

/** The end of a chain's id, which is the recorder's to choose. */
const EMITTED = /:(?:sandbox:([\w.-]+)|(uid:\d+))$/;

function whose({ chainId, sessionId, emitter }: Omit<ChainRecord, "first" | "last" | "agentName">): Whose {
  const [, sandbox, user] = emitter === null ? [] : (EMITTED.exec(chainId) ?? []);
  if (sandbox !== undefined) return { kind: "sandbox", name: sandbox };
  if (emitter !== null) return { kind: "emitter", name: user ?? emitter };
  return sessionId === null ? { kind: "root", name: null } : { kind: "session", name: sessionId };
}
