import type { SandboxStep } from "../records/index.ts";

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

type Flow = Extract<SandboxStep, { kind: "flow" }>;
type Unwatched = Extract<SandboxStep, { kind: "unwatched" }>;

function flowWords(flow: Flow): string {
  const { bytesOut, blocked, endedAt } = flow;
  if (blocked) return `Blocked: ${whereTo(flow)}`;
  const bytes = `${bytesOut.toLocaleString("en-US")} byte${bytesOut === 1 ? "" : "s"}`;
  return `Sent ${bytes}${endedAt === null ? " so far" : ""} to ${whereTo(flow)}`;
}

function whereTo({ address, port, protocol, name }: Flow): string {
  const host = port !== 0 && address.includes(":") ? `[${address}]` : address;
  return `${host}${port === 0 ? "" : `:${port}`} (${protocol})${name === null ? "" : `, ${name}`}`;
}

function flowNotes(flow: Flow): readonly string[] {
  const { receipts, firstSeq, seq, endedAt, enforcement } = flow;
  return [
    explanationWords(flow),
    ...(receipts > 1 ? [`told by ${receipts} receipts, ${firstSeq} to ${seq}`] : []),
    ...(endedAt === null ? ["it wasn't over when it was last told"] : []),
    "seen from outside of the sandbox",
    ...(enforcement === "enforced" ? ["rules of the host's hold the sandbox to what is allowed"] : []),
  ];
}

/** Whether a flow is one that should be looked at: nothing on record from inside was under way. It is a mark, and no proof. */
export function isUnexplained(step: SandboxStep): boolean {
  return step.kind === "flow" && step.explained.kind === "none";
}

const MARK = "no call recorded inside explains this";

const REASONS: Readonly<Record<Extract<Flow["explained"], { kind: "none" }>["reason"], string>> = {
  between: `${MARK}: none was under way when it began`,
  "after-last": `${MARK} so far: nothing has been told from inside since (a call is told when it ends)`,
  "before-first": `${MARK}: it began before anything was told from inside`,
  "nothing-inside": `${MARK}: nothing was ever told from inside`,
  lost: `${MARK}: frames of the proxy's went lost around then`,
};

function explanationWords({ explained }: Flow): string {
  switch (explained.kind) {
    case "none":
      return REASONS[explained.reason];
    case "relay":
      return "to the relay, where the proxy tells what it records";
    case "terminal":
      return `began while the terminal of receipt ${explained.seq} was open, of whose end nothing is on record`;
    default:
      return explained.receipts === 1
        ? `began while what receipt ${explained.seq} tells was under way`
        : `began while one of ${explained.receipts} calls was under way, the first of them receipt ${explained.seq}`;
  }
}

function unwatchedWords({ from, to, reason }: Unwatched): string {
  const span = durationWords(Date.parse(to) - Date.parse(from));
  if (reason === "overrun")
    return `Not all of what left the sandbox was seen for ${span}: there was more than could be read`;
  const why = reason === "detached" ? "the observer had been told not to" : "no observer was running";
  return `Nobody watched what left the sandbox for ${span}: ${why}`;
}

function unwatchedNotes({ from, to, rules }: Unwatched): readonly string[] {
  return [
    `from ${from} to ${to}`,
    ...(rules === "stayed" ? ["what is blocked stayed blocked meanwhile"] : []),
    ...(rules === "gone" ? ["nothing was blocked meanwhile"] : []),
  ];
}

/** The two largest units, rounded down: `4 min 59 s`. */
export function durationWords(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (!(seconds >= 1)) return "less than 1 s";
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}
