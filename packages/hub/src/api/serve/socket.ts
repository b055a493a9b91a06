import { once } from "node:events";
import { chmod, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { type Clock, type Limits, LOCAL_AGENT, type Log } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { type OutcomeWithoutOutput, outsideIdSchema } from "@countersign/protocol/proposals";
import { type SocketRequest, type SocketResponse, socketRequestSchema } from "@countersign/protocol/wire";
import type { HubKey } from "../../identity/index.ts";
import { type ClosableServer, closable } from "../../listen/index.ts";
import { followOutput, withoutOutput } from "../../runs/index.ts";
import { answerHookLine } from "../hooks/index.ts";
import {
  authorize,
  type EnrolRooms,
  enrolHere,
  LineBuffer,
  notJson,
  problemOf,
  readJson,
  runPermit,
} from "../index.ts";
import { answerMcp, HeldToolCalls } from "../mcp/index.ts";

interface SocketRooms extends EnrolRooms {
  readonly hubKey: HubKey;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
}

/** How a hook's question begins, as its file writes it. It may hold whole files. */
const HOOK_LINE = Buffer.from('{"method":"hook",');

/** The local socket: one JSON line in, one out, in order. Whoever can open it has the agent's role, and only that; see `enrol-here.ts`. */
export async function listenOnSocket(path: string, rooms: SocketRooms): Promise<ClosableServer> {
  // The home's lock is ours, so a file that is there belonged to a hub that died.
  await rm(path, { force: true });
  const server = createServer((socket) => serveConnection(socket, rooms));
  const doors = closable(server);
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
  const received = new LineBuffer();
  const calls = new HeldToolCalls(rooms, gone.signal);
  let answering = false;
  let takeLine: ((line: Buffer) => void) | undefined;
  // Only what claims a run is listened to while it is answered.
  const pass = () => {
    if (!takeLine) return;
    for (let line = received.take(); line; line = received.take()) takeLine(line);
    if (received.size > rooms.limits.frameBytes) socket.destroy();
  };
  const onLine = (take: (line: Buffer) => void) => {
    takeLine = take;
    pass();
  };
  // One that says nothing for so long isn't one of ours.
  socket.setTimeout(rooms.limits.headMs, () => socket.destroy());
  socket.on("error", (cause) => rooms.log.info({ err: cause }, "a local connection broke"));
  socket.on("close", () => gone.abort());
  socket.on("data", async (chunk: Buffer) => {
    received.push(chunk);
    // Reading goes on while a line is answered, up to a limit: else a proposer that goes away isn't noticed.
    if (received.size > rooms.limits.frameBytes) socket.pause();
    if (answering) return pass();
    answering = true;
    await answerLines(socket, received, { ...rooms, calls, onLine, gone: gone.signal });
    takeLine = undefined;
    answering = false;
    socket.resume();
  });
}

/** Answers every whole line that has come, one after the other, and no faster than the answers are read. */
async function answerLines(
  socket: Socket,
  received: LineBuffer,
  { gone, ...rooms }: SocketRooms & OnLine & { readonly calls: HeldToolCalls; readonly gone: AbortSignal },
): Promise<void> {
  while (!gone.aborted) {
    const limit = received.startsWith(HOOK_LINE) ? "hookBytes" : "frameBytes";
    const line = received.take();
    if ((line?.length ?? received.size) > rooms.limits[limit]) return refuseLine(socket, rooms.limits, limit);
    if (line === undefined) return;
    // Answering can take as long as a person does.
    socket.setTimeout(0);
    const response = await respond(line, { ...rooms, send: (output) => send(socket, output, gone) }, gone);
    // A tool that was permitted here may take its time.
    socket.setTimeout(rooms.calls.size > 0 ? 0 : rooms.limits.headMs);
    await send(socket, response, gone);
  }
}

/** Resolves when it may go on: a client that doesn't read is waited for. */
async function send(socket: Socket, line: object, gone: AbortSignal): Promise<void> {
  if (gone.aborted || socket.write(`${JSON.stringify(line)}\n`)) return;
  await once(socket, "drain", { signal: gone }).catch(() => undefined);
}

/** What follows is read and dropped, so that the client isn't stuck writing and can read why. */
function refuseLine(socket: Socket, limits: Limits, limit: "frameBytes" | "hookBytes"): void {
  const error = { code: "LIMIT", message: `The line is longer than ${limits[limit]} bytes (limit: ${limit})` };
  socket.removeAllListeners("data");
  socket.end(`${JSON.stringify({ ok: false, error })}\n`, () => socket.destroy());
}

type OnLine = { readonly onLine: (take: (line: Buffer) => void) => void };
interface RespondRooms extends SocketRooms, OnLine {
  readonly calls: HeldToolCalls;
  readonly send: (line: object) => Promise<void>;
}

async function respond(line: Buffer, rooms: RespondRooms, signal: AbortSignal): Promise<SocketResponse> {
  const { hub, log } = rooms;
  try {
    const { method, params, stream = false } = readRequest(line);
    if (method === "enrolDevice") return { ok: true, payload: await enrolHere(params, rooms) };
    const operation = authorize("socket", method, LOCAL_AGENT);
    if (operation === "propose" && stream) return { ok: true, payload: await proposeStreamed(params, rooms, signal) };
    if (operation === "propose") return { ok: true, payload: await hub.proposals.propose(params, LOCAL_AGENT, signal) };
    if (operation === "runPermit") return { ok: true, payload: await runPermit(params, rooms, signal) };
    if (operation === "hook") {
      return { ok: true, payload: await answerHookLine(params, line, { ...rooms, gone: signal }) };
    }
    const forMcp = await answerMcp(operation, params, { ...rooms, gone: signal });
    if (forMcp !== undefined) return { ok: true, payload: forMcp };
    hub.proposals.cancel(LOCAL_AGENT, readProposalId(params));
    return { ok: true, payload: {} };
  } catch (cause) {
    return { ok: false, error: problemOf(cause, log) };
  }
}

async function proposeStreamed(
  params: unknown,
  { hub, send }: RespondRooms,
  signal: AbortSignal,
): Promise<OutcomeWithoutOutput> {
  const { output, outcome } = await hub.proposals.proposeFollowed(params, LOCAL_AGENT, signal);
  for await (const event of followOutput(output, { signal })) await send({ output: event });
  return withoutOutput(await outcome);
}

function readRequest(line: Buffer): SocketRequest {
  let json: unknown;
  try {
    json = readJson(line);
  } catch (cause) {
    throw notJson("The line", cause);
  }
  const reading = socketRequestSchema.safeParse(json);
  if (!reading.success) {
    throw new HubError("INVALID_PARAMS", 'A request is {"method": "…", "params": {…}, "stream"?: true}');
  }
  return reading.data;
}

function readProposalId(params: unknown): string {
  const reading = outsideIdSchema.safeParse((params as { proposalId?: unknown } | null | undefined)?.proposalId);
  if (!reading.success) throw new HubError("INVALID_PARAMS", "proposalId: must be text");
  return reading.data;
}
