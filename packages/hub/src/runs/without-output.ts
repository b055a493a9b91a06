import type { Outcome, OutcomeWithoutOutput } from "@countersign/sdk";

export function withoutOutput({ stdout: _, stderr: __, ...outcome }: Outcome): OutcomeWithoutOutput {
  return outcome;
}
