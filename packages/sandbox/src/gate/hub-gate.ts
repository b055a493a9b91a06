import type { Outcome } from "@countersign/protocol/proposals";
import { sandboxCallAnswerSchema } from "@countersign/protocol/records";
import type { Log } from "../errors/index.ts";
import { headerOf } from "../proxy/http/index.ts";
import type { CallEnd, Denial, Gate, OpenTerminals, Permit, ProposedCall } from "../proxy/record/index.ts";
import { ACCESS_TOKEN_NAME, type Route } from "../wire/index.ts";
import { actOf, unknownField } from "./act-of-call.ts";
import { standingOf } from "./gated-routes.ts";
import { GrantedTerminals } from "./granted-terminals.ts";
import { type HubAnswer, HubClient, type HubClientOptions } from "./hub-client.ts";

export interface HubGateOptions extends HubClientOptions {
  readonly sandboxId: string;
  readonly execd: URL;
  /** Whether anything in the sandbox can go round the proxy. */
  readonly enforcement: "enforced" | "advisory";
  /** How long an agent's call may wait for an answer. */
  readonly waitMs?: number | undefined;
  /** How long a terminal is given for. */
  readonly terminalSeconds?: number | undefined;
  /** How long execd has to end a terminal whose time is over before its sockets are cut. */
  readonly cutMs?: number | undefined;
  readonly log: Log;
}

const WAIT_MS = 600_000;
const TERMINAL_SECONDS = 900;
/** A person's answer still has to come back when the time is nearly over. */
const LAST_MOMENT_MS = 2_000;
const MOST_WAITING = 256;
const REPORT_TRIES = 6;
const REPORT_MS = 10_000;

/** Proposes to the hub what waits at the proxy, and lets it through with a permit alone. Without an answer nothing passes. */
export class HubGate implements Gate {
  readonly enforcement: HubGateOptions["enforcement"];
  readonly #options: HubGateOptions;
  readonly #hub: HubClient;
  readonly #terminals: GrantedTerminals;
  readonly #reports = new Set<Promise<void>>();
  #waiting = 0;

  constructor(options: HubGateOptions) {
    this.enforcement = options.enforcement;
    this.#options = options;
    this.#hub = new HubClient(options);
    this.#terminals = new GrantedTerminals(options);
  }

  readonly holds = (route: Route): boolean => standingOf(route) !== "passes";

