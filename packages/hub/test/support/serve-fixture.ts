import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { DEFAULT_LIMITS, type Limits, silentLog } from "@countersign/core/base";
import { type Served, type ServeOptions, serve } from "../../src/serve.ts";

export const TOKEN = "test-token-of-alice";

export interface Scratch {
  readonly dir: string;
  readonly homeDir: string;
  readonly workspace: string;
}

// Hooks run in the order in which they were set: a hub that is closed after its directory was removed writes its witness again.
const made: string[] = [];
process.once("exit", () => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

export function scratch(t: TestContext, block?: object): Scratch {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "cs-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  made.push(dir);
  const homeDir = join(dir, "home");
  const workspace = join(dir, "workspace");
  mkdirSync(workspace);
  if (block) {
    mkdirSync(join(homeDir, "profiles/default"), { recursive: true, mode: 0o700 });
    writeFileSync(join(homeDir, "profiles/default/config.json"), JSON.stringify({ execApproval: block }));
  }
  return { dir, homeDir, workspace };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: what the server says is what the tests look at
  readonly body: any;
}

export interface Call {
  readonly method?: string;
  readonly body?: unknown;
  /** Sent as it is. */
  readonly raw?: string | Buffer;
  readonly headers?: Record<string, string | undefined>;
  readonly signal?: AbortSignal;
}

export interface Serving extends Scratch {
  readonly served: Served;
  call(path: string, call?: Call): Promise<Answer>;
  propose(command: string, more?: object, call?: Call): Promise<Answer>;
  /** The next approval that waits. */
  asked(): Promise<Answer["body"]>;
  decide(approvalId: string, decision: string, more?: object): Promise<Answer>;
}

export async function startServing(
  t: TestContext,
  options: Partial<Omit<ServeOptions, "limits">> & { profile?: object; limits?: Partial<Limits>; at?: Scratch } = {},
): Promise<Serving> {
  const { profile, limits, at, ...more } = options;
  const place = at ?? scratch(t, profile);
  const served = await serve({
    homeDir: place.homeDir,
    cwd: place.workspace,
    log: silentLog,
    port: 0,
    token: TOKEN,
    ...more,
    limits: { ...DEFAULT_LIMITS, ...limits },
  });
  t.after(() => served.close());
  const call = (path: string, how: Call = {}) => send(new URL(path, served.url), how);
  return {
    ...place,
    served,
    call,
    propose: (command, body, how) => call("/api/v1/exec", { method: "POST", body: { command, ...body }, ...how }),
    asked: () => eventually(async () => (await call("/api/v1/approvals?limit=1")).body[0]),
    decide: (id, decision, body) =>
      call(`/api/v1/approvals/${id}/decision`, { method: "POST", body: { decision, ...body } }),
  };
}

/** Not fetch, which won't send a wrong Host. An undefined header isn't sent. */
export function send(url: URL, { method = "GET", body, raw, headers, signal }: Call): Promise<Answer> {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const all = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  return new Promise((resolve, reject) => {
    const req = request(url, { method, headers: sent, agent: false, ...(signal ? { signal } : {}) }, (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("error", reject);
      res.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: res.statusCode ?? 0, headers: res.headers, body: parse(text) });
      });
    });
    req.on("error", reject);
    req.end(content);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Waits for something that another process or turn is about to do. */
export async function eventually<T>(look: () => T | Promise<T>): Promise<Exclude<NonNullable<T>, false>> {
  for (let tries = 0; tries < 12_000; tries += 1) {
    const found = await look();
    if (found) return found as Exclude<NonNullable<T>, false>;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return assert.fail("it never happened");
}

/** Something that runs on and is found by its words: in a jail its pid is another one than here. */
export function sleeper(): { readonly command: string; pids(): number[] } {
  const command = `sleep 1000.${randomInt(1e9)}`;
  const words = `${command.replace(" ", "\0")}\0`;
  const pids = () => readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && wordsOf(pid) === words);
  return { command, pids: () => pids().map(Number) };
}

function wordsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
