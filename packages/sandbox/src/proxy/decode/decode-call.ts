import { GoJsonError, type GoType, goUtf8, type Operation, type Route, takeFirst } from "../../wire/index.ts";
import { sha256Text } from "../digest/index.ts";
import type { BegunIn, Contexts } from "../http/index.ts";
import type { BodyTap } from "./body-tap.ts";
import { decodePaths } from "./decode-paths.ts";
import type { Decoded } from "./decoded.ts";
import { isolatedWords, LONGEST_MADE } from "./isolated-words.ts";
import {
  createContext,
  createIsolated,
  createSession,
  openPty,
  runCode,
  runCommand,
  runInSession,
  runIsolated,
} from "./request-types.ts";
import { strangeQuery } from "./strange-query.ts";

/** What earlier calls have told. */
export interface Known {
  readonly contexts: Contexts;
  readonly begunIn: BegunIn;
}

/** What execd runs in a shell, and what it doesn't come back from with an exit code. */
const SHELLS = ["", "command", "bash"];
const BACKGROUND = "background-command";
/** A frame has 1 MiB at the recorder: what has more bytes than this, as JSON, is told by its hash. */
export const LONGEST_INPUT = 512 * 1024;

const ACTION_TYPES: { readonly [operation in Operation]?: string } = {
  "command.run": "system.command.execute",
  "session.run": "system.command.execute",
  "isolated.run": "system.command.execute",
  "code.run": "system.code.execute",
  "file.upload": "filesystem.file.modify",
  "file.write": "filesystem.file.modify",
  "file.replace": "filesystem.file.modify",
  "file.permissions": "filesystem.file.modify",
  "file.move": "filesystem.file.move",
  "directory.create": "filesystem.directory.create",
  "pty.open": "system.pty.open",
};

/** Where no single file tells it, and for what can't be read. */
function actionTypeOf(operation: Operation): string {
  return ACTION_TYPES[operation] ?? "system.application.control";
}

/** Reads what a call asks for. Never throws: what isn't readable is told as that. */
export function decodeCall(route: Route, body: BodyTap, known: Known): Decoded {
  try {
    const decoded = decodeAll(route, body, known);
    if (
      decoded.kind === "code" ||
      decoded.kind === "paths" ||
      Buffer.byteLength(JSON.stringify(decoded)) <= LONGEST_INPUT
    )
      return decoded;
    return undecoded(route, body, "it is longer than a frame");
  } catch (error) {
    if (!(error instanceof GoJsonError)) throw error;
    const reason =
      error.code === "CUT" && body.isCut ? "it is longer than what is read" : `${error.code}: ${error.message}`;
    return undecoded(route, body, reason);
  }
}

export function undecoded({ operation }: Route, { hash }: BodyTap, reason: string): Decoded {
  const input = { undecoded: reason, ...hash.field("body_hash"), bytes: hash.bytes };
  return { kind: "undecoded", actionType: actionTypeOf(operation), input };
}

function decodeAll(route: Route, body: BodyTap, known: Known): Decoded {
  let strange = strangeQuery(route);
  const read = <T>(type: GoType<T>): T => {
    const taken = takeFirst(type, body.held());
    strange ??= taken.strange;
    return taken.value;
  };
  const decoded = decodeBody(route, { body, read, known });
  return strange === undefined ? decoded : { ...decoded, strange: strange.slice(0, 200) };
}

interface Reading {
  readonly body: BodyTap;
  readonly read: <T>(type: GoType<T>) => T;
  readonly known: Known;
}

