import { goInt, goString, goStruct } from "@countersign/sandbox";
import { requiredField } from "../commands/index.ts";
import {
  EventStream,
  type Exchange,
  ExecdError,
  type LocalLimits,
  type Route,
  readOptionalJson,
  TAIL_MS,
} from "../http/index.ts";
import type { Surroundings } from "../places/index.ts";
import type { Sessions } from "./sessions.ts";

const createRequest = goStruct({ cwd: goString });
const runRequest = goStruct({ command: goString, cwd: goString, timeout: goInt });

export function sessionRoutes(sessions: Sessions, around: Surroundings, limits: LocalLimits): Route[] {
  return [
    ["POST", "/session", (exchange) => create(exchange, sessions, around, limits)],
    ["POST", "/session/:sessionId/run", (exchange) => run(exchange, sessions, around, limits)],
    ["DELETE", "/session/:sessionId", (exchange) => remove(exchange, sessions)],
  ];
}

async function create(
  exchange: Exchange,
  sessions: Sessions,
  around: Surroundings,
  limits: LocalLimits,
): Promise<void> {
  const { cwd } = await readOptionalJson(exchange, createRequest, limits.maxJsonBytes);
  const session = sessions.create({ cwd: around.directory(cwd), env: around.env() });
  exchange.json({ session_id: session.id });
}

async function run(exchange: Exchange, sessions: Sessions, around: Surroundings, limits: LocalLimits): Promise<void> {
  const { command, cwd, timeout } = await readOptionalJson(exchange, runRequest, limits.maxJsonBytes);
  if (command === "") throw invalid(requiredField("RunInSessionRequest.Command", "Command"));
  if (timeout < 0) throw invalid("timeout must not be negative");
  const session = sessions.get(exchange.param("sessionId"));
  if (!session) throw new ExecdError(404, "CONTEXT_NOT_FOUND", "session not found");
  const at = cwd === "" ? undefined : around.directory(cwd);
  const stream = new EventStream(exchange.response, limits.maxUnreadBytes);
  await session.run({ command, cwd: at, timeoutMs: timeout }, stream);
  await stream.close(TAIL_MS);
}

function remove(exchange: Exchange, sessions: Sessions): void {
  const id = exchange.param("sessionId");
  if (!sessions.delete(id)) throw new ExecdError(404, "CONTEXT_NOT_FOUND", `session ${id} not found`);
  exchange.done();
}

function invalid(reason: string): ExecdError {
  return new ExecdError(400, "INVALID_REQUEST_BODY", `invalid request. ${reason}`);
}
