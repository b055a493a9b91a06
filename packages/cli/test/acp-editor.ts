import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import {
  type ClientConnection,
  type CreateTerminalRequest,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptRequest,
  type RequestPermissionRequest,
  type SessionNotification,
} from "@agentclientprotocol/sdk";

/** An editor, made with the official SDK: real terminals, real files, and a prompt that it counts. */
export class Editor {
  /** What its own prompt was asked. */
  readonly asked: RequestPermissionRequest[] = [];
  readonly terminals: CreateTerminalRequest[] = [];
  readonly updates: SessionNotification[] = [];
  readonly #running = new Map<string, { child: ChildProcess; output: string }>();
  readonly #connection: ClientConnection;
  /** Where terminals are that name no place. */
  readonly #cwd: string;
  sessionId = "";

  private constructor(child: ChildProcess, cwd: string) {
    this.#cwd = cwd;
    const stream = ndJsonStream(
      Writable.toWeb(child.stdin as Writable),
      Readable.toWeb(child.stdout as Readable) as ReadableStream<Uint8Array>,
    );
    this.#connection = client({ name: "editor" })
      .onRequest(methods.client.session.requestPermission, ({ params }) => {
        this.asked.push(params);
        return { outcome: { outcome: "selected", optionId: params.options[0]?.optionId ?? "" } };
      })
      .onRequest(methods.client.fs.writeTextFile, async ({ params }) => writeFile(params.path, params.content))
      .onRequest(methods.client.fs.readTextFile, async ({ params }) => ({
        content: await readFile(params.path, "utf8"),
      }))
      .onRequest(methods.client.terminal.create, ({ params }) => ({ terminalId: this.#openTerminal(params) }))
      .onRequest(methods.client.terminal.waitForExit, async ({ params }) => {
        const { child } = this.#terminal(params.terminalId);
        if (child.exitCode === null && child.signalCode === null) await once(child, "close");
        return { exitCode: child.exitCode, signal: child.signalCode };
      })
      .onRequest(methods.client.terminal.output, ({ params }) => {
        const { output } = this.#terminal(params.terminalId);
        return { output, truncated: false };
      })
      .onRequest(methods.client.terminal.release, ({ params }) => {
        this.#terminal(params.terminalId).child.kill("SIGKILL");
      })
      .onRequest(
        "_example/ask",
        (params: unknown) => params,
        ({ params }) => ({ params }),
      )
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params);
      })
      .connect(stream);
  }

  static async open(running: ChildProcess, cwd: string): Promise<Editor> {
    const editor = new Editor(running, cwd);
    const { agent } = editor.#connection;
    const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
    await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities });
    editor.sessionId = (await agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId;
    return editor;
  }

  get agent() {
    return this.#connection.agent;
  }

  /** Has the agent ask for these, and tells what it was answered. */
  async prompt(steps: readonly object[]): Promise<{ stopReason: string; said: unknown[] }> {
    const params: PromptRequest = {
      sessionId: this.sessionId,
      prompt: [{ type: "text", text: JSON.stringify(steps) }],
    };
    const { stopReason, _meta } = await this.agent.request(methods.agent.session.prompt, params);
    return { stopReason, said: _meta?.said as unknown[] };
  }

  #openTerminal(params: CreateTerminalRequest): string {
    this.terminals.push(params);
    const terminalId = `terminal-${this.terminals.length}`;
    const { command, args = [], cwd } = params;
    const options = { cwd: cwd ?? this.#cwd, stdio: ["ignore", "pipe", "pipe"] as ["ignore", "pipe", "pipe"] };
    const child = args.length > 0 ? spawn(command, args, options) : spawn("/bin/bash", ["-c", command], options);
    const terminal = { child, output: "" };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        terminal.output += text;
      });
    }
    this.#running.set(terminalId, terminal);
    return terminalId;
  }

  #terminal(terminalId: string): { child: ChildProcess; output: string } {
    const terminal = this.#running.get(terminalId);
    if (!terminal) throw new Error(`there's no terminal ${terminalId}`);
    return terminal;
  }
}
