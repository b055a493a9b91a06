import { randomBytes } from "node:crypto";
import { anything, HubLine } from "../connect/index.ts";
import { isObject } from "../proxies/index.ts";

/** What an agent asks its editor for, as the hub is told. `method` is the protocol's own, or `ended`. */
export interface AcpEvent {
  readonly method: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly cwd: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
}

export type GateAnswer =
  /** With the command that stands in for it, where we run it. */
  | { readonly kind: "allow"; readonly command?: string; readonly judged?: unknown }
  | { readonly kind: "deny"; readonly words: string }
  /** The editor's own prompt is to ask. */
  | { readonly kind: "ask"; readonly judged?: unknown };

/** A person is waited for as long as the profile says; this is only an end. */
const DEADLINE_MS = 24 * 60 * 60 * 1000;

/** Puts one question to the hub of this home. Aborting withdraws it. Throws where there's no answer: then nothing is allowed. */
export async function askGate(homeDir: string, event: AcpEvent, gone: AbortSignal): Promise<GateAnswer> {
  const { method: hook_event_name, sessionId: session_id, callId: call_id, cwd, params } = event;
  const told = { hook_event_name, session_id, call_id, ...(cwd === undefined ? {} : { cwd }), params };
  const nonce = randomBytes(16).toString("base64url");
  const question = { agent: "acp", hookVersion: 1, nonce, deadlineMs: DEADLINE_MS, event: told };
  const line = await HubLine.open(homeDir);
  const withdraw = () => line.close();
  gone.addEventListener("abort", withdraw, { once: true });
  if (gone.aborted) withdraw();
  try {
    return readGateAnswer(await line.ask({ method: "hook", params: question }, anything));
  } finally {
    gone.removeEventListener("abort", withdraw);
    line.close();
  }
}

function readGateAnswer(payload: unknown): GateAnswer {
  const answer = isObject(payload) && isObject(payload.answer) ? payload.answer : {};
  const said: unknown = typeof answer.stdout === "string" && answer.stdout !== "" ? JSON.parse(answer.stdout) : {};
  const { decision, reason, command, judged } = isObject(said) ? said : {};
  if (decision === "allow") return { kind: "allow", judged, ...(typeof command === "string" ? { command } : {}) };
  if (decision === "ask") return { kind: "ask", judged };
  return { kind: "deny", words: typeof reason === "string" ? reason : "Countersign didn't allow this." };
}
