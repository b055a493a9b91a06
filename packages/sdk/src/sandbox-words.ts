import type { SandboxStep } from "./sandbox.ts";

/** What a step says, in a few words. Text that others wrote is in it as it is: whoever shows it makes it visible. */
export function sandboxStepWords(step: SandboxStep): string {
  if (step.kind === "gap") {
    return `${step.dropped === 1 ? "1 frame" : `${step.dropped} frames`} never came: something happened here that isn't on record`;
  }
  if (step.denied)
    return `${WANTED[step.type] ?? "A call of execd"} was denied${step.error === null ? "" : `: ${step.error}`}`;
  const what = ACTIONS[step.type] ?? step.type;
  return step.error === null ? `${what}: ${step.status}` : `${what}: ${step.status}, ${step.error}`;
}

/** What else there is to know about a step. */
export function sandboxStepNotes(step: SandboxStep): readonly string[] {
  if (step.kind === "gap") return [];
  return [
    ...(step.terminal === null ? [] : [terminalWords(step)]),
    ...(step.placement === "ingress_egress" ? ["seen from outside of the sandbox"] : []),
    ...(step.enforcement === null ? [] : [ENFORCEMENT[step.enforcement] ?? `enforcement: ${step.enforcement}`]),
  ];
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
