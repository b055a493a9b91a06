import type { SandboxStep } from "../records/index.ts";

type Flow = Extract<SandboxStep, { kind: "flow" }>;
type Unwatched = Extract<SandboxStep, { kind: "unwatched" }>;

export function flowWords(flow: Flow): string {
  const { bytesOut, blocked, endedAt } = flow;
  if (blocked) return `Blocked: ${whereTo(flow)}`;
  const bytes = `${bytesOut.toLocaleString("en-US")} byte${bytesOut === 1 ? "" : "s"}`;
  return `Sent ${bytes}${endedAt === null ? " so far" : ""} to ${whereTo(flow)}`;
}

function whereTo({ address, port, protocol, name }: Flow): string {
  const host = port !== 0 && address.includes(":") ? `[${address}]` : address;
  return `${host}${port === 0 ? "" : `:${port}`} (${protocol})${name === null ? "" : `, ${name}`}`;
}

export function flowNotes(flow: Flow): readonly string[] {
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

export function unwatchedWords({ from, to, reason }: Unwatched): string {
  const span = durationWords(Date.parse(to) - Date.parse(from));
  if (reason === "overrun")
    return `Not all of what left the sandbox was seen for ${span}: there was more than could be read`;
  const why = reason === "detached" ? "the observer had been told not to" : "no observer was running";
  return `Nobody watched what left the sandbox for ${span}: ${why}`;
}

export function unwatchedNotes({ from, to, rules }: Unwatched): readonly string[] {
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
