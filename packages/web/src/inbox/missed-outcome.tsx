import type { VNode } from "preact";
import { useStory } from "../proposals/index.ts";
import { OutcomeLabel } from "./outcome-label.tsx";

const SILENT: ReadonlySet<unknown> = new Set(["timeout", "undelivered"]);
const WITHDRAWN: ReadonlySet<unknown> = new Set(["cancelled", "shutdown"]);

/** How a card ended during an outage, read from the record. */
export default function MissedOutcome({ id }: { id: string }): VNode {
  const said = useStory(id).answer?.steps.find(({ type }) => type === "decided")?.said;
  if (said === undefined) return <>SETTLED</>;
  const { verdict, by, person } = said;
  const name = typeof person === "string" ? person : undefined;
  if (verdict === "allow") return <OutcomeLabel word="ALLOWED" by={name} />;
  if (WITHDRAWN.has(by)) return <>WITHDRAWN</>;
  return SILENT.has(by) ? <>EXPIRED</> : <OutcomeLabel word="DENIED" by={name} />;
}
