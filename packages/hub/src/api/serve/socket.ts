import { once } from "node:events";
import { chmod, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { type Clock, type Limits, LOCAL_AGENT } from "@countersign/core/base";
import { HubError, readOrRefuse } from "@countersign/core/errors";
import { type EnrolledDevice, localDeviceSchema } from "@countersign/protocol/access";
import { callToolSchema, type ToolStage } from "@countersign/protocol/hub";
import { type OutcomeWithoutOutput, outsideIdSchema } from "@countersign/protocol/proposals";
import { type SocketRequest, type SocketResponse, socketRequestSchema } from "@countersign/protocol/wire";
import type { Hub } from "../../hub/index.ts";
import type { FailedLogins, HubKey, OperationName, Tokens } from "../../identity/index.ts";
import { type ClosableServer, closable } from "../../listen/index.ts";
import { followOutput, withoutOutput } from "../../runs/index.ts";
import { answerHookLine } from "../hooks/index.ts";
import { authorize, LineBuffer, notJson, problemOf, readJson, runPermit } from "../index.ts";
import { callOwnTool, HeldToolCalls, MCP_AGENT } from "../mcp/index.ts";

interface SocketOptions {
  readonly hub: Hub;
  readonly tokens: Tokens;
  readonly failedLogins: FailedLogins;
  readonly hubKey: HubKey;
  readonly clock: Clock;
  readonly limits: Limits;
}

/** Start of a hook's line, as the hook file writes it. Such a line can hold whole files. */
const HOOK_LINE = Buffer.from('{"method":"hook",');
/** Key under which failed logins of the socket are counted. */
const HERE = "the local socket";

/**
 * Listens on the local socket: one JSON line in, one out, in order. Everyone who can open it has the agent's role and
 * no other; see `#enrol`.
 */
export async function listenOnSocket(path: string, options: SocketOptions): Promise<ClosableServer> {
  // A leftover of a hub that crashed: this process holds the lock of the data directory.
  await rm(path, { force: true });
  const server = createServer((socket) => new SocketConnection(socket, options).serve());
  const connections = closable(server);
  server.maxConnections = options.limits.socketConnections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
  await chmod(path, 0o600);
  return connections;
}

class SocketConnection {
  readonly #socket: Socket;
  readonly #hub: Hub;
  readonly #tokens: Tokens;
  readonly #failedLogins: FailedLogins;
  readonly #hubKey: HubKey;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #gone = new AbortController();
  readonly #received = new LineBuffer();
  readonly #calls: HeldToolCalls;
  #answering = false;
  #takeLine: ((line: Buffer) => void) | undefined;

  constructor(socket: Socket, { hub, tokens, failedLogins, hubKey, clock, limits }: SocketOptions) {
    this.#socket = socket;
    this.#hub = hub;
    this.#tokens = tokens;
    this.#failedLogins = failedLogins;
    this.#hubKey = hubKey;
    this.#clock = clock;
    this.#limits = limits;
    this.#calls = new HeldToolCalls(hub, clock, this.#gone.signal);
  }

  serve(): void {
    const socket = this.#socket;
    // Our clients send their first line at once.
    socket.setTimeout(this.#limits.headMs, () => socket.destroy());
    socket.on("error", (cause) => this.#hub.log.info({ err: cause }, "a local connection broke"));
    socket.on("close", () => this.#gone.abort());
    socket.on("data", async (chunk: Buffer) => {
      this.#received.push(chunk);
      // Keeps reading (up to a limit) while a line is answered, because a proposer that disconnects would go unnoticed
      // otherwise.
      if (this.#received.size > this.#limits.frameBytes) socket.pause();
      if (this.#answering) return this.#pass();
      this.#answering = true;
      await this.#answerLines();
      this.#takeLine = undefined;
      this.#answering = false;
      socket.resume();
    });
  }

  /** Passes lines that come during an answer to the call that claimed a run. Other calls take none. */
  #pass(): void {
    if (!this.#takeLine) return;
    for (let line = this.#received.take(); line; line = this.#received.take()) this.#takeLine(line);
    if (this.#received.size > this.#limits.frameBytes) this.#socket.destroy();
  }

  /** Answers every complete line in order, no faster than the answers are read. */
  async #answerLines(): Promise<void> {
    const [socket, received, limits] = [this.#socket, this.#received, this.#limits];
    while (!this.#gone.signal.aborted) {
      const limit = received.startsWith(HOOK_LINE) ? "hookBytes" : "frameBytes";
      const line = received.take();
      if ((line?.length ?? received.size) > limits[limit]) return refuseLine(socket, limits, limit);
      if (line === undefined) return;
      // An answer can take as long as a person does.
      socket.setTimeout(0);
      const response = await this.#respond(line);
      // A permitted tool call can take long.
      socket.setTimeout(this.#calls.size > 0 ? 0 : limits.headMs);
      await this.#send(response);
    }
  }

  /** Resolves when the next line can be sent: waits for a client that doesn't read. */
  async #send(line: object): Promise<void> {
    const { signal } = this.#gone;
    if (signal.aborted || this.#socket.write(`${JSON.stringify(line)}\n`)) return;
    await once(this.#socket, "drain", { signal }).catch(() => undefined);
  }

  async #respond(line: Buffer): Promise<SocketResponse> {
    const hub = this.#hub;
    try {
      const { method, params, stream = false } = readRequest(line);
      if (method === "enrolDevice") return { ok: true, payload: await this.#enrol(params) };
      const operation = authorize("socket", method, LOCAL_AGENT);
      return { ok: true, payload: await this.#perform(operation, params, stream, line) };
    } catch (cause) {
      return { ok: false, error: problemOf(cause, hub.log) };
    }
  }

  async #perform(operation: OperationName, params: unknown, stream: boolean, line: Buffer): Promise<object> {
    const [hub, clock, { signal: gone }] = [this.#hub, this.#clock, this.#gone];
    // Not awaited: the stage is only information.
    const onStage = (stage: ToolStage) => void this.#send({ stage });
    switch (operation) {
      case "propose":
        if (stream) return await this.#proposeStreamed(params);
        return await hub.proposals.propose(params, LOCAL_AGENT, gone);
      case "runPermit":
        return await runPermit(
          params,
          hub,
          { send: (one) => this.#send(one), onLine: (take) => this.#onLine(take) },
          gone,
        );
      case "hook":
        return await answerHookLine(params, line, { hub, hubKey: this.#hubKey, clock, gone });
      case "callTool": {
        const { cwd: workspace, ...call } = readOrRefuse(callToolSchema, params, "Not a call: ");
        const own = { ...call, identity: MCP_AGENT, workspace, signal: gone, onStage };
        return await callOwnTool(own, hub, clock, this.#limits);
      }
      case "pinTools":
        return await this.#calls.pin(params);
      case "proposeToolCall":
        return await this.#calls.propose(params, { signal: gone, onStage });
      case "reportToolCall":
        return await this.#calls.report(params);
      default:
        hub.proposals.cancel(LOCAL_AGENT, readProposalId(params));
        return {};
    }
  }

  #onLine(take: (line: Buffer) => void): void {
    this.#takeLine = take;
    this.#pass();
  }

  /**
   * Performs `enrolDevice`, the only request here that needs a token. Only this user can open the socket on this
   * machine, so a token stolen elsewhere can't add a key.
   */
  async #enrol(params: unknown): Promise<EnrolledDevice> {
    const { token, ...wanted } = readOrRefuse(localDeviceSchema, params);
    const by = this.#failedLogins.attempt(HERE, token, () => this.#tokens.identify(token));
    if (by === "limited") throw new HubError("LIMIT", "Too many wrong tokens; try again in a second (limit: logins)");
    if (by === undefined) throw new HubError("UNAUTHORIZED", "There's no such token");
    authorize("socket", "enrolDevice", by);
    return await this.#hub.devices.enrol(wanted, by);
  }

  async #proposeStreamed(params: unknown): Promise<OutcomeWithoutOutput> {
    const { signal } = this.#gone;
    const { output, outcome } = await this.#hub.proposals.proposeFollowed(params, LOCAL_AGENT, signal);
    for await (const event of followOutput(output, { signal })) await this.#send({ output: event });
    return withoutOutput(await outcome);
  }
}

/** Sends an error and drops further input, so that the client isn't stuck in a write and can read it. */
function refuseLine(socket: Socket, limits: Limits, limit: "frameBytes" | "hookBytes"): void {
  const error = { code: "LIMIT", message: `The line is longer than ${limits[limit]} bytes (limit: ${limit})` };
  socket.removeAllListeners("data");
  socket.end(`${JSON.stringify({ ok: false, error })}\n`, () => socket.destroy());
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
