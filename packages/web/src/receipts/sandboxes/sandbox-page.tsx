import { type SandboxStory, sandboxStorySchema } from "@countersign/protocol/records";
import type { VNode } from "preact";
import { type Query, useHub, useQuery } from "../../hub/index.ts";
import { goTo, hrefOf } from "../../navigation/index.ts";
import { clockTime } from "../../text/index.ts";
import { Notice, VisibleText } from "../../ui/index.ts";
import { counted, many, Pager } from "../base/index.ts";
import { gapWords, outsideWords } from "./sandbox-words.ts";
import { StepRow } from "./step-row.tsx";
import "./sandboxes.css";

/** The events of a sandbox, in order. */
export function SandboxPage({ id, after }: { id: string; after: number }): VNode {
  const { answer: story, problem } = useSandboxStory(id, after);
  return (
    <section class="chain" aria-labelledby="sandbox-title">
      <a class="back" href={hrefOf("receipts", ["sandboxes"])}>
        ‹ Sandboxes
      </a>
      {problem && <Notice kind="problem">{problem}</Notice>}
      {story !== undefined && (
        <>
          <Head story={story} />
          <Pager
            label="Pages of the story"
            count={story.sandbox.steps}
            from={(story.steps[0]?.place ?? 1) - 1}
            size={STEPS_PAGE}
            show={(from) => goTo(hrefOf("receipts", ["sandbox", id], { after: `${from}` }), { replace: true })}
          />
          <ol class="receipt-list" aria-label="What happened, in order">
            {story.steps.map((step) => (
              <StepRow key={step.seq} step={step} />
            ))}
          </ol>
          <Limits story={story} />
        </>
      )}
    </section>
  );
}

function Head({ story: { sandbox, parentChainRef, unexplained } }: { story: SandboxStory }): VNode {
  const { id, receipts, firstAtMs, lastAtMs, actions, chains } = sandbox;
  const gaps = gapWords(sandbox);
  const outside = outsideWords(sandbox);
  const now = Date.now();
  return (
    <header class="chain-head">
      <h2 id="sandbox-title">
        Sandbox <VisibleText text={id} />
      </h2>
      <p class="quiet small">
        {counted(receipts, "receipt")} · {clockTime(firstAtMs, now)} to {clockTime(lastAtMs, now)}
        {outside !== "" && ` · ${outside}`}
      </p>
      {gaps.length > 0 && (
        <p>
          <strong class="gap-word">Incomplete:</strong> {gaps.join(", ")}.
        </p>
      )}
      {unexplained > 0 && (
        <p>
          <strong class="gap-word">Unexplained:</strong> no call recorded inside explains {counted(unexplained, "flow")}
          . It is a reason to look, and proves nothing.
        </p>
      )}
      <ul class="sandbox-actions small" aria-label="What was done, by type">
        {actions.map(({ type, count }) => (
          <li key={type}>
            <VisibleText text={type} /> <span class="quiet">{many(count)}</span>
          </li>
        ))}
      </ul>
      <p class="small">
        {chains.map((chain, at) => (
          <a key={chain} href={hrefOf("receipts", ["chain", chain])}>
            {at === 0 ? "Its chain" : "the one that goes on from it"}
          </a>
        ))}
        {parentChainRef !== null && (
          <>
            {" begins at "}
            <a
              href={hrefOf("receipts", ["chain", parentChainRef.chain_id], { after: `${parentChainRef.sequence - 1}` })}
            >
              receipt {many(parentChainRef.sequence)} of the hub’s own
            </a>
          </>
        )}
        .
      </p>
    </header>
  );
}

/** Each once: an emitter repeats them in every frame. */
function Limits({ story: { steps } }: { story: SandboxStory }): VNode {
  const limits = new Set(steps.flatMap((step) => ("limits" in step ? step.limits : [])));
  return (
    <aside class="quiet small" aria-label="What this doesn’t tell">
      <ul class="sentences">
        {[...limits].map((limit) => (
          <li key={limit}>
            <VisibleText text={limit} />
          </li>
        ))}
        <li>
          What is sandbox-asserted is the word of whoever is root in the sandbox; host-observed, of who watches it from
          the host. Whether the receipts are whole is for the verifier to say.
        </li>
        <li>
          Steps are ordered by their start on their emitters’ clocks. A flow counts as explained if a command, code or a
          terminal was running when it began. That doesn’t prove that it sent the data, and a background process can
          send later.
        </li>
      </ul>
    </aside>
  );
}

const STEPS_PAGE = 50;

/** Reads a page of a sandbox's events: those after an offset. */
function useSandboxStory(id: string, after: number): Query<SandboxStory> {
  const hub = useHub();
  const query = { after, limit: STEPS_PAGE };
  return useQuery(JSON.stringify([id, after]), (signal) =>
    hub.api(sandboxStorySchema, "GET /api/v1/sandboxes/:id/story", { params: { id }, query, signal }),
  );
}
