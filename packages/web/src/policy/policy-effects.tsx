import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { ComponentChildren, VNode } from "preact";
import { WideningList } from "./widening-words.tsx";

/** What accepting an edit of the policy would allow, for its card. `end` stands where the list does. */
export default function PolicyEffects({
  card,
  end,
}: {
  card: Pick<ExecApprovalRequestPayload, "riskReasons">;
  end: ComponentChildren;
}): VNode {
  return (
    <section class="effects" aria-labelledby="effects-title">
      <h3 id="effects-title">What it would allow</h3>
      <WideningList widening={card.riskReasons} />
      {end}
    </section>
  );
}
