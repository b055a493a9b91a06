import { type SandboxStep, type SandboxStory, sandboxStepNotes, sandboxStepWords, visible } from "@countersign/sdk";

/** In the order of its chains. */
export function sandboxLines({ sandbox, parentChainRef, steps }: SandboxStory): string[] {
  const { id, receipts, dropped, incompleteSessions } = sandbox;
  return [
    `Sandbox ${visible(id)}: ${receipts} receipt${receipts === 1 ? "" : "s"} on record`,
    ...(parentChainRef === null
      ? []
      : [`  begins at receipt ${parentChainRef.sequence} of the root chain, ${parentChainRef.receipt_hash}`]),
    ...(dropped === 0 ? [] : [`  INCOMPLETE: ${dropped} frame${dropped === 1 ? "" : "s"} never came`]),
    ...(incompleteSessions === 0
      ? []
      : [`  INCOMPLETE: ${incompleteSessions} terminal${incompleteSessions === 1 ? "" : "s"} without an end`]),
    ...steps.flatMap(stepLines),
    ...limitLines(steps),
    "What is sandbox-asserted is the word of whoever is root in the sandbox. Whether the receipts are whole: countersign receipts verify",
  ];
}

function stepLines(step: SandboxStep): string[] {
  const at = new Date(step.at).toLocaleString("sv-SE");
  const route = step.kind === "action" && step.route !== null ? ` (${step.route})` : "";
  return [
    visible(`${step.place}  ${at}  ${sandboxStepWords(step)}${route}`),
    ...sandboxStepNotes(step).map((note) => `   ${visible(note)}`),
    ...(step.kind === "gap" ? [] : hashLines(step)),
    visible(`   receipt ${step.seq} ${step.hash}, ${step.risk}, ${step.attestation ?? "attested by nobody"}`),
  ];
}

function hashLines({ parametersHash, responseHash }: Extract<SandboxStep, { kind: "action" }>): string[] {
  return [
    ...(parametersHash === null ? [] : [`   input ${visible(parametersHash)}`]),
    ...(responseHash === null ? [] : [`   output ${visible(responseHash)}`]),
  ];
}

/** Each once: an emitter says them with every frame. */
function limitLines(steps: readonly SandboxStep[]): string[] {
  const limits = new Set(steps.flatMap((step) => (step.kind === "action" ? step.limits : [])));
  return limits.size === 0 ? [] : ["What the emitter can't see:", ...[...limits].map((limit) => `  ${visible(limit)}`)];
}
