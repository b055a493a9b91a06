import { isUnexplained, sandboxStepNotes, sandboxStepWords } from "@countersign/protocol/describe";
import type { SandboxStep, SandboxStory, SandboxView } from "@countersign/protocol/records";
import { visible } from "@countersign/protocol/text";

/** In the order in which things began. */
export function sandboxLines({ sandbox, parentChainRef, unexplained, steps }: SandboxStory): string[] {
  const { id, receipts } = sandbox;
  return [
    `Sandbox ${visible(id)}: ${receipts} receipt${receipts === 1 ? "" : "s"} on record`,
    ...(parentChainRef === null
      ? []
      : [`  begins at receipt ${parentChainRef.sequence} of the root chain, ${parentChainRef.receipt_hash}`]),
    ...incompleteLines(sandbox),
    ...(unexplained === 0
      ? []
      : [
          `  UNEXPLAINED: no call recorded inside explains ${counted(unexplained, "flow")} (marked !; it proves nothing)`,
        ]),
    ...steps.flatMap(stepLines),
    ...limitLines(steps),
    "What is sandbox-asserted is the word of whoever is root in the sandbox; host-observed, of who watches it from the host. Whether the receipts are whole: countersign receipts verify",
  ];
}

function incompleteLines({ dropped, outside, incompleteSessions }: SandboxView): string[] {
  const lines = [
    ...(dropped === 0 ? [] : [`${counted(dropped, "frame")} never came`]),
    ...(outside.dropped === 0 ? [] : [`${counted(outside.dropped, "frame")} of the observer's never came`]),
    ...(outside.gaps === 0
      ? []
      : [`nobody watched its network for a while${outside.gaps === 1 ? "" : `, ${outside.gaps} times`}`]),
    ...(incompleteSessions === 0 ? [] : [`${counted(incompleteSessions, "terminal")} without an end`]),
  ];
  return lines.map((line) => `  INCOMPLETE: ${line}`);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function stepLines(step: SandboxStep): string[] {
  const at = new Date(step.happenedAt).toLocaleString("sv-SE");
  const route = step.kind === "action" && step.route !== null ? ` (${step.route})` : "";
  return [
    visible(`${step.place}  ${at}  ${isUnexplained(step) ? "! " : ""}${sandboxStepWords(step)}${route}`),
    ...sandboxStepNotes(step).map((note) => `   ${visible(note)}`),
    ...("parametersHash" in step ? hashLines(step) : []),
    visible(`   receipt ${step.seq} ${step.hash}, ${step.risk}, ${step.attestation ?? "attested by nobody"}`),
  ];
}

function hashLines({ parametersHash, responseHash }: Extract<SandboxStep, { kind: "action" | "flow" }>): string[] {
  return [
    ...(parametersHash === null ? [] : [`   input ${visible(parametersHash)}`]),
    ...(responseHash === null ? [] : [`   output ${visible(responseHash)}`]),
  ];
}

/** Each once: an emitter says them with every frame. */
function limitLines(steps: readonly SandboxStep[]): string[] {
  const limits = new Set(steps.flatMap((step) => ("limits" in step ? step.limits : [])));
  return limits.size === 0
    ? []
    : ["What the emitters can't see:", ...[...limits].map((limit) => `  ${visible(limit)}`)];
}
