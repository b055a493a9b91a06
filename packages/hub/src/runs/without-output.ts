import type { Outcome, OutcomeWithoutOutput } from "@countersign/protocol/proposals";

export function withoutOutput({ stdout: _, stderr: __, ...outcome }: Outcome): OutcomeWithoutOutput {
  return outcome;
}
