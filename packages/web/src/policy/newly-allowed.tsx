import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import type { ComponentChildren, VNode } from "preact";
import { VisibleText } from "../ui/index.ts";
import { parseWidening } from "./parse-widening.ts";

/** Lists what a change would newly allow, or says that it allows nothing new. */
export function NewlyAllowed({ widening }: { widening: readonly string[] }): VNode {
  if (widening.length === 0) {
    return (
      <p>
        <strong class="policy-tighter">Tightens.</strong> It allows nothing new.
      </p>
    );
  }
  return (
    <div>
      <p>
        <strong class="policy-wider">Relaxes:</strong>
      </p>
      <NewlyAllowedList widening={widening} />
    </div>
  );
}

export function NewlyAllowedList({ widening }: { widening: readonly string[] }): VNode {
  return (
    <ul class="bullets policy-widening">
      {widening.map((sentence) => {
        const { words, text, bounds } = parseWidening(sentence);
        return (
          <li key={sentence}>
            <VisibleText text={words} />
            {text !== undefined && (
              <>
                {" "}
                <code>
                  <VisibleText text={text} />
                </code>
              </>
            )}
            {bounds !== undefined && (
              <>
                {": "}
                <VisibleText text={bounds} />
              </>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** On the card of a policy edit: what accepting it would allow. `end` follows the list. */
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
      <NewlyAllowedList widening={card.riskReasons} />
      {end}
    </section>
  );
}
