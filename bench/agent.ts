// `npm run bench:agent`: the hub's own agent, over real sockets: a model's server, the hub in a process of its own, a client.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openSqliteStore } from "@countersign/store";
import WebSocket from "ws";
import { median, percentile } from "./rounds.ts";

const BIN = fileURLToPath(new URL("../packages/cli/bin/countersign.js", import.meta.url));
const TOKEN = "token-of-the-bench";
const FIRST_DELTAS = 100;
const SESSIONS = 200;
const DELTAS_PER_SECOND = 50;
const SECONDS = 5;
const MESSAGES = 10_000;
const PAGE = 1_000;

interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: { readonly sessionKey: string; readonly runId: string; readonly text: string; readonly seq: number };
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** Answers with what `speak` writes. */
async function startModel(speak: (response: ServerResponse) => void) {
  const holder = { speak };
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      holder.speak(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { holder, server, baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

function chunk(content: string, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta: { role: "assistant", content }, finish_reason }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

class Client {
  readonly socket: WebSocket;
  onEvent: (frame: Frame) => void = () => undefined;
  readonly #waiting = new Map<string, (frame: Frame) => void>();
  #ids = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => {
      const frame = JSON.parse(data.toString()) as Frame;
      if (frame.event) this.onEvent(frame);
      else this.#waiting.get(frame.id ?? "")?.(frame);
    });
  }

  static async open(url: string): Promise<Client> {
    const client = new Client(new WebSocket(url.replace("http:", "ws:")));
    await once(client.socket, "open");
    client.socket.send(JSON.stringify({ type: "auth", token: TOKEN }));
    await once(client.socket, "message");
    return client;
  }

  call(method: string, params: object): Promise<Record<string, unknown>> {
    this.#ids += 1;
    const id = String(this.#ids);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => (result ? resolve(result) : reject(new Error(error?.message))));
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }

  async create(): Promise<string> {
    return (await this.call("sessions.create", {})).sessionKey as string;
  }
}

/** From the model's first byte to the first delta at the client. */
async function firstDelta(client: Client, model: Awaited<ReturnType<typeof startModel>>): Promise<void> {
  const sessionKey = await client.create();
  const took: number[] = [];
  for (let round = 0; round <= FIRST_DELTAS; round += 1) {
    let saidMs = 0;
    model.holder.speak = (response) => {
      response.write(chunk(""));
      // The rest comes later, as from a model that thinks: what is measured waits for nothing that follows.
      setTimeout(() => {
        saidMs = performance.now();
        response.write(chunk("Certainly, "));
        setTimeout(() => response.end(`${chunk("here.\n")}${chunk("", "stop")}data: [DONE]\n\n`), 20);
      }, 5);
    };
    const ended = new Promise<void>((resolve) => {
      let isFirst = true;
      client.onEvent = ({ event }) => {
        if (event === "chat.delta" && isFirst) {
          isFirst = false;
          // The first one loads the provider's code.
          if (round > 0) took.push(performance.now() - saidMs);
        }
        if (event === "chat.final" || event === "chat.error") resolve();
      };
    });
    await client.call("chat.send", { sessionKey, message: "hello" });
    await ended;
  }
  console.log(`first chat.delta after the model's first byte, ${FIRST_DELTAS} messages:`);
  console.log(
    `  median ${median(took).toFixed(2)} ms, p95 ${percentile(took, 0.95).toFixed(2)} ms, worst ${Math.max(...took).toFixed(2)} ms (to reach: ≤ 20 ms)`,
  );
}

/** Every session its own words; whatever is lost, doubled or out of order shows. */
async function manySessions(url: string, model: Awaited<ReturnType<typeof startModel>>): Promise<void> {
  const total = DELTAS_PER_SECOND * SECONDS;
  const late: number[] = [];
  model.holder.speak = (response) => {
    const startedMs = performance.now();
    let said = 0;
    const timer = setInterval(() => {
      const due = Math.min(total, Math.floor(((performance.now() - startedMs) * DELTAS_PER_SECOND) / 1_000));
      // The time stands in the text, so that its way can be measured.
      while (said < due) response.write(chunk(`${said++}@${performance.now().toFixed(2)};\n`));
      if (said < total) return;
      clearInterval(timer);
      response.end(`${chunk("", "stop")}data: [DONE]\n\n`);
    }, 1_000 / DELTAS_PER_SECOND);
  };
  const clients = await Promise.all(Array.from({ length: 4 }, () => Client.open(url)));
  const heard = new Map<string, { text: string; seq: number; gaps: number }>();
  let ended = 0;
  let failed = 0;
  const over = Promise.withResolvers<void>();
  const hear = ({ event, data }: Frame) => {
    const session = data && heard.get(data.sessionKey);
    if (!data || !session) return;
    if (data.seq !== session.seq + 1) session.gaps += 1;
    session.seq = data.seq;
    if (event === "chat.delta") {
      session.text += data.text;
      const at = /@([\d.]+);\n$/.exec(data.text)?.[1];
      if (at !== undefined) late.push(performance.now() - Number(at));
    }
    if (event === "chat.error") failed += 1;
    if (event === "chat.final" || event === "chat.error") ended += 1;
    if (ended === SESSIONS) over.resolve();
  };
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: SESSIONS }, async (_, index) => {
      const client = clients[index % clients.length] as Client;
      client.onEvent = hear;
      const sessionKey = await client.create();
      heard.set(sessionKey, { text: "", seq: 0, gaps: 0 });
      await client.call("chat.send", { sessionKey, message: "talk" });
    }),
  );
  await over.promise;
  const seconds = (performance.now() - startedMs) / 1_000;
  const wanted = Array.from({ length: total }, (_, index) => String(index)).join();
  const whole = [...heard.values()].filter(
    ({ text, gaps }) => gaps === 0 && [...text.matchAll(/(\d+)@/g)].map(([, number]) => number).join() === wanted,
  );
  for (const { socket } of clients) socket.close();
  console.log(`${SESSIONS} sessions at ${DELTAS_PER_SECOND} deltas/s, ${total} each:`);
  console.log(
    `  ${whole.length} came whole and in order, ${failed} failed (to reach: all ${SESSIONS}), in ${seconds.toFixed(1)} s`,
  );
  console.log(`  on the way: median ${median(late).toFixed(1)} ms, p99 ${percentile(late, 0.99).toFixed(1)} ms`);
  if (whole.length !== SESSIONS) process.exitCode = 1;
}

