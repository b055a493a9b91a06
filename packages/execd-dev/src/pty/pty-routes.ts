import { goString, goStruct } from "@countersign/sandbox";
import { makeDirectory, type WorkspaceFiles } from "../files/index.ts";
import { type Exchange, ExecdError, type LocalLimits, type Route, readOptionalJson } from "../http/index.ts";
import { goErrno, type Surroundings } from "../places/index.ts";
import { alreadyConnected } from "./pty-connections.ts";
import type { Ptys } from "./ptys.ts";

const createRequest = goStruct({ cwd: goString, command: goString });

export function ptyRoutes(ptys: Ptys, around: Surroundings, files: WorkspaceFiles, limits: LocalLimits): Route[] {
  return [
    ["POST", "/pty", (exchange) => create(exchange, ptys, around, files, limits.maxJsonBytes)],
    ["GET", "/pty/:sessionId", (exchange) => tell(exchange, ptys)],
    ["DELETE", "/pty/:sessionId", (exchange) => remove(exchange, ptys)],
    ["GET", "/pty/:sessionId/ws", (exchange) => notASocket(exchange, ptys)],
  ];
}

async function create(
  exchange: Exchange,
  ptys: Ptys,
  around: Surroundings,
  files: WorkspaceFiles,
  maxJsonBytes: number,
): Promise<void> {
  const { cwd, command } = await readOptionalJson(exchange, createRequest, maxJsonBytes);
  try {
    // One that isn't there is made.
    if (cwd !== "") await files.use(cwd, { follow: true, make: true }, makeDirectory);
  } catch (cause) {
    if (cause instanceof ExecdError) throw cause;
    const words = `error creating pty session: error creating PTY session work directory: ${goErrno(cause)}`;
    throw new ExecdError(500, "RUNTIME_ERROR", words, { cause });
  }
  const session = ptys.create({ cwd: around.directory(cwd), command, env: around.env() });
  exchange.json({ session_id: session.id }, 201);
}

function tell(exchange: Exchange, ptys: Ptys): void {
  const { id, isRunning, replay } = ptys.get(exchange.param("sessionId"));
  exchange.json({ session_id: id, running: isRunning, output_offset: replay.total });
}

function remove(exchange: Exchange, ptys: Ptys): void {
  ptys.delete(exchange.param("sessionId"));
  exchange.done();
}

function notASocket(exchange: Exchange, ptys: Ptys): void {
  const session = ptys.get(exchange.param("sessionId"));
  if (session.isTaken) throw alreadyConnected(session.id);
  exchange.text("Bad Request\n", 400);
}
