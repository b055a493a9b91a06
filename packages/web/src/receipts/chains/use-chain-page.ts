import { type ChainView, readChainResultSchema } from "@countersign/protocol/records";
import { useHub, useLookup } from "../../hub/index.ts";
import { lastPage } from "../base/index.ts";
import { lineOfReceipt, type ShownLine } from "./line-words.ts";

export const RECEIPTS_PAGE = 50;

interface ShownReceipt {
  readonly line: ShownLine;
  readonly raw: unknown;
}

export interface ChainPageState {
  readonly chain: ChainView | undefined;
  readonly receipts: readonly ShownReceipt[] | undefined;
  /** The hash of the receipt before the first of these; null: there's none. */
  readonly before: string | null;
  readonly problem: string | undefined;
}

/** A page of a chain: those after a place, or the last ones. */
export function useChainPage(id: string, after: number | undefined): ChainPageState {
  const hub = useHub();
  const read = async (signal: AbortSignal) => {
    const ask = (from: number, limit: number) =>
      hub.api(readChainResultSchema, "GET /api/v1/chains/:chain", {
        params: { chain: id },
        query: { after: from, limit },
        signal,
      });
    const from = after ?? lastPage((await ask(0, 1)).chain.count, RECEIPTS_PAGE);
    // One more before them, to see that the first is linked to it.
    const page = await ask(Math.max(0, from - 1), RECEIPTS_PAGE + 1);
    const shown = page.receipts.flatMap(({ seq, hash, receipt }) => {
      const line = lineOfReceipt(receipt, { seq, hash });
      return line === null ? [] : [{ line, raw: receipt }];
    });
    return {
      chain: page.chain,
      receipts: from === 0 ? shown.slice(0, RECEIPTS_PAGE) : shown.slice(1),
      before: from === 0 ? null : (shown[0]?.line.hash ?? null),
    };
  };
  const { answer, problem } = useLookup(JSON.stringify([id, after]), read);
  return { chain: answer?.chain, receipts: answer?.receipts, before: answer?.before ?? null, problem };
}