/** A session with a long past. */
async function longSession(client: Client, sessionKey: string): Promise<void> {
  const times = { open: [] as number[], all: [] as number[] };
  for (let round = 0; round < 7; round += 1) {
    const startedMs = performance.now();
    await client.call("sessions.get", { sessionKey });
    let page = await client.call("chat.history", { sessionKey });
    await client.call("chat.resume", { sessionKey });
    times.open.push(performance.now() - startedMs);
    const allMs = performance.now();
    let count = 0;
    for (let before: unknown; ; before = page.next) {
      page = await client.call("chat.history", {
        sessionKey,
        limit: PAGE,
        ...(before === undefined ? {} : { before }),
      });
      count += (page.messages as unknown[]).length;
      if (page.next === undefined) break;
    }
    if (count !== MESSAGES) throw new Error(`${count} messages`);
    times.all.push(performance.now() - allMs);
  }
  console.log(`a session of ${MESSAGES} messages:`);
  console.log(
    `  opened (its newest page, what runs, its events) in ${median(times.open).toFixed(1)} ms (to reach: < 100 ms)`,
  );
  console.log(`  read to its beginning, ${PAGE} at a time, in ${median(times.all).toFixed(1)} ms`);
}

async function makeHome(dir: string, baseURL: string): Promise<string> {
  mkdirSync(dir, { mode: 0o700 });
  const providers = { bench: { kind: "openai-compatible", baseURL } };
  writeFileSync(join(dir, "config.json"), JSON.stringify({ providers, agents: { assistant: { model: "bench/m" } } }));
  const store = await openSqliteStore(join(dir, "countersign.db"), join(dir, "keys"));
  const sessionId = "long";
  await store.commit([
    { op: "claim-session", session: { id: sessionId, ownerId: "bootstrap", agentName: "assistant", createdAtMs: 1 } },
    { op: "open-chat", chat: { sessionId, agent: "assistant", proposer: "assistant", unattended: false } },
    ...Array.from({ length: MESSAGES }, (_, index) => {
      const text = `${index} ${"word ".repeat(20)}`;
      const said = { role: "assistant", text, calls: [], stop: "stop" };
      const body = index % 2 === 0 ? { role: "user", text, by: "ann" } : said;
      const message = { sessionId, seq: index + 1, runId: `run-${index >> 1}`, atMs: index, body };
      return { op: "insert-message", message } as const;
    }),
  ]);
  await store.close();
  return sessionId;
}

async function startHub(home: string, cwd: string): Promise<{ child: ChildProcess; url: string }> {
  const args = [
    "--max-semi-space-size=8",
    "--heap-growing-percent=40",
    BIN,
    "serve",
    "--json",
    "--port",
    "0",
    "--home",
    home,
  ];
  const env = { ...process.env, COUNTERSIGN_TOKEN: TOKEN };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { child, url: (JSON.parse(line) as { url: string }).url };
}

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-bench-")));
const model = await startModel(() => undefined);
const sessionKey = await makeHome(join(scratch, "home"), model.baseURL);
const hub = await startHub(join(scratch, "home"), scratch);
try {
  const client = await Client.open(hub.url);
  await longSession(client, sessionKey);
  await firstDelta(client, model);
  client.socket.close();
  await manySessions(hub.url, model);
} finally {
  hub.child.kill("SIGTERM");
  await once(hub.child, "exit");
  model.server.closeAllConnections();
  model.server.close();
  rmSync(scratch, { recursive: true, force: true });
}
