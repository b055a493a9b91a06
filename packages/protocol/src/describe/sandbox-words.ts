import type { SandboxStep } from "../records/index.ts";
import { durationWords, flowNotes, flowWords, unwatchedNotes, unwatchedWords } from "./sandbox-flow-words.ts";

/** What a step says, in a few words. Text that others wrote is in it as it is: whoever shows it makes it visible. */
export function sandboxStepWords(step: SandboxStep): string {
  if (step.kind === "flow") return flowWords(step);
  if (step.kind === "unwatched") return unwatchedWords(step);
  if (step.kind === "gap") return gapWords(step);
  if (step.denied)
    return `${WANTED[step.type] ?? "A call of execd"} was denied${step.error === null ? "" : `: ${step.error}`}`;
  const what = ACTIONS[step.type] ?? step.type;
  return step.error === null ? `${what}: ${step.status}` : `${what}: ${step.status}, ${step.error}`;
}

/** What else there is to know about a step. */
export function sandboxStepNotes(step: SandboxStep): readonly string[] {
  return [...ownNotes(step), ...lateWords(step)];
}

function ownNotes(step: SandboxStep): readonly string[] {
  if (step.kind === "flow") return flowNotes(step);
  if (step.kind === "unwatched") return unwatchedNotes(step);
  if (step.kind === "gap") return [];
  return [
    ...(step.terminal === null ? [] : [terminalWords(step)]),
    ...(step.placement === "ingress_egress" ? ["seen from outside of the sandbox"] : []),
    ...(step.enforcement === null ? [] : [ENFORCEMENT[step.enforcement] ?? `enforcement: ${step.enforcement}`]),
  ];
}

/** A minute between two clocks, or on the way, is nothing to speak of. */
const LATE_MS = 60_000;

/** It stands where it began, not where it came in. */
function lateWords({ at, emittedAt }: SandboxStep): readonly string[] {
  const lateMs = Date.parse(at) - Date.parse(emittedAt ?? at);
  return lateMs > LATE_MS ? [`recorded ${durationWords(lateMs)} after it was told`] : [];
}

function gapWords({ dropped, placement }: Extract<SandboxStep, { kind: "gap" }>): string {
  const frames = dropped === 1 ? "1 frame" : `${dropped} frames`;
  return placement === "ingress_egress"
    ? `${frames} of the observer's never came: flows were seen here that aren't on record`
    : `${frames} never came: something happened here that isn't on record`;
}

function terminalWords({ type, terminal }: Extract<SandboxStep, { kind: "action" }>): string {
  const other = terminal?.other ?? null;
  if (type === "system.pty.open") {
    return other === null ? "nothing says that it was closed" : `closed by receipt ${other}`;
  }
  return other === null ? "nothing says that it was opened" : `opened by receipt ${other}`;
}

const ENFORCEMENT: Readonly<Record<string, string>> = {
  enforced: "gated: nothing in the sandbox could go round it",
  advisory: "gated, but what runs in the sandbox can go round it",
  none: "recorded only, nobody was asked",
};

const ACTIONS: Readonly<Record<string, string>> = {
  "system.command.execute": "Ran a command",
  "system.code.execute": "Ran code",
  "system.pty.open": "Opened a terminal",
  "system.pty.close": "Closed a terminal",
  "system.application.control": "Called execd",
  "filesystem.file.read": "Read a file",
  "filesystem.file.create": "Created a file",
  "filesystem.file.modify": "Changed a file",
  "filesystem.file.move": "Moved a file",
  "filesystem.file.delete": "Deleted a file",
  "filesystem.directory.list": "Listed a directory",
  "filesystem.directory.create": "Created a directory",
  "filesystem.directory.delete": "Deleted a directory",
  "network.egress.observed": "Sent to the network",
  "dev.countersign.egress.gap": "Nobody watched the network",
};

/** What a gate kept from execd. */
const WANTED: Readonly<Record<string, string>> = {
  "system.command.execute": "A command",
  "system.code.execute": "Code",
  "system.pty.open": "A terminal",
  "filesystem.file.create": "A new file",
  "filesystem.file.modify": "A change of a file",
  "filesystem.file.move": "Moving a file",
  "filesystem.file.delete": "Deleting a file",
  "filesystem.directory.create": "A new directory",
  "filesystem.directory.delete": "Deleting a directory",
};
