import type { ExecdFrame } from "../../delivery/index.ts";
import type { Route } from "../../wire/index.ts";
import { sha256Text } from "../digest/index.ts";
import { AnswerTap } from "./answer-tap.ts";
import type { CallEnd } from "./before.ts";
import type { Desk } from "./call.ts";
import { makeFrame } from "./frame-maker.ts";
import type { PtyEnd } from "./pty-record.ts";
import type { Telling } from "./tell-call.ts";

interface About {
  readonly desk: Desk;
  /** Of the call that it was known by. */
  readonly route: Route;
  readonly id: string;
}

/** What was opened is told again where its shell starts again; a longer text is kept as its hash. */
const LONGEST_KEPT = 4096;

export function tellPtyOpen(telling: Telling, input: object, failure: string | undefined): CallEnd {
  const { call, desk } = telling;
  const json =
    call.answerTap instanceof AnswerTap
      ? (call.answerTap.json() as { readonly session_id?: unknown } | undefined)
      : undefined;
  const id = typeof json?.session_id === "string" && json.session_id !== "" ? json.session_id : undefined;
  const error = failure ?? (id === undefined ? "the answer has no session_id" : undefined);
  if (error === undefined && id !== undefined) desk.ptys.opened(id, kept(input));
  const result = error === undefined ? { output: { pty_id: id } } : { error };
  const correlationId = error === undefined && id !== undefined ? ptyCorrelation(id) : call.correlationId;
  const decision = telling.ending.kind === "denied" ? "denied" : "allowed";
  const { route, startedAt } = call;
  const told = { route, actionType: "system.pty.open", input, correlationId, startedAt };
  call.tell([makeFrame(desk.voice, { ...told, decision, ...result })]);
  return { ...(id === undefined ? {} : { ptyId: id }), ...(error === undefined ? {} : { error }) };
}

/** A shell had ended, and somebody came: execd has started another one, with the same command. */
export function tellPtyAgain({ desk, route, id }: About, input: object): void {
  const told = { route, actionType: "system.pty.open", correlationId: ptyCorrelation(id), input };
  emit(desk, makeFrame(desk.voice, { ...told, output: { pty_id: id } }));
}

/** When a shell has ended, and no call is told by it. */
export function tellPtyEnd(about: About, end: PtyEnd): void {
  emit(about.desk, ptyEndFrame(about, end));
}

/** After what is told of the call that opened it. */
function emit({ tellings, sink }: Desk, frame: ExecdFrame): void {
  tellings.tell(null, () => sink.emit(frame));
}

export function ptyEndFrame({ desk, route, id }: About, end: PtyEnd): ExecdFrame {
  return makeFrame(desk.voice, { route, actionType: "system.pty.close", correlationId: ptyCorrelation(id), ...end });
}

/** What opens and what closes have it from the terminal's own id: a proxy that was started again knows it too. */
function ptyCorrelation(id: string): string {
  return id.length <= 200 ? `pty:${id}` : `pty:${sha256Text(id)}`;
}

function kept(input: object): object {
  const text = JSON.stringify(input);
  return Buffer.byteLength(text) <= LONGEST_KEPT ? input : { input_hash: sha256Text(text) };
}
