import type { Route } from "../../wire/index.ts";
import { type Decoded, LONGEST_INPUT, type PathItem } from "../decode/index.ts";
import { sha256Text } from "../digest/index.ts";
import type { Beginning } from "../http/index.ts";
import { AnswerTap } from "./answer-tap.ts";
import type { CallEnd } from "./before.ts";
import type { Call, Desk, Ending } from "./call.ts";
import { ExecutionTap } from "./execution-tap.ts";
import { makeFrame, type Told } from "./frame-maker.ts";
import { ptyEndFrame, tellPtyOpen } from "./tell-pty.ts";

export interface Telling {
  readonly call: Call;
  readonly decoded: Decoded;
  readonly ending: Ending;
  readonly desk: Desk;
}

/** Of one call so many paths have a receipt of their own; the others share one. */
const MOST_PATHS = 10_000;

/** Puts on record what became of a call. */
export function tellCall(telling: Telling): void {
  const { call, decoded, ending, desk } = telling;
  const failure = failureOf(call, ending);
  switch (decoded.kind) {
    case "command":
      return tellCommand(telling, decoded, failure);
    case "code":
      return tellCode(telling, decoded.input, failure);
    case "paths":
      tell(telling, ...fewer(decoded.items).map((item) => toldPath(call, item, failure)));
      break;
    case "pty-open":
      return report(call, tellPtyOpen(telling, decoded.input, failure));
    case "pty-delete": {
      const { id } = decoded;
      const at = { route: call.route, desk, id };
      // Its sockets may have to close first.
      const isEnd = failure === undefined && desk.ptys.deleted(id, (end) => call.tell([ptyEndFrame(at, end)]));
      if (!isEnd) tell(telling, control({ route: call.route.name, pty_id: id }, controlResult(call, failure)));
      break;
    }
    case "pty-socket": {
      const result = failure === undefined ? { output: { status: 101 } } : { error: failure };
      tell(telling, control({ route: call.route.name, pty_id: decoded.id }, result));
      break;
    }
    case "control":
      tell(telling, control(decoded.input, ifHashed(decoded.input, controlResult(call, failure))));
      if (failure === undefined) learn(call, decoded.begins, desk);
      break;
    case "undecoded":
      tell(telling, {
        ...{ actionType: decoded.actionType, input: decoded.input },
        ...undecodedResult(call, decoded.input.undecoded, failure),
      });
  }
  report(call, failure === undefined ? {} : { error: failure });
}

type Result = Pick<Told, "output" | "error">;

function tell(
  { call, ending, desk }: Pick<Telling, "call" | "ending" | "desk">,
  ...all: readonly Pick<Told, "actionType" | "input" | "output" | "error">[]
): void {
  const { route, correlationId, startedAt } = call;
  const decision = ending.kind === "denied" ? "denied" : "allowed";
  const frames = all.map(({ actionType, input, output, error }) =>
    makeFrame(desk.voice, {
      ...{ route, actionType, input, correlationId, startedAt, decision },
      ...(output === undefined ? {} : { output }),
      ...(error === undefined ? {} : { error }),
    }),
  );
  call.tell(frames);
}

function control(input: object, result: Result): Pick<Told, "actionType" | "input" | "output" | "error"> {
  return { actionType: "system.application.control", input, ...result };
}

/** Why nothing came of it, as far as the proxy can tell; undefined where something did. */
function failureOf(call: Call, ending: Ending): string | undefined {
  switch (ending.kind) {
    case "denied":
      return `denied: ${ending.denial.message}`;
    case "unreachable":
      return `execd could not be reached: ${ending.reason}`;
    case "refused":
      return `refused by the proxy: ${ending.reason}`;
    default:
      break;
  }
  const status = call.answer?.status;
  if (status !== undefined && (status >= 300 || status < 101)) return httpError(call, status);
  if (ending.kind === "answered" && status !== undefined) return undefined;
  if (ending.kind === "drained") return "the proxy ended before the answer did";
  const by = ending.kind === "cut" ? ending.by : "execd";
  return by === "agent" ? "the agent left before the answer was complete" : "the answer was cut";
}

