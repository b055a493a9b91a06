import { SANDBOX_CHANGES } from "@countersign/vocabulary";
import { MAX_COMMAND_LENGTH } from "../model/index.ts";

/**
 * A request to execd in a sandbox. Its paths and programs are the sandbox's, and nothing is looked up on this machine.
 */
export type SandboxCall = { readonly sandbox: string } & SandboxAct;

export type SandboxAct =
  /** `session`: runs in an existing shell, whose earlier commands may affect it. */
  | {
      readonly kind: "command" | "session";
      readonly command: string;
      /** Its words are passed to the program without a shell. */
      readonly argv?: true | undefined;
      readonly cwd?: string | undefined;
      readonly env?: { readonly [name: string]: string } | undefined;
      readonly session?: string | undefined;
      /** Instead of a plain session, one with its own files. */
      readonly isolated?: string | undefined;
      /** Directory in which the session began. */
      readonly from?: string | undefined;
      /** Settings of an isolated session that change its paths or its user. */
      readonly made?: string | undefined;
      readonly background?: boolean | undefined;
      /** Time after which execd kills it. */
      readonly timeoutMs?: number | undefined;
      /** User id, if the call sets one. */
      readonly uid?: number | undefined;
      readonly gid?: number | undefined;
    }
  | {
      readonly kind: "code";
      readonly code: string;
      readonly language: string;
      /** Language that the call states, if another runs. */
      readonly named?: string | undefined;
      readonly context?: string | undefined;
      readonly cwd?: string | undefined;
      readonly from?: string | undefined;
    }
  /** `isolated`: the session whose files they are, if they aren't the sandbox's own. `made`: as above. */
  | {
      readonly kind: "files";
      readonly isolated?: string | undefined;
      /** Directory in which that session began; relative paths start there. */
      readonly from?: string | undefined;
      readonly made?: string | undefined;
      readonly changes: readonly SandboxChange[];
    }
  /** An interactive shell for a limited time. */
  | {
      readonly kind: "terminal";
      readonly seconds: number;
      readonly command?: string | undefined;
      readonly cwd?: string | undefined;
    };

export interface SandboxChange {
  readonly change: (typeof SANDBOX_CHANGES)[number];
  readonly path: string;
  /** Other details: destination, mode, owner, hash of the content. */
  readonly details: { readonly [name: string]: string | number };
}

/** Prefix of the first word of every such call. No program has such a name. */
export const SANDBOX_CALL_PREFIX = "sandbox:";

/**
 * Words that name the user and the session's own paths. They come first, and an entry covers a call with them only if
 * it names them.
 */
export const USER_FACT = /^(?:uid|gid|made)=/;

const WITH_USER: readonly (string | null)[] = ["command", "session", "files"];

/** Returns those words of a call: they follow its head and kind and precede the command. */
export function userWords(words: readonly (string | null)[]): string[] {
  const [head, kind = null] = words;
  if (!head?.startsWith(SANDBOX_CALL_PREFIX) || !WITH_USER.includes(kind)) return [];
  return words.slice(2, -1).filter((word): word is string => word !== null && USER_FACT.test(word));
}

/** Reports whether nobody saw the session's settings: nothing known about one such session applies to another. */
export function isOutOfSight(words: readonly (string | null)[]): boolean {
  return userWords(words).includes("made=unknown");
}

const SANDBOX_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/**
 * Writes the call as the text that is proposed: `sandbox:<id> <kind> name=value …` on the first line, then the command
 * as it is. Each call has exactly one text, and no two calls share one.
 */
export function writeSandboxCall(call: SandboxCall): string {
  if (!SANDBOX_ID.test(call.sandbox)) throw new RangeError("not a sandbox's id");
  const { facts, body } = written(call);
  const words = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${writeValue(value)}`],
  );
  return `${[`${SANDBOX_CALL_PREFIX}${call.sandbox}`, call.kind, ...words].join(" ")}\n${body}`;
}

interface Written {
  readonly facts: { readonly [name: string]: string | number | boolean | object | undefined };
  readonly body: string;
}

function written(call: SandboxCall): Written {
  switch (call.kind) {
    case "command":
    case "session": {
      const { uid, gid, argv, session, isolated, from, made, cwd, env, background, timeoutMs } = call;
      return {
        facts: {
          ...{ uid, gid, made, argv, session, isolated, from, cwd, env },
          ...{ background: background ? true : undefined, timeout_ms: timeoutMs },
        },
        body: call.command,
      };
    }
    case "code": {
      const { language, named, context, from, cwd } = call;
      return { facts: { language, named, context, from, cwd }, body: call.code };
    }
    case "terminal":
      return { facts: { seconds: call.seconds, cwd: call.cwd }, body: call.command ?? "" };
    case "files": {
      const { made, isolated, from } = call;
      return { facts: { made, isolated, from }, body: call.changes.map(writeChange).join("\n") };
    }
  }
}

function writeChange({ change, path, details }: SandboxChange): string {
  const more = Object.entries(details).map(([name, value]) => `${name}=${writeValue(value)}`);
  return [change, writeValue(path), ...more].join(" ");
}

/** Values without spaces, quotes or invisible characters; others are written as ASCII JSON. */
const PLAIN = /^[A-Za-z0-9_.,:@%+/~-]+$/;
const NOT_ASCII = /[^\x20-\x7e]/g;

function writeValue(value: string | number | boolean | object): string {
  if (typeof value === "string" && PLAIN.test(value)) return value;
  if (typeof value === "number" || typeof value === "boolean") return JSON.stringify(value);
  return JSON.stringify(value).replace(NOT_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A parsed call into a sandbox. */
export interface ReadSandboxCall {
  readonly call: SandboxCall;
  /** Head, kind and facts, then the command. */
  readonly words: readonly string[];
  /** Offset of the command. */
  readonly bodyAt: number;
}

const HEAD =
  /^sandbox:([A-Za-z0-9][A-Za-z0-9._-]{0,127}) (command|session|code|files|terminal)((?: [a-z0-9_]+=[^\n]*)?)\n/;
/** A fact, whose value is plain or JSON: a string, a number, an object of strings. */
const FACT = / ([a-z0-9_]+)=("(?:[^"\\]|\\.)*"|\{(?:"(?:[^"\\]|\\.)*"|[,:])*\}|[A-Za-z0-9_.,:@%+/~-]+)/y;

/** Reads exactly the texts that `writeSandboxCall` writes. Any other text is a command for bash. */
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
