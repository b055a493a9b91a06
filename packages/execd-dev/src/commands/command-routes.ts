import { open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import {
  EventStream,
  type Exchange,
  ExecdError,
  type LocalLimits,
  type Route,
  readJson,
  TAIL_MS,
} from "../http/index.ts";
import type { Surroundings } from "../places/index.ts";
import type { Command } from "./command-table.ts";
import type { CommandPlan, Commands } from "./commands.ts";
import { type RunRequest, runRequest } from "./run-request.ts";

export function commandRoutes(commands: Commands, around: Surroundings, limits: LocalLimits): Route[] {
  return [
    ["POST", "/command", (exchange) => run(exchange, commands, around, limits)],
    ["GET", "/command/status/:id", (exchange) => exchange.json(statusOf(commands.status(exchange.param("id"))))],
    ["GET", "/command/:id/logs", (exchange) => logs(exchange, commands)],
  ];
}

async function run(exchange: Exchange, commands: Commands, around: Surroundings, limits: LocalLimits): Promise<void> {
  const request = await readJson(exchange, runRequest, limits.maxJsonBytes);
  const plan = planOf(request, around);
  const stream = new EventStream(exchange.response, limits.maxUnreadBytes);
  if (request.background) await commands.runBackground(plan, stream);
  else await commands.runForeground(plan, stream);
  await stream.close(TAIL_MS);
}

function planOf({ command, cwd, timeout, uid, gid, envs }: RunRequest, around: Surroundings): CommandPlan {
  if (command === "") throw invalid(requiredField("RunCommandRequest.Command", "Command"));
  if (timeout < 0)
    throw invalid("Key: 'RunCommandRequest.TimeoutMs' Error:Field validation for 'TimeoutMs' failed on the 'gte' tag");
  if (gid !== undefined && uid === undefined) throw invalid("uid is required when gid is provided");
  return {
    command,
    cwd: around.directory(cwd),
    env: around.env(envs),
    uid,
    gid: uid === undefined ? undefined : (gid ?? uid),
    timeoutMs: timeout,
  };
}

/** As the validator that execd uses says it. */
export function requiredField(key: string, field: string): string {
  return `Key: '${key}' Error:Field validation for '${field}' failed on the 'required' tag`;
}

export function invalid(reason: string): ExecdError {
  return new ExecdError(400, "INVALID_REQUEST_BODY", `invalid request, validation error ${reason}`);
}

function statusOf({ id, content, startedAt, end }: Command): object {
  return {
    id,
    content,
    running: end === undefined,
    exit_code: end?.exitCode,
    error: end?.error || undefined,
    started_at: startedAt.toISOString(),
    finished_at: end?.at.toISOString(),
  };
}

/** From a byte on; where the next look begins stands in a header. */
async function logs(exchange: Exchange, commands: Commands): Promise<void> {
  const asked = exchange.query.get("cursor") ?? "";
  const cursor = /^[+-]?\d{1,18}$/.test(asked) ? Number(asked) : 0;
  const file = await open(commands.logPath(exchange.param("id")), "r");
  try {
    const { size } = await file.stat();
    const from = Math.min(Math.max(cursor, 0), size);
    exchange.response.writeHead(200, {
      "EXECD-COMMANDS-TAIL-CURSOR": `${size}`,
      "content-type": "text/plain; charset=utf-8",
      "content-length": size - from,
    });
    if (size === from) exchange.response.end();
    else await pipeline(file.createReadStream({ start: from, end: size - 1, autoClose: false }), exchange.response);
  } finally {
    await file.close();
  }
}
