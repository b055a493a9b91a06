import { wordsForAgent } from "@countersign/protocol/describe";
import type { Outcome } from "@countersign/protocol/proposals";
import { outputOf } from "./tools/index.ts";

const CUT = "The output was cut: its beginning and its end are here, and how much was left out between them.";

/** Returns the command's output, followed by the outcome in the words that all adapters use for agents. */
export function outcomeText(
  outcome: Outcome,
  { waitedMs, maxBytes }: { readonly waitedMs: number; readonly maxBytes: number },
): string {
  const { output, truncated } = outputOf(outcome, maxBytes);
  const said = [
    ...(truncated ? [CUT] : []),
    ...(outcome.kind === "exited" && outcome.exitCode !== 0 ? [`Exit code ${outcome.exitCode}.`] : []),
    ...[wordsForAgent(outcome, waitedMs) ?? []].flat(),
  ].join("\n");
  if (output === "") return said === "" ? "It worked, and wrote nothing." : said;
  if (said === "") return output;
  return `${output}${output.endsWith("\n") ? "" : "\n"}${said}`;
}