function decodeBody(route: Route, { body, read, known }: Reading): Decoded {
  const { operation, parameters } = route;
  switch (operation) {
    case "command.run": {
      const { command, argv, cwd, background, timeout, uid, gid, envs } = read(runCommand);
      const input = {
        ...(command !== "" || argv === null ? { command } : {}),
        ...(argv ? { argv } : {}),
        ...envOf(envs),
      };
      const as = { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
      // Builds that know no argv run the command.
      const both = command !== "" && (argv?.length ?? 0) > 0 ? { strange: "argv beside command" } : {};
      return { kind: "command", input, cwd, isBackground: background, ...as, ...timeoutOf(timeout), ...both };
    }
    case "session.run": {
      const { command, cwd, timeout } = read(runInSession);
      const session = textOf(parameters.sessionId);
      const from = known.begunIn.directoryOf(session);
      return { kind: "command", input: { command }, cwd, isBackground: false, session, from, ...timeoutOf(timeout) };
    }
    case "isolated.run": {
      const { code, cwd, envs, background, timeout_seconds: seconds } = read(runIsolated);
      const input = { command: code, ...envOf(envs) };
      const session = textOf(parameters.sessionId);
      const from = known.begunIn.directoryOf(session);
      const where = { session, isIsolated: true, from, ...timeoutOf(seconds * 1_000) } as const;
      return { kind: "command", input, cwd, isBackground: background, ...where };
    }
    case "code.run":
      return codeOf(read(runCode), known);
    case "session.create":
    case "isolated.create":
    case "context.create":
      return madeBy(route, { body, read, known });
    case "pty.open": {
      const { command, cwd } = optional(() => read(openPty), openPty.zero(), body);
      return { kind: "pty-open", input: { command }, cwd };
    }
    case "pty.socket":
    case "pty.delete":
      return { kind: operation === "pty.socket" ? "pty-socket" : "pty-delete", id: textOf(parameters.sessionId) };
    default:
      return decodePaths(route, read, body.hash.bytes > 0) ?? { kind: "control", input: controlInput(route, body) };
  }
}

interface Made {
  readonly cwd: string;
  readonly made?: string;
  readonly strange?: string;
}

/** On record as any other call; what it makes begins with is kept for the calls that come after it. */
function madeBy(route: Route, { body, read }: Reading): Decoded {
  const control = { kind: "control", input: controlInput(route, body) } as const;
  const readMade = () => {
    if (route.operation === "isolated.create") return isolatedBy(read(createIsolated));
    return route.operation === "session.create" ? read(createSession) : read(createContext);
  };
  try {
    const { cwd, made = "", strange } = optional<Made>(readMade, { cwd: "" }, body);
    return { ...control, begins: { directory: cwd, made }, ...(strange === undefined ? {} : { strange }) };
  } catch (error) {
    if (!(error instanceof GoJsonError)) throw error;
    return { ...control, strange: `a body that can't be read (${error.code})` };
  }
}

/** Nobody sees on a card what is longer than one. */
function isolatedBy(asked: ReturnType<(typeof createIsolated)["zero"]>): Made {
  const made = isolatedWords(asked);
  const strange = made.length > LONGEST_MADE ? { strange: "binds, or other wishes, that are longer than a card" } : {};
  return { cwd: asked.workspace.path, made, ...strange };
}

/** One that is only known about can be shown to nobody. */
function timeoutOf(ms: number): { readonly timeoutMs?: number; readonly strange?: string } {
  if (!Number.isSafeInteger(ms)) return { strange: "a timeout of that length" };
  return ms === 0 ? {} : { timeoutMs: ms };
}

/**
 * The language that a call names only chooses a way: without one it is a shell, SQL goes to execd's database, and a context's kernel runs
 * whatever it is given in its own language. So of a context it is what it was made with, as far as that is known.
 */
function codeOf(
  {
    context,
    code,
  }: {
    readonly context: { readonly id: string; readonly language: string; readonly cwd: string };
    readonly code: string;
  },
  { contexts, begunIn }: Known,
): Decoded {
  const { id, language, cwd } = context;
  const isKernel = !["", "command", BACKGROUND, "sql"].includes(language);
  const runs = isKernel && id !== "" ? (contexts.languageOf(id) ?? "unknown") : language;
  const from = id === "" ? "" : begunIn.directoryOf(id);
  if (SHELLS.includes(runs) || runs === BACKGROUND) {
    const shell = { kind: "command", input: { command: code }, cwd, isBackground: runs === BACKGROUND } as const;
    if (isKernel) return { ...shell, session: id || "default", from };
    // A shell of its own, whatever context is named: no build that is known looks at that.
    return id === "" ? shell : { ...shell, strange: "context.id without a language" };
  }
  const input = { code_hash: sha256Text(code), language: runs };
  return { kind: "code", code, input, context: id, named: language, cwd, from };
}

function envOf(envs: ReadonlyMap<string, string>): { readonly env?: { readonly [name: string]: string } } {
  return envs.size === 0 ? {} : { env: Object.fromEntries(envs) };
}

/** No body at all stands for defaults. White space that is longer than what is held may have anything behind it. */
function optional<T>(read: () => T, fallback: T, { isCut }: BodyTap): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GoJsonError) || error.code !== "EMPTY") throw error;
    if (isCut) throw new GoJsonError("CUT", "nothing but white space so far");
    return fallback;
  }
}

function controlInput({ name, rawQuery }: Route, { hash }: BodyTap) {
  return {
    route: textOf(name),
    ...(rawQuery === "" ? {} : { query_hash: sha256Text(Buffer.from(rawQuery, "latin1")) }),
    ...(hash.bytes === 0 ? {} : hash.field("body_hash")),
  };
}

/** Parameters are bytes, one for each character. */
function textOf(bytes: string | undefined): string {
  return goUtf8(Buffer.from(bytes ?? "", "latin1"));
}
