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

interface Rooms {
  readonly sessions: Sessions;
  readonly around: Surroundings;
  readonly limits: LocalLimits;
}

export function sessionRoutes(rooms: Rooms): Route[] {
  return [
    ["POST", "/session", (exchange) => create(exchange, rooms)],
    ["POST", "/session/:sessionId/run", (exchange) => run(exchange, rooms)],
    ["DELETE", "/session/:sessionId", (exchange) => remove(exchange, rooms)],
  ];
}

async function create(exchange: Exchange, { sessions, around, limits }: Rooms): Promise<void> {
  const { cwd } = await readOptionalJson(exchange, createRequest, limits.maxJsonBytes);
  const session = sessions.create({ cwd: around.directory(cwd), env: around.env() });
  exchange.json({ session_id: session.id });
}

async function run(exchange: Exchange, { sessions, around, limits }: Rooms): Promise<void> {
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

function remove(exchange: Exchange, { sessions }: Rooms): void {
  const id = exchange.param("sessionId");
  if (!sessions.delete(id)) throw new ExecdError(404, "CONTEXT_NOT_FOUND", `session ${id} not found`);
  exchange.done();
}

function invalid(reason: string): ExecdError {
  return new ExecdError(400, "INVALID_REQUEST_BODY", `invalid request. ${reason}`);
}
