import type { ChainView } from "@countersign/protocol/records";
import type { VNode } from "preact";
import { goTo, hrefOf } from "../../navigation/index.ts";
import { clockTime } from "../../text/index.ts";
import { Notice, VisibleText } from "../../ui/index.ts";
import { Copyable, counted, Download, Pager, shortKey } from "../base/index.ts";
import { ChainName } from "./chain-list.tsx";
import { ReceiptRow } from "./receipt-row.tsx";
import { RECEIPTS_PAGE, useChainPage } from "./use-chain-page.ts";

/** One chain: its receipts in order, each with the one that it names before it. */
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
