import { chmod, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { outsideIdSchema, type SocketResponse, socketRequestSchema } from "@countersign/sdk";
import type { Hub } from "../hub/hub.ts";
import { HubError } from "../hub-error.ts";
import { LOCAL_AGENT } from "../identity.ts";
import type { Limits } from "../limits.ts";
import type { Log } from "../log.ts";
import { type Listening, listening } from "./listening.ts";
import { problemOf } from "./problem-of.ts";

interface SocketRooms {
  readonly hub: Hub;
  readonly limits: Limits;
  readonly log: Log;
}

/** A connection that says nothing whole for so long isn't one of ours. */
const IDLE_MS = 30_000;

/** The local socket: one JSON line in, one out, in order. Whoever can open it has the agent's role, and only that. */
export async function listenOnSocket(path: string, rooms: SocketRooms): Promise<Listening> {
  // The home's lock is ours, so a file that is there belonged to a hub that died.
  await rm(path, { force: true });
  const server = createServer((socket) => serveConnection(socket, rooms));
  const doors = listening(server);
  server.maxConnections = rooms.limits.socketConnections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
  await chmod(path, 0o600);
  return doors;
}

function serveConnection(socket: Socket, rooms: SocketRooms): void {
  const gone = new AbortController();
  let rest: Buffer = Buffer.alloc(0);
  let turn = Promise.resolve();
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  socket.on("error", (cause) => rooms.log.info({ err: cause }, "a local connection broke"));
  socket.on("close", () => gone.abort());
  socket.on("data", (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      const line = rest.subarray(0, end);
      rest = rest.subarray(end + 1);
      // Answering can take as long as a person does.
      socket.setTimeout(0);
      socket.pause();
      turn = turn.then(async () => {
        const response = await respond(line, rooms, gone.signal);
        if (!socket.destroyed) socket.write(`${JSON.stringify(response)}\n`);
        socket.setTimeout(IDLE_MS);
        socket.resume();
      });
    }
    if (rest.length > rooms.limits.frameBytes) {
      const error = {
        code: "LIMIT",
        message: `The line is longer than ${rooms.limits.frameBytes} bytes (limit: frameBytes)`,
      };
      socket.end(`${JSON.stringify({ ok: false, error })}\n`);
      rest = Buffer.alloc(0);
      socket.removeAllListeners("data");
    }
  });
}

async function respond(line: Buffer, { hub, log }: SocketRooms, signal: AbortSignal): Promise<SocketResponse> {
  try {
    const { method, params } = readRequest(line);
    switch (method) {
      case "proposeExec":
        return { ok: true, payload: await hub.proposals.propose(params, LOCAL_AGENT, signal) };
      case "cancelExec":
        hub.proposals.cancel(LOCAL_AGENT, readProposalId(params));
        return { ok: true, payload: {} };
      default:
        throw new HubError("METHOD_NOT_FOUND", `The local socket has no method ${method}`);
    }
  } catch (cause) {
    return { ok: false, error: problemOf(cause, log) };
  }
}

function readRequest(line: Buffer): { method: string; params?: unknown } {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
  } catch (cause) {
    throw new HubError("INVALID_PARAMS", "The line isn't valid JSON", { cause });
  }
  const reading = socketRequestSchema.safeParse(json);
  if (!reading.success) throw new HubError("INVALID_PARAMS", 'A request is {"method": "…", "params": {…}}');
  return reading.data;
}

function readProposalId(params: unknown): string {
  const reading = outsideIdSchema.safeParse((params as { proposalId?: unknown } | null | undefined)?.proposalId);
  if (!reading.success) throw new HubError("INVALID_PARAMS", "proposalId: must be text");
  return reading.data;
}