  readonly before = async (call: ProposedCall): Promise<Permit | Denial> => {
    const { decoded, route } = call;
    const standing = standingOf(route);
    if (standing === "unknown") return deny(403, "GATE_UNKNOWN_ROUTE", UNKNOWN_ROUTE);
    if (decoded.strange !== undefined) return { kind: "denial", ...unknownField(decoded.strange) };
    if (standing === "read") return { kind: "permit" };
    if (decoded.kind === "pty-socket") return this.#attach(decoded.id);
    if (decoded.kind === "pty-delete") return { kind: "permit", ended: (end) => this.#closed(decoded.id, end) };
    if (this.#waiting >= MOST_WAITING) return deny(429, "GATE_FULL", "too many calls wait for a permit already");
    this.#waiting += 1;
    try {
      return await this.#ask(call);
    } finally {
      this.#waiting -= 1;
    }
  };

  readonly ptyEnded = (id: string, exitCode: number): void => {
    this.#terminals.exited(id, exitCode);
  };

  readonly bind = (terminals: OpenTerminals): void => this.#terminals.bind(terminals);

  readonly endTerminals = (): Promise<void> => this.#terminals.close();

  /** Ends what was given for a while, and waits until the hub knows how everything ended. */
  async close(): Promise<void> {
    await this.#terminals.close();
    await Promise.all(this.#reports);
  }

  #attach(id: string): Permit | Denial {
    if (this.#terminals.isGranted(id)) return { kind: "permit" };
    return deny(403, "GATE_TERMINAL_OVER", "this terminal wasn't given, or its time is over; open another one");
  }

  #closed(id: string, { error }: CallEnd): void {
    if (error === undefined) this.#terminals.closed(id, "It was closed by its agent");
  }

  async #ask(call: ProposedCall): Promise<Permit | Denial> {
    const { enforcement, sandboxId, waitMs = WAIT_MS, terminalSeconds = TERMINAL_SECONDS } = this.#options;
    const act = actOf(call.decoded, { terminalSeconds });
    if (!("kind" in act)) return { kind: "denial", ...act };
    const timeout = AbortSignal.timeout(waitMs);
    const patienceMs = Math.max(1, waitMs - LAST_MOMENT_MS);
    const runTimeoutMs = act.kind === "terminal" ? (terminalSeconds + 60) * 1_000 : undefined;
    const body = { act, enforcement, patienceMs, ...(runTimeoutMs === undefined ? {} : { runTimeoutMs }) };
    let answer: HubAnswer;
    try {
      const path = `/api/v1/sandboxes/${sandboxId}/calls`;
      answer = await this.#hub.post(path, body, AbortSignal.any([timeout, call.signal]));
    } catch (cause) {
      if (timeout.aborted) return deny(504, "GATE_TIMEOUT", "nobody answered in time, so it wasn't let through");
      return deny(503, "GATE_UNREACHABLE", `the hub can't be asked, so nothing passes: ${(cause as Error).message}`);
    }
    const permit = permitIn(answer);
    if (typeof permit !== "string") return permit;
    if (call.signal.aborted) {
      this.#report(permit, { kind: "not-started", reason: "Its agent didn't wait for the answer" });
      return deny(499, "GATE_GONE", "nobody waits for it any more");
    }
    return { kind: "permit", ended: (end) => this.#ended(permit, call, end) };
  }

  #ended(permit: string, { decoded, headers }: ProposedCall, end: CallEnd): void {
    const report = (outcome: Outcome) => this.#report(permit, outcome);
    if (decoded.kind !== "pty-open" || end.error !== undefined || end.ptyId === undefined)
      return report(outcomeOf(end));
    const { terminalSeconds = TERMINAL_SECONDS } = this.#options;
    const token = headerOf(headers, ACCESS_TOKEN_NAME);
    this.#terminals.grant(end.ptyId, { ms: terminalSeconds * 1_000, token, tell: report });
  }

  /** Tried a few times; of what never arrives the hub says itself that nobody told it. */
  #report(permit: string, outcome: Outcome): void {
    const { sandboxId, log } = this.#options;
    const path = `/api/v1/sandboxes/${sandboxId}/calls/${permit}/outcome`;
    const told = (async () => {
      for (let tries = 1; tries <= REPORT_TRIES; tries += 1) {
        const status = await this.#hub.post(path, { outcome }, AbortSignal.timeout(REPORT_MS)).then(
          (answer) => answer.status,
          () => 0,
        );
        if (status >= 200 && status < 500) return;
        await new Promise((resolve) => setTimeout(resolve, Math.min(200 * 2 ** tries, 5_000)));
      }
      log.error({ permit }, "the hub couldn't be told how a permitted call ended");
    })();
    this.#reports.add(told);
    void told.finally(() => this.#reports.delete(told));
  }
}

const UNKNOWN_ROUTE =
  "the gate doesn't know what this does, and lets nothing through that nobody could decide about (also /proxy/…, which leads to whatever listens in the sandbox)";

function deny(status: number, code: string, message: string): Denial {
  return { kind: "denial", status, code, message };
}

/** The permit's id, or what the agent is told. */
function permitIn({ status, json }: HubAnswer): string | Denial {
  const read = sandboxCallAnswerSchema.safeParse(json);
  if (status === 200 && read.success) {
    return "permit" in read.data ? read.data.permit : deny(403, "DENIED", read.data.words);
  }
  const { message } = (json ?? {}) as { readonly message?: unknown };
  const why = typeof message === "string" ? message.slice(0, 1_000) : `it answered ${status}`;
  if (status === 401 || status === 403)
    return deny(503, "GATE_REFUSED", `the hub doesn't take the gate's token: ${why}`);
  if (status === 400 || status === 413 || status === 429) return deny(413, "GATE_UNDECIDABLE", why);
  return deny(503, "GATE_UNREACHABLE", `the hub didn't decide, so nothing passes: ${why}`);
}

function outcomeOf({ exitCode, error }: CallEnd): Outcome {
  if (exitCode !== undefined && exitCode >= 0) return { kind: "exited", exitCode };
  if (exitCode !== undefined)
    return { kind: "aborted", reason: "execd ended it: its time was over, or it was interrupted" };
  return error === undefined ? { kind: "exited", exitCode: 0 } : { kind: "aborted", reason: error.slice(0, 1_000) };
}
