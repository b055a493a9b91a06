import { HubError } from "@countersign/core/errors";
import type { ExportReceiptsParams } from "@countersign/protocol/records";
import { bundleParts, type ExportedPart, type PlacedReceipt, type Receipt } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import type { Store } from "../contract/index.ts";
import { allReceipts } from "./all-receipts.ts";

export type ExportReader = Pick<
  Store,
  "ledgerHead" | "receipts" | "receiptBy" | "receiptsOfChain" | "chain" | "checkpoints" | "treeNode" | "keyLine"
>;

export interface ExportedReceipts {
  /** How many of them there are. */
  readonly count: number;
  /** Read no faster than they are taken. */
  readonly parts: AsyncGenerator<ExportedPart>;
}

const crypto = nodeCrypto();

/** The receipts as they were signed, byte for byte as `receipts export` writes them; what comes meanwhile isn't in it. */
export async function exportReceipts(
  reader: ExportReader,
  { format, chain }: ExportReceiptsParams,
): Promise<ExportedReceipts> {
  const head = await reader.ledgerHead();
  const first = await reader.receiptBy({ seq: 1 });
  if (head === null || first === null) throw new HubError("NOT_FOUND", "Nothing is on record yet");
  const size = head.seq;
  if (format === "jsonl") {
    if (chain === undefined) return { count: size, parts: lineParts(allUpTo(reader, size)) };
    const why = "Of lines only all together can be verified: a chain alone begins and ends in another";
    throw new HubError("INVALID_PARAMS", `chain: ${why}. Ask for a bundle, which proves that each is in the record.`);
  }
  const [checkpoint = null] = await reader.checkpoints({ before: size + 1, limit: 1 });
  const chosen =
    chain === undefined ? { count: size, receipts: allUpTo(reader, size) } : await ofChain(reader, chain, size);
  const source = {
    ...{ size, first, checkpoint, chosen: chosen.receipts },
    treeNode: (level: number, index: number) => reader.treeNode(level, index),
  };
  return { count: chosen.count, parts: bundleParts(source, { selection: chain !== undefined }, crypto) };
}

async function* lineParts(receipts: AsyncIterable<PlacedReceipt>): AsyncGenerator<ExportedPart> {
  for await (const { raw } of receipts) yield { text: `${raw}\n`, receipts: 1 };
}

async function* allUpTo(reader: ExportReader, size: number): AsyncGenerator<PlacedReceipt> {
  for await (const receipt of allReceipts(reader)) {
    if (receipt.seq > size) return;
    yield receipt;
  }
}

/** One chain, and what its keys rest on, in the order of the ledger. */
async function ofChain(
  reader: ExportReader,
  chainId: string,
  size: number,
): Promise<{ readonly count: number; readonly receipts: AsyncGenerator<PlacedReceipt> }> {
  const chain = await reader.chain(chainId);
  if (chain === null) throw new HubError("NOT_FOUND", "There's no such chain");
  const line: PlacedReceipt[] = [];
  for (const raw of await reader.keyLine()) {
    const { chain_id, sequence } = (JSON.parse(raw) as Receipt).credentialSubject.chain;
    const found = await reader.receiptBy({ chainId: chain_id, sequence });
    if (found !== null && found.seq <= size && chain_id !== chainId) line.push(found);
  }
  return { count: chain.last.sequence + line.length, receipts: merged(line, pagesOf(reader, chainId, size)) };
}

async function* merged(line: PlacedReceipt[], receipts: AsyncIterable<PlacedReceipt>): AsyncGenerator<PlacedReceipt> {
  for await (const receipt of receipts) {
    while (line[0] !== undefined && line[0].seq < receipt.seq) yield line.shift() as PlacedReceipt;
    yield receipt;
  }
  yield* line;
}

const PAGE = 250;

async function* pagesOf(reader: ExportReader, chainId: string, size: number): AsyncGenerator<PlacedReceipt> {
  for (let afterSequence = 0; ; afterSequence += PAGE) {
    const page = await reader.receiptsOfChain({ chainId, afterSequence, limit: PAGE });
    for (const receipt of page) if (receipt.seq <= size) yield receipt;
    if (page.length < PAGE) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
