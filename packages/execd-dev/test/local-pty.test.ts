import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type LocalExecd, startLocalExecd } from "../src/start-local-execd.ts";
import { PtyTestClient } from "./pty-client.ts";

const TOKEN = "a token of the tests";

/** Writes 53 bytes, and waits to be ended. */
const COUNTS = "stty -echo; printf 0123456789%.0s 1 2 3 4 5; printf END; read";

/** Keeps 16 bytes for who comes back. */
async function startSmall(): Promise<LocalExecd & AsyncDisposable> {
  const execd = await startLocalExecd({ port: 0, limits: { maxReplayBytes: 16 } });
  return { ...execd, [Symbol.asyncDispose]: () => execd.close() };
}

describe("terminals", () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "countersign-execd-pty-")));
  let execd: LocalExecd;
  let target: { url: string; token: string };
  before(async () => {
    execd = await startLocalExecd({ port: 0, token: TOKEN, directory });
    target = { url: execd.url, token: TOKEN };
  });
  after(async () => {
    await execd.close();
    rmSync(directory, { recursive: true });
  });

  const ask = (method: string, path: string, body?: object) =>
    fetch(`${execd.url}${path}`, {
      method,
      headers: { "X-EXECD-ACCESS-TOKEN": TOKEN },
      ...(body && { body: JSON.stringify(body) }),
    });

  async function create(body: object = {}): Promise<string> {
    const response = await ask("POST", "/pty", body);
    assert.equal(response.status, 201);
    return ((await response.json()) as { session_id: string }).session_id;
  }

  const status = async (id: string) => (await (await ask("GET", `/pty/${id}`)).json()) as Record<string, unknown>;

  test("starts with its first client, has a size, and tells how it ended", async () => {
    const id = await create({ cwd: join(directory, "made") });
    assert.deepEqual(await status(id), { session_id: id, running: false, output_offset: 0 });
    const client = await PtyTestClient.open(target, id);
    assert.deepEqual(await client.frame("connected"), { type: "connected", session_id: id, mode: "pty" });
    client.type("stty size; pwd\n");
    await client.sees("24 80");
    await client.sees(join(directory, "made"));
    client.send({ type: "resize", cols: 100, rows: 30 });
    client.type("stty size\n");
    await client.sees("30 100");
    client.type("exit 5\n");
    assert.deepEqual(await client.frame("exit"), { type: "exit", exit_code: 5 });
    assert.deepEqual(await client.closed, { code: 1000, reason: "process exited" });
    assert.equal((await status(id)).running, false);
  });

  test("outlives its client; who comes back gets what was missed", async () => {
    const id = await create();
    const first = await PtyTestClient.open(target, id);
    await first.frame("connected");
    first.type("WORD=kept; echo be''gun\n");
    await first.sees("begun");
    first.close();
    await first.closed;
    const { output_offset: offset } = await status(id);
    const second = await PtyTestClient.open(target, id, `?since=${offset}`);
    await second.frame("connected");
    second.type("echo $WORD-again\n");
    await second.sees("kept-again");
    second.close();
    await second.closed;
    const third = await PtyTestClient.open(target, id);
    await third.sees("kept-again");
    const [replay] = third.replays;
    assert.match(replay?.text ?? "", /begun.*kept-again/s);
    assert.equal(replay?.offset, 0n);
    third.close();
  });

  test("a replay says where its first byte stands, also where the oldest are gone", async () => {
    await using small = await startSmall();
    const target = { url: small.url };
    const opened = await fetch(`${small.url}/pty`, { method: "POST", body: JSON.stringify({ command: COUNTS }) });
    const { session_id: id } = (await opened.json()) as { session_id: string };
    const first = await PtyTestClient.open(target, id);
    await first.sees("END");
    assert.equal(first.output, `${"0123456789".repeat(5)}END`);
    for (const [since, offset] of [
      ["", 37],
      ["?since=0", 37],
      ["?since=37", 37],
      ["?since=50", 50],
      ["?since=52", 52],
    ] as const) {
      const query = since === "" ? "?takeover=1" : `${since}&takeover=1`;
      const client = await PtyTestClient.open(target, id, query);
      await client.frame("connected");
      const text = first.output.slice(offset);
      assert.deepEqual(client.replays, [{ offset: BigInt(offset), text }], since);
    }
    const last = await PtyTestClient.open(target, id, "?takeover=1&since=53");
    await last.frame("connected");
    assert.deepEqual(last.replays, [], "nothing was missed");
    last.close();
  });

  test("one client at a time; another takes over when it says so", async () => {
    const id = await create();
    const first = await PtyTestClient.open(target, id);
    await first.frame("connected");
    await assert.rejects(PtyTestClient.open(target, id), /409/);
    const second = await PtyTestClient.open(target, id, "?takeover=1");
    assert.deepEqual(await first.closed, { code: 4001, reason: "TAKEN_OVER" });
    await second.frame("connected");
    second.type("echo mi''ne\n");
    await second.sees("mine");
    second.close();
  });

  test("without a terminal the streams stay apart", async () => {
    const id = await create({ command: "read word; echo out $word; echo err $word >&2; exit 3" });
    const client = await PtyTestClient.open(target, id, "?pty=0");
    assert.equal((await client.frame("connected")).mode, "pipe");
    client.send({ type: "stdin", data: "given\n" });
    assert.deepEqual(await client.frame("exit"), { type: "exit", exit_code: 3 });
    assert.equal(client.output, "out given\n");
    assert.equal(client.errors, "err given\n");
  });

  test("signals, pings, and frames that aren't any", async () => {
    const id = await create({ command: "trap 'echo caught; exit 9' INT; echo ready; while :; do sleep 0.05; done" });
    const client = await PtyTestClient.open(target, id);
    await client.sees("ready");
    client.send({ TYPE: "ping" });
    await client.frame("pong");
    client.send({ type: "dance" });
    const error = { type: "error", error: 'unknown frame type "dance"', code: "INVALID_FRAME" };
    assert.deepEqual(await client.frame("error"), error);
    client.send({ type: "signal", signal: "SIGINT" });
    assert.deepEqual(await client.frame("exit"), { type: "exit", exit_code: 9 });
    assert.match(client.output, /caught/);
  });

  test("DELETE ends it, and who is connected is told so", async () => {
    const id = await create();
    const client = await PtyTestClient.open(target, id);
    await client.frame("connected");
    assert.equal((await ask("DELETE", `/pty/${id}`)).status, 200);
    assert.deepEqual(await client.frame("exit"), { type: "exit", exit_code: -1 });
    assert.deepEqual(await client.closed, { code: 1000, reason: "process exited" });
    assert.equal((await ask("GET", `/pty/${id}`)).status, 404);
    await assert.rejects(PtyTestClient.open(target, id), /404/);
    await assert.rejects(PtyTestClient.open({ url: execd.url }, id), /401/);
  });

  test("through /proxy to itself", async () => {
    const id = await create({ command: "echo through" });
    const proxied = { url: `${execd.url}/proxy/${execd.port}`, token: TOKEN };
    const client = await PtyTestClient.open(proxied, id);
    await client.sees("through");
    await client.frame("exit");
  });
});
