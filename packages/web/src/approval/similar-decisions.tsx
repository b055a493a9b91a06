import { pastAnswersSchema } from "@countersign/protocol/proposals";
import type { VNode } from "preact";
import type * as z from "zod";
import { useHub, useQuery } from "../hub/index.ts";
import { VisibleText } from "../ui/index.ts";
import { Fact } from "./card-facts.tsx";

type Past = z.infer<typeof pastAnswersSchema>["past"][number];

/** How people answered similar commands before. Optional: the card works without it. */
export default function SimilarDecisions({ approvalId }: { approvalId: string }): VNode | null {
  const hub = useHub();
  const { answer, problem } = useQuery(approvalId, (signal) =>
    hub.api(pastAnswersSchema, "GET /api/v1/approvals/:id/past", { params: { id: approvalId }, signal }),
  );
  if (answer === undefined) return <Fact name="Before">{problem === undefined ? "…" : "the hub doesn’t say"}</Fact>;
  const known = answer.past.filter(({ here, elsewhere }) => total(here) + total(elsewhere) > 0);
  if (known.length === 0) return <Fact name="Before">never asked about here</Fact>;
  return (
    <Fact name="Before">
      {known.map((one) => (
        <span key={one.shape} class="past">
          <code>
            <VisibleText text={one.shape} />
          </code>{" "}
          {wordsOf(one)}
        </span>
      ))}
    </Fact>
  );
}

function total({ allowed, denied }: Past["here"]): number {
  return allowed + denied;
}

function wordsOf({ here, elsewhere }: Past): string {
  const counts = ({ allowed, denied }: Past["here"]) => `allowed ${allowed}×, ${denied} denied`;
  if (total(here) === 0) return `${counts(elsewhere)}, elsewhere`;
  return total(elsewhere) === 0 ? counts(here) : `${counts(here)} here; ${counts(elsewhere)} elsewhere`;
}