function httpError({ answerTap }: Call, status: number): string {
  const json =
    answerTap instanceof AnswerTap ? (answerTap.json() as { readonly code?: unknown } | undefined) : undefined;
  return typeof json?.code === "string" ? `HTTP ${status} ${json.code.slice(0, 100)}` : `HTTP ${status}`;
}

function tellCommand(telling: Telling, decoded: Decoded & { kind: "command" }, failure: string | undefined): void {
  const { call, ending, desk } = telling;
  const { input } = decoded;
  const run = call.answerTap instanceof ExecutionTap ? call.answerTap : null;
  const actionType = "system.command.execute";
  const end = (told: { readonly exitCode: number } | { readonly error: string }) => {
    tell(telling, {
      actionType,
      input,
      ...("exitCode" in told ? { output: { exit_code: told.exitCode } } : { error: told.error }),
    });
    report(call, told);
  };
  const isAway = isDetached(call.route, decoded);
  if (run?.exitCode !== undefined && !isAway) return end({ exitCode: run.exitCode });
  const statusAt = statusOf(call, run);
  const isOver = run?.hasEnded && !isAway;
  if (statusAt !== undefined && !isOver && ending.kind !== "denied") {
    return desk.followed.follow({ statusAt, token: call.token }, end);
  }
  end({
    error:
      failure ?? (run?.error === undefined ? "the exit code isn't known" : `the exit code isn't known: ${run.error}`),
  });
}

/** The stream of a command in the background ends with its start; an isolated session answers such a run without a stream. */
export function isDetached({ operation }: Route, { isBackground }: Decoded & { kind: "command" }): boolean {
  return isBackground && operation !== "isolated.run";
}

/** A shell's session and a kernel have no status that could be asked for. */
function statusOf({ route, answer, answerTap }: Call, run: ExecutionTap | null): string | undefined {
  if (route.operation === "command.run" || route.operation === "code.run")
    return run?.id === undefined ? undefined : `/command/status/${encodeURIComponent(run.id)}`;
  const isAccepted = route.operation === "isolated.run" && answer?.status === 202 && answerTap instanceof AnswerTap;
  const { run_id: id } = (isAccepted ? (answerTap.json() as { readonly run_id?: unknown } | null) : null) ?? {};
  if (typeof id !== "string" || id === "") return undefined;
  const session = Buffer.from(route.parameters.sessionId ?? "", "latin1").toString();
  return `/v1/isolated/session/${encodeURIComponent(session)}/runs/${encodeURIComponent(id)}`;
}

function tellCode(telling: Telling, input: object, failure: string | undefined): void {
  const { call, ending } = telling;
  const run = call.answerTap instanceof ExecutionTap ? call.answerTap : null;
  const unread = run && run.unread > 0 ? `${run.unread} events weren't read` : undefined;
  const isEndKnown = run?.hasEnded === true || run?.error !== undefined;
  const error = failure ?? run?.error ?? (isEndKnown ? unread : "the end isn't known");
  // How far it had come: of a stream that was cut by somebody else there is nothing to show but that.
  const isSoFar = ending.kind === "drained" && run !== null;
  const output = isSoFar
    ? { ...run.hashes, incomplete: true }
    : failure === undefined && isEndKnown
      ? run?.hashes
      : undefined;
  tell(telling, {
    ...{ actionType: "system.code.execute", input },
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error: isSoFar ? `incomplete: ${error}` : error }),
  });
  report(call, error === undefined ? {} : { error });
}

/** A PUT asks for a change. Only if execd has made a file of it is it on record as one that was created. */
function toldPath(
  call: Call,
  item: PathItem,
  failure: string | undefined,
): Pick<Told, "actionType" | "input"> & Result {
  const { actionType, input } = item;
  const isRefused = (call.answer?.status ?? 0) >= 400 && call.route.name.startsWith("PUT ");
  const type = isRefused && actionType === "filesystem.file.create" ? "filesystem.file.modify" : actionType;
  return { actionType: type, input, ...pathResult(call, item, failure) };
}

