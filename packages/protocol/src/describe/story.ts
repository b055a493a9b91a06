import type { Decider } from "@countersign/vocabulary";
import type { Story, StoryStep } from "../records/index.ts";
import { DECIDER_WORDS } from "./card.ts";

type Said = StoryStep["said"];

/** Who decided: a rule, or a person and how sure that is. Text that others wrote is in it as it is: whoever shows it makes it visible. */
export type StoryDecider =
  | { readonly kind: "rule"; readonly words: string }
  | { readonly kind: "person"; readonly person: string; readonly signedOn: string | undefined };

export function storyDecider(said: Said, { devices }: Pick<Story, "devices">): StoryDecider {
  const [person, by, device] = [word(said.person), word(said.by), word(said.device)];
  if (person === undefined) {
    return { kind: "rule", words: by === undefined ? "nobody" : (DECIDER_WORDS[by as Decider] ?? by) };
  }
  const isSigned = said.assurance === "device" && device !== undefined;
  return { kind: "person", person, signedOn: isSigned ? (devices[device] ?? device) : undefined };
}

/** How it ended: `exited with code 0`, `signalled by SIGTERM`, `denied`. */
export function storyEnd(said: Said): string {
  const [kind, signal] = [word(said.kind) ?? "unknown", word(said.signal)];
  if (typeof said.exitCode === "number") return `${kind} with code ${said.exitCode}`;
  return signal === undefined ? kind : `${kind} by ${signal}`;
}

/** What else a step says, what matters first. Everything is in the receipt. */
export function storyFacts({ type, said }: Pick<StoryStep, "type" | "said">): readonly (readonly [string, string])[] {
  const told = (pairs: readonly (readonly [string, unknown])[]) =>
    pairs.flatMap(([name, value]) => (isSaid(value) ? [[name, inWords(value)] as const] : []));
  if (type === "decided" || type === "preview-decided") {
    return told([
      ["why", said.reason],
      ["rule", said.entries],
      ["scope", said.scope],
      ["risk", said.riskLevel],
      ["effects", said.effects],
      ["jail", said.jail],
      ["network", said.network],
      ["lends", said.lends],
      ["enforcement", said.enforcement],
      ["agent", said.agent],
      ["policy version", said.policyVersion],
      ["what exactly", said.binding],
    ]);
  }
  if (type === "started") {
    return told([
      ["permit", said.permit],
      ["what exactly", said.binding],
    ]);
  }
  if (type === "ended" || type === "preview-ended") {
    return told([
      ["why", said.reason],
      ["stdout", said.stdoutHash],
      ["stderr", said.stderrHash],
      ["told by", said.reportedBy],
    ]);
  }
  return told(Object.entries(said));
}

/** What is wrong with a step's receipt. */
export function storyFaults({ check }: Pick<StoryStep, "check">): readonly string[] {
  return [
    ...(check.signed ? [] : ["not as it was signed"]),
    ...(check.linked ? [] : ["not linked to its neighbours"]),
    ...(check.inTree === "failed" ? ["not in the tree that was signed"] : []),
  ];
}

export type StoryVerdict =
  | { readonly kind: "nothing" }
  | { readonly kind: "broken"; readonly words: string }
  | { readonly kind: "whole"; readonly words: string };

/** Whether the receipts of a story hold; about the rest of the ledger it says nothing. */
export function storyVerdict({ whole, steps, checkpoint, texts }: Story): StoryVerdict {
  if (steps.length === 0) return { kind: "nothing" };
  if (texts?.stdout === "other" || texts?.stderr === "other") {
    const words = "the output in the store isn't the one that the receipts have the hash of";
    return { kind: "broken", words };
  }
  if (!whole) return { kind: "broken", words: "this story can't be relied on" };
  const later = steps.filter(({ check }) => check.inTree === "later").length;
  const tree =
    checkpoint === null
      ? "no checkpoint covers them yet"
      : later > 0
        ? `${later} came after the newest checkpoint (${checkpoint.size} receipts)`
        : `in the tree of the newest checkpoint (${checkpoint.size} receipts)`;
  const count = `${steps.length} receipt${steps.length === 1 ? "" : "s"}`;
  return { kind: "whole", words: `${count}, each signed, linked to its neighbours, ${tree}` };
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.map(inWords).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function word(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
