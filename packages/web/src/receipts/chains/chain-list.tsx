import type { ChainView } from "@countersign/protocol/records";
import type { VNode } from "preact";
import { hrefOf } from "../../navigation/index.ts";
import { ago, elide } from "../../text/index.ts";
import { Empty, Notice, nowMs, VirtualList, VisibleText } from "../../ui/index.ts";
import { counted, shortKey } from "../base/index.ts";
import type { Chains } from "./use-chains.ts";

const ROW_PX = 64;
/** Characters of a name in a phone's row: the end of a UUID distinguishes it. */
const ROW_CHARACTERS = 24;

export function ChainList({
  found: { chains, problem, more },
  text,
  setText,
  open,
}: {
  found: Chains;
  text: string;
  setText(text: string): void;
  open: string | undefined;
}): VNode {
  return (
    <section class="chains" aria-label="Chains">
      <input
        class="chains-search"
        type="search"
        placeholder="Find a chain by session, sandbox or agent"
        aria-label="Find a chain"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      {problem && <Notice kind="problem">{problem}</Notice>}
      {chains?.length === 0 && (
        <Empty title={text === "" ? "Nothing is on record yet." : "No chain has that in its name."} />
      )}
      {chains !== undefined && chains.length > 0 && (
        <VirtualList
          items={chains}
          keyOf={({ chainId }) => chainId}
          rowPx={ROW_PX}
          label="Chains, the newest first"
          onEnd={more}
          render={(chain) => <Row chain={chain} isOpen={chain.chainId === open} />}
        />
      )}
    </section>
  );
}

function Row({ chain, isOpen }: { chain: ChainView; isOpen: boolean }): VNode {
  const { chainId, kind, agent, count, lastAtMs, key } = chain;
  return (
    <a class="chain-row" href={hrefOf("receipts", ["chain", chainId])} aria-current={isOpen ? "true" : undefined}>
      <span class="chain-name">
        <ChainName chain={chain} room={ROW_CHARACTERS} />
      </span>
      <span class="chain-age quiet small">{ago(lastAtMs, nowMs.value)}</span>
      <span class="chain-facts quiet small">
        {KINDS[kind]} · {counted(count, "receipt")}
        {agent !== null && (
          <>
            {" · "}
            <VisibleText text={elide(agent, 40)} />
          </>
        )}
      </span>
      <span class="chain-key quiet small mono">{shortKey(key)}</span>
    </a>
  );
}

const KINDS = { root: "hub", session: "session", sandbox: "sandbox", emitter: "another program" } as const;

/** The name of a chain: the hub, the id of a session or sandbox, or the user of a program. */
export function ChainName({
  chain: { kind, name },
  room = 60,
}: {
  chain: Pick<ChainView, "kind" | "name">;
  room?: number;
}): VNode {
  if (name === null) return <>The hub itself</>;
  if (kind === "emitter") return <>Programs of {name.replace("uid:", "user ")}</>;
  return <VisibleText text={elide(name, room)} />;
}
