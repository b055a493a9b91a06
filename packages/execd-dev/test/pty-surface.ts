import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { canonicalize } from "@countersign/receipts";
import type { ExecdFrame } from "@countersign/sandbox";
import { type PtyTarget, PtyTestClient } from "./pty-client.ts";

const sha = (bytes: string | Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** Does what it is told, line by line, and says nothing else: what it puts out is the same each time. */
const OBEYS = 'stty -echo; trap "echo caught" INT; echo ready; while :; do read -r line && eval "$line"; done';

/** One terminal, with what a client knows of what passed. */
class Terminal {
  readonly surface: PtySurface;
  readonly id: string;
  typed = "";
  wasAttached = false;
  /** The output, from its first byte on. */
  whole = "";
  errors = "";

  constructor(surface: PtySurface, id: string) {
    this.surface = surface;
    this.id = id;
  }

  async attach(query = ""): Promise<PtyTestClient> {
    const client = await PtyTestClient.open(this.surface.target, this.id, query);
    await client.frame("connected");
    this.wasAttached = true;
    return client;
  }

  type(client: PtyTestClient, text: string): void {
    this.typed += text;
    client.type(text);
  }

  /** A client has left: what it saw is what was there, and more. */
  saw(client: PtyTestClient): void {
    const replay = client.replays[0];
    this.whole = (replay ? this.whole.slice(0, Number(replay.offset)) : this.whole) + client.output;
    this.errors += client.errors;
    this.surface.note({
      ...{ replays: client.replays.map(({ offset, text }) => [Number(offset), text]), frames: client.frames },
      ...{ output: client.output, errors: client.errors },
    });
  }

  /** It has closed the socket, or the other side has. */
  async left(client: PtyTestClient): Promise<void> {
    this.surface.note(await client.closed);
    this.saw(client);
  }

  get ioHash(): string {
    return sha(canonicalize({ stderr: sha(this.errors), stdin: sha(this.typed), stdout: sha(this.whole) }));
  }
}

/** What a client of terminals does, over whatever leads to an execd, and all that it was answered. */
export class PtySurface {
  readonly target: PtyTarget;
  readonly directory: string;
  readonly terminals: Terminal[] = [];
  readonly #answers: unknown[] = [];

  constructor(target: PtyTarget & { readonly directory: string }) {
    this.target = target;
    this.directory = target.directory;
  }

  note(answer: unknown): void {
    this.#answers.push(answer);
  }

  /** With ids and times taken out, and nothing else. */
  get answers(): unknown {
    const text = this.terminals.reduce(
      (all, { id }, index) => all.replaceAll(id, `terminal ${index}`),
      JSON.stringify(this.#answers),
    );
    return JSON.parse(text.replaceAll(/"Date","[^"]*"/g, '"Date",""'));
  }

  async ask(method: string, path: string, body?: string): Promise<{ readonly status: number; readonly text: string }> {
    const headers = { "X-EXECD-ACCESS-TOKEN": this.target.token ?? "", Connection: "close" };
    const call = request(`${this.target.url}${path}`, { method, headers, agent: false });
    call.end(body);
    const [answer] = (await once(call, "response")) as [import("node:http").IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString("latin1");
    this.note({ status: answer.statusCode, words: answer.statusMessage, headers: answer.rawHeaders, text });
    return { status: answer.statusCode ?? 0, text };
  }

  async open(body: object): Promise<Terminal> {
    const { status, text } = await this.ask("POST", "/pty", JSON.stringify(body));
    assert.equal(status, 201);
    const terminal = new Terminal(this, (JSON.parse(text) as { session_id: string }).session_id);
    this.terminals.push(terminal);
    return terminal;
  }
}

/** The terminals that were opened, with their ends: each told once, with exactly what its client typed and saw. */
export function assertRecord(frames: readonly ExecdFrame[], { terminals }: PtySurface): void {
  for (const { id, ioHash, wasAttached } of terminals) {
    const told = frames.filter(({ correlation_id }) => correlation_id === `pty:${id}`);
    assert.deepEqual(
      told.map(({ action_type, output }) => [action_type, output]),
      [
        ["system.pty.open", { pty_id: id }],
        // Where nobody was there, nobody was told the exit code.
        ["system.pty.close", wasAttached ? { io_hash: ioHash } : undefined],
      ],
    );
  }
}

export interface PtyStep {
  readonly name: string;
  readonly run: (surface: PtySurface) => Promise<void>;
}

export const PTY_SURFACE: readonly PtyStep[] = [
  {
    name: "create, attach, type, resize, exit",
    run: async (surface) => {
      const terminal = await surface.open({ cwd: surface.directory, command: OBEYS });
      await surface.ask("GET", `/pty/${terminal.id}`);
      const client = await terminal.attach();
      await client.sees("ready");
      terminal.type(client, "pwd; stty size\n");
      await client.sees("24 80");
      client.send({ type: "resize", cols: 100, rows: 30 });
      terminal.type(client, "stty size\n");
      await client.sees("30 100");
      client.send({ type: "ping" });
      await client.frame("pong");
      client.send({ type: "dance" });
      await client.frame("error");
      terminal.typed += "exit 7\n";
      client.send({ type: "stdin", data: "exit 7\n" });
      assert.deepEqual(await client.frame("exit"), { type: "exit", exit_code: 7 });
      await terminal.left(client);
      assert.match(terminal.whole, new RegExp(`^ready\r\n${surface.directory}\r\n24 80\r\n30 100\r\n$`));
      await surface.ask("GET", `/pty/${terminal.id}`);
      await surface.ask("DELETE", `/pty/${terminal.id}`);
    },
  },
  {
    name: "leave, come back, replay from an offset, take over, signal, delete",
    run: async (surface) => {
      const terminal = await surface.open({ command: OBEYS });
      const first = await terminal.attach();
      await first.sees("ready\r\n");
      terminal.type(first, "KEPT=kept; echo begun\n");
      await first.sees("begun\r\n");
      first.close();
      await terminal.left(first);
      const { length } = terminal.whole;
      for (const [query, replays] of [
        [`?since=${length}`, []],
        ["?since=3", [{ offset: 3n, text: terminal.whole.slice(3) }]],
        ["", [{ offset: 0n, text: terminal.whole }]],
      ] as const) {
        const again = await comeBack(terminal, query);
        assert.deepEqual(again.replays, replays);
        again.close();
        await terminal.left(again);
      }
      const holder = await comeBack(terminal, `?since=${length}`);
      terminal.type(holder, "echo $KEPT\n");
      await holder.sees("kept\r\n");
      await assert.rejects(PtyTestClient.open(surface.target, terminal.id), /409/);
      const taker = await terminal.attach("?takeover=1");
      await terminal.left(holder);
      taker.send({ type: "signal", signal: "SIGINT" });
      await taker.sees("caught\r\n");
      assert.equal((await surface.ask("DELETE", `/pty/${terminal.id}`)).status, 200);
      assert.deepEqual(await taker.frame("exit"), { type: "exit", exit_code: -1 });
      await terminal.left(taker);
      await surface.ask("GET", `/pty/${terminal.id}`);
    },
  },
  {
    name: "two streams, without a terminal",
    run: async (surface) => {
      const terminal = await surface.open({ command: "read word; echo out $word; echo err $word >&2; exit 3" });
      const client = await terminal.attach("?pty=0");
      terminal.type(client, "given\n");
      assert.deepEqual(await client.frame("exit"), { type: "exit", exit_code: 3 });
      await terminal.left(client);
      assert.deepEqual([client.output, client.errors], ["out given\n", "err given\n"]);
    },
  },
  {
    name: "a terminal that nobody comes to",
    run: async (surface) => {
      const terminal = await surface.open({});
      assert.equal((await surface.ask("DELETE", `/pty/${terminal.id}`)).status, 200);
    },
  },
  {
    name: "errors",
    run: async (surface) => {
      const nobody = "/pty/00000000-0000-0000-0000-000000000000";
      await surface.ask("GET", nobody);
      await surface.ask("DELETE", nobody);
      await surface.ask("PATCH", nobody);
    },
  },
];

/** What only an execd says, and no gate lets through. */
export const UNGATED: PtyStep = {
  name: "errors that a gate doesn't let happen",
  run: async (surface) => {
    await surface.ask("POST", "/pty", "{");
    await surface.ask("GET", "/pty/none/ws");
    await assert.rejects(PtyTestClient.open(surface.target, "none"), /404/);
  },
};

/** execd may not have noticed yet that the last one has left. */
async function comeBack(terminal: Terminal, query: string): Promise<PtyTestClient> {
  return await terminal.attach(query === "" ? "?takeover=1" : `${query}&takeover=1`);
}
