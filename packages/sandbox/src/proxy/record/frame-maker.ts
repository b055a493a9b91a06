import { randomUUID } from "node:crypto";
import type { ExecdCoverage, ExecdFrame } from "../../delivery/index.ts";
import type { Route } from "../../wire/index.ts";

export interface Told {
  readonly route: Route;
  readonly actionType: string;
  readonly input: object;
  readonly output?: object;
  readonly error?: string;
  readonly correlationId: string;
  /** Absent where nothing was passed on. */
  readonly startedAt?: string | undefined;
  readonly decision?: ExecdFrame["decision"];
}

export interface Voice {
  readonly sandboxId: string;
  readonly coverage: ExecdCoverage;
  readonly enforcement: ExecdFrame["enforcement"];
}

/** Names are kept in columns of 256 characters. */
const LONGEST_NAME = 256;

export function makeFrame({ sandboxId, coverage, enforcement }: Voice, told: Told): ExecdFrame {
  const { route, actionType, input, output, error, correlationId, startedAt, decision = "allowed" } = told;
  const name = printable(route.name);
  return {
    ...{ v: "1", ts_emit: new Date().toISOString(), session_id: sandboxId, channel: "opensandbox_execd" },
    ...{ tool: { name, server: "execd" }, action_type: actionType, decision, input },
    ...(output === undefined ? {} : { output }),
    // Cut somewhere, maybe inside a pair: half of one is nothing that everybody reads alike, and the whole frame would be refused.
    ...(error === undefined ? {} : { error: error.toWellFormed() }),
    ...{ correlation_id: correlationId, idempotency_key: randomUUID() },
    binding: {
      ...{ sandbox_id: sandboxId, endpoint: printable(route.family), route: name, placement: "execd" },
      ...(startedAt === undefined ? {} : { started_at: startedAt }),
      ...(route.sentAs === undefined ? {} : { sent_as: printable(route.sentAs, 1024) }),
    },
    ...{ coverage, enforcement },
  };
}

/** Request lines are bytes; what isn't ASCII stands there as it was sent, percent-encoded. */
function printable(text: string, longest = LONGEST_NAME): string {
  return text
    .replace(/[^\x21-\x7e ]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`)
    .slice(0, longest);
}
