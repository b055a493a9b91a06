import { type ChainView, readChainResultSchema } from "@countersign/protocol/records";
import type { VNode } from "preact";
import { useHub, useQuery } from "../../hub/index.ts";
import { goTo, hrefOf } from "../../navigation/index.ts";
import { clockTime } from "../../text/index.ts";
import { Notice, VisibleText } from "../../ui/index.ts";
import { Copyable, counted, Download, lastPage, Pager, shortKey } from "../base/index.ts";
import { ChainName } from "./chain-list.tsx";
import { lineOfReceipt, type ShownLine } from "./line-words.ts";
import { ReceiptRow } from "./receipt-row.tsx";

/** A chain: its receipts in order, each with the hash of the previous one. */
export function ChainPage({ id, after }: { id: string; after: number | undefined }): VNode {
  const { chain, receipts, before, problem } = useChainPage(id, after);
  return (
    <section class="chain" aria-labelledby="chain-title">
      <a class="back" href={hrefOf("receipts")}>
        ‹ Receipts
      </a>
      {problem && <Notice kind="problem">{problem}</Notice>}
      {chain !== undefined && <Head chain={chain} />}
      {chain !== undefined && receipts !== undefined && (
        <>
          <Pager
            label="Pages of the chain"
            count={chain.count}
            from={(receipts[0]?.line.sequence ?? 1) - 1}
            size={RECEIPTS_PAGE}
            show={(from) => goTo(hrefOf("receipts", ["chain", id], { after: `${from}` }), { replace: true })}
          />
          <ol class="receipt-list" aria-label="Receipts in order">
            {receipts.map(({ line, raw }, at) => (
              <ReceiptRow
                key={line.seq}
                line={line}
                raw={raw}
                previous={at === 0 ? before : (receipts[at - 1]?.line.hash ?? null)}
              />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function Head({ chain }: { chain: ChainView }): VNode {
  const { chainId, kind, name, agent, key, count, firstAtMs, lastAtMs, continues } = chain;
  const nowMs = Date.now();
  return (
    <header class="chain-head">
      <h2 id="chain-title">
        <ChainName chain={chain} />
      </h2>
      <p class="quiet small">
        {counted(count, "receipt")} · {clockTime(firstAtMs, nowMs)} to {clockTime(lastAtMs, nowMs)}
        {agent !== null && (
          <>
            {" · "}
            <VisibleText text={agent} />
          </>
        )}
      </p>
      <p class="quiet small">
        Signed by <Copyable text={key} shown={shortKey(key)} label="the key" />
      </p>
      <p class="quiet small mono chain-id">
        <VisibleText text={chainId} />
      </p>
      {continues !== null && (
        <p class="small">
          Goes on from <a href={hrefOf("receipts", ["chain", continues])}>the chain under the key before</a>.
        </p>
      )}
      {kind === "sandbox" && name !== null && (
        <p class="small">
          <a href={hrefOf("receipts", ["sandbox", name])}>What happened in this sandbox, in order</a>
        </p>
      )}
      <div class="verify-actions">
        <Download receipts={count} chain={chainId} />
      </div>
    </header>
  );
}

const RECEIPTS_PAGE = 50;

interface ShownReceipt {
  readonly line: ShownLine;
  readonly raw: unknown;
}

interface ChainPageState {
  readonly chain: ChainView | undefined;
  readonly receipts: readonly ShownReceipt[] | undefined;
  /** The hash of the receipt before the first of these; null if there is none. */
  readonly before: string | null;
  readonly problem: string | undefined;
}

/** Reads a page of a chain: after an offset, or the last page. */
function useChainPage(id: string, after: number | undefined): ChainPageState {
  const hub = useHub();
  const read = async (signal: AbortSignal) => {
    const ask = (from: number, limit: number) =>
      hub.api(readChainResultSchema, "GET /api/v1/chains/:chain", {
        params: { chain: id },
        query: { after: from, limit },
        signal,
      });
    const from = after ?? lastPage((await ask(0, 1)).chain.count, RECEIPTS_PAGE);
    // Reads one more before the page, to check the link of its first receipt.
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
  const { answer, problem } = useQuery(JSON.stringify([id, after]), read);
  return { chain: answer?.chain, receipts: answer?.receipts, before: answer?.before ?? null, problem };
}
