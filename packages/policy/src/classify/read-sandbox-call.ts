import { MAX_COMMAND_LENGTH } from "../model/index.ts";
import { SANDBOX_CHANGES, type SandboxCall, type SandboxChange, writeSandboxCall } from "../patterns/index.ts";

/** What a text says that stands for a call into a sandbox. */
export interface ReadSandboxCall {
  readonly call: SandboxCall;
  /** Head, kind and facts, then what is run. */
  readonly words: readonly string[];
  /** Where what is run begins. */
  readonly bodyAt: number;
}

const HEAD =
  /^sandbox:([A-Za-z0-9][A-Za-z0-9._-]{0,127}) (command|session|code|files|terminal)((?: [a-z0-9_]+=[^\n]*)?)\n/;
/** A value is plain, or JSON: a string, a number, an object of strings. */
const FACT = / ([a-z0-9_]+)=("(?:[^"\\]|\\.)*"|\{(?:"(?:[^"\\]|\\.)*"|[,:])*\}|[A-Za-z0-9_.,:@%+/~-]+)/y;

/** Reads what `writeSandboxCall` wrote, and nothing else: a text that differs from what would be written is a command for bash. */
export function readSandboxCall(text: string): ReadSandboxCall | undefined {
  if (!text.startsWith("sandbox:") || text.length > MAX_COMMAND_LENGTH) return undefined;
  const head = HEAD.exec(text);
  if (head === null) return undefined;
  const [whole, sandbox = "", kind = "", written = ""] = head;
  const facts = readFacts(written);
  const body = text.slice(whole.length);
  const call = facts && callOf({ sandbox, kind, facts: facts.values, body });
  if (!facts || !call || writeSandboxCall(call) !== text) return undefined;
  return { call, words: [`sandbox:${sandbox}`, kind, ...facts.words, body], bodyAt: whole.length };
}

interface Facts {
  readonly values: ReadonlyMap<string, unknown>;
  readonly words: readonly string[];
}

function readFacts(written: string): Facts | undefined {
  const [values, words] = [new Map<string, unknown>(), [] as string[]];
  FACT.lastIndex = 0;
  for (let at = 0; at < written.length; ) {
    FACT.lastIndex = at;
    const [whole, name, value] = FACT.exec(written) ?? [];
    if (whole === undefined || name === undefined || value === undefined || values.has(name)) return undefined;
    values.set(name, readValue(value));
    words.push(whole.slice(1));
    at += whole.length;
  }
  return { values, words };
}

function readValue(text: string): unknown {
  if (!/^["{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Parsed {
  readonly sandbox: string;
  readonly kind: string;
  readonly facts: ReadonlyMap<string, unknown>;
  readonly body: string;
}

function callOf({ sandbox, kind, facts, body }: Parsed): SandboxCall | undefined {
  const text = (name: string) => (typeof facts.get(name) === "string" ? (facts.get(name) as string) : undefined);
  const number = (name: string) => (facts.has(name) ? Number(text(name)) : undefined);
  switch (kind) {
    case "command":
    case "session": {
      const env = facts.get("env");
      return {
        ...{ sandbox, kind, command: body, cwd: text("cwd"), session: text("session"), isolated: text("isolated") },
        ...{
          ...{ background: facts.get("background") === "true", timeoutMs: number("timeout_ms"), from: text("from") },
          made: text("made"),
          ...(facts.get("argv") === "true" ? { argv: true } : {}),
          ...{ uid: number("uid"), gid: number("gid") },
          env: typeof env === "object" && env !== null ? env : undefined,
        },
      } as SandboxCall;
    }
    case "code":
      return {
        ...{ sandbox, kind, code: body, language: text("language") ?? "unknown", named: text("named") },
        ...{ context: text("context"), from: text("from"), cwd: text("cwd") },
      };
    case "terminal":
      return { sandbox, kind, command: body, cwd: text("cwd"), seconds: Number(text("seconds")) };
    case "files": {
      const changes = body.split("\n").map(readChange);
      return changes.every((change) => change !== undefined)
        ? { sandbox, kind, isolated: text("isolated"), from: text("from"), made: text("made"), changes }
        : undefined;
    }
    default:
      return undefined;
  }
}

const CHANGE = /^([a-z-]+) ("(?:[^"\\]|\\.)*"|[A-Za-z0-9_.,:@%+/~-]+)((?: .*)?)$/;

function readChange(line: string): SandboxChange | undefined {
  const [, change = "", path = "", rest = ""] = CHANGE.exec(line) ?? [];
  const known = SANDBOX_CHANGES.find((one) => one === change);
  const [read, facts] = [readValue(path), readFacts(rest)];
  if (known === undefined || typeof read !== "string" || facts === undefined) return undefined;
  const details = [...facts.values].filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return { change: known, path: read, details: Object.fromEntries(details) };
}