function pathResult({ route, answerTap }: Call, { bytes, input }: PathItem, error: string | undefined): Result {
  if (error !== undefined) return { error };
  switch (route.operation) {
    case "file.download":
    case "file.look":
      return answerResult(answerTap, "content_hash");
    case "directory.list":
      return answerResult(answerTap, "entries_hash");
    case "file.upload":
    case "file.write":
      return ifHashed(input, { output: { bytes_written: bytes ?? 0 } });
    default:
      return { output: {} };
  }
}

function controlResult({ answer, answerTap }: Call, error: string | undefined): Result {
  if (error !== undefined) return { error };
  return answerResult(answerTap, "content_hash", { status: answer?.status ?? 0 });
}

/** What was hashed and got lost isn't told as done: who reads the record couldn't say what it was. */
function ifHashed({ unhashed }: PathItem["input"], result: Result): Result {
  return unhashed === undefined ? result : { error: notHashed(String(unhashed)), ...result };
}

/** The same of what came back. */
function answerResult(answerTap: AnswerTap | ExecutionTap, name: string, output: object = {}): Result {
  if (!(answerTap instanceof AnswerTap)) return { output };
  const { hashed } = answerTap.hash;
  if ("lost" in hashed) return { output: { ...output, unhashed: hashed.lost }, error: notHashed(hashed.lost) };
  return { output: { ...output, [name]: hashed.hash } };
}

function notHashed(why: string): string {
  return `not hashed: ${why}`;
}

/** Whatever came of it: what was asked for isn't known, so it isn't told as done. The status of a run says only that it began. */
function undecodedResult({ answer, route }: Call, reason: string, failure: string | undefined): Result {
  if (failure !== undefined) return { error: failure };
  const error = `not read: ${reason}`;
  return route.operation.endsWith(".run") ? { error } : { output: { status: answer?.status ?? 0 }, error };
}

function learn({ route, answerTap }: Call, begins: Beginning | undefined, { contexts, begunIn }: Desk): void {
  const { operation } = route;
  const isSession = operation === "session.create" || operation === "isolated.create";
  if (!(answerTap instanceof AnswerTap) || !(operation.startsWith("context.") || isSession)) return;
  const json = answerTap.json();
  if (operation.startsWith("context.")) contexts.learn(json);
  const { id, session_id } = (json ?? {}) as { readonly id?: unknown; readonly session_id?: unknown };
  const made = isSession ? session_id : id;
  if (begins !== undefined && typeof made === "string") begunIn.learn(made, begins);
}

/** One item for all those that are too many, and one for each that is too long for a frame. */
function fewer(items: readonly PathItem[]): readonly PathItem[] {
  const told = items.length <= MOST_PATHS ? items : items.slice(0, MOST_PATHS - 1);
  const rest = items.slice(told.length);
  const short = told.map((item) => {
    const text = JSON.stringify(item.input);
    return Buffer.byteLength(text) <= LONGEST_INPUT ? item : { ...item, input: byHash(item.input, text) };
  });
  if (rest.length === 0) return short;
  const shared = { paths: rest.length, paths_hash: sha256Text(JSON.stringify(rest.map(({ input }) => input))) };
  return [...short, { actionType: rest[0]?.actionType ?? "", input: shared }];
}

/** That a hash in it is lost has to be seen without it. */
function byHash({ unhashed }: PathItem["input"], text: string): PathItem["input"] {
  return { input_hash: sha256Text(text), ...(unhashed === undefined ? {} : { unhashed }) };
}

function report(call: Call, end: CallEnd | { readonly exitCode: number } | { readonly error: string }): void {
  call.onEnd?.(end);
  call.onEnd = undefined;
}
