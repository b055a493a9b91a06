import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { LedgerEntry } from "@countersign/store";
import WebSocket from "ws";
import type { TestServer } from "../../packages/hub/test/support/open-server.ts";
import { answer, card, cards, openGated, TOKEN } from "./gated-execd.ts";

const HEADERS = { "X-EXECD-ACCESS-TOKEN": TOKEN, "content-type": "application/json" };

async function call(url: string, line: string, body?: object, signal?: AbortSignal) {
  const [method = "", path = ""] = line.split(" ");
  const answered = await fetch(`${url}${path}`, {
    ...{ method, headers: HEADERS, signal: signal ?? null },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answered.status, text: await answered.text() };
}

const errorIn = ({ text }: { text: string }) => JSON.parse(text) as { code: string; message: string };

/** How permitted calls ended, once so many have. */
async function ends(server: TestServer, count: number): Promise<readonly LedgerEntry["body"][]> {
  for (;;) {
    const found = (await server.readLedger()).filter(({ type }) => type === "ended").map(({ body }) => body);
    if (found.length >= count) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("what is safe passes unasked; what isn't waits, and a denial is execd's own kind of error with our words", async (t) => {
  const { url, server, directory, frames } = await openGated(t);
  const safe = await call(url, "POST /command", { command: "echo hi" });
  assert.match(safe.text, /"hi"/);
  assert.deepEqual(await cards(server), []);

  const kept = join(directory, "kept");
  writeFileSync(kept, "");
  const denied = call(url, "POST /command", { command: `rm ${kept}`, cwd: directory });
  const shown = await answer(server, { decision: "deny", reason: "keep it" });
  assert.equal(shown.command, `sandbox:box-1 command cwd=${directory}\nrm ${kept}`);
  assert.deepEqual([shown.enforcement, shown.runBy], ["advisory", "agent"]);
  const refused = await denied;
  assert.deepEqual([refused.status, errorIn(refused).code], [403, "DENIED"]);
  assert.match(errorIn(refused).message, /keep it/);
  assert.ok(existsSync(kept));
  const last = frames.at(-1);
  assert.deepEqual([last?.decision, last?.enforcement], ["denied", "advisory"]);

  const allowed = call(url, `DELETE /files?path=${encodeURIComponent(kept)}`);
  assert.match((await answer(server, { decision: "allow-once" })).command, /^sandbox:box-1 files\ndelete \//);
  assert.equal((await allowed).status, 200);
  assert.ok(!existsSync(kept));
  const [first, , third] = await ends(server, 3);
  assert.deepEqual([first?.exitCode, first?.reportedBy, third?.exitCode], [0, "executor", 0]);
});

test("what two readers could read differently is decided as execd reads it", async (t) => {
  const { url, server, directory } = await openGated(t);
  const file = join(directory, "made");
  const sent = fetch(`${url}/%63ommand`, {
    ...{ method: "POST", headers: HEADERS },
    body: `{"command":"echo hi","COMMAND":${JSON.stringify(`touch ${file}`)}} {"command":"echo hi"}`,
  });
  assert.match((await answer(server, { decision: "deny" })).command, /\ntouch /);
  assert.equal((await sent).status, 403);
  const unreadable = await fetch(`${url}/command`, { method: "POST", headers: HEADERS, body: '{"command":5' });
  assert.equal(unreadable.status, 400);
  assert.ok(!existsSync(file));
});

test("routes that nobody knows, and ways to other ports, don't pass; those that only look do", async (t) => {
  const { url, server } = await openGated(t);
  for (const line of ["POST /v9/run", "GET /proxy/1/x", "POST /proxy/44772/v9", "PATCH /command"]) {
    const { status, text } = await call(url, line, line.startsWith("GET") ? undefined : {});
    assert.deepEqual([status, errorIn({ text }).code], [403, "GATE_UNKNOWN_ROUTE"], line);
  }
  assert.equal((await call(url, "GET /files/info?path=/tmp")).status, 200);
  assert.deepEqual(await cards(server), []);
});

test("without the hub, or its token, nothing passes; an agent that goes away withdraws", async (t) => {
  const { url, server } = await openGated(t);
  const gone = new AbortController();
  const left = call(url, "POST /session/s/run", { command: "ls" }, gone.signal);
  const { approvalId } = await card(server);
  gone.abort();
  await assert.rejects(left);
  while ((await server.api("GET", `/api/v1/approvals/${approvalId}`)).status === 200) await new Promise(setImmediate);
  const [tokens] = [(await server.api("GET", "/api/v1/tokens")).body as { id: string; name: string }[]];
  const id = tokens.find(({ name }) => name === "box-agent")?.id;
  await server.api("DELETE", `/api/v1/tokens/${id}`);
  const refused = await call(url, "POST /command", { command: "echo hi" });
  assert.deepEqual([refused.status, errorIn(refused).code], [503, "GATE_REFUSED"]);
  await server.close();
  const unreachable = await call(url, "POST /command", { command: "echo hi" });
  assert.deepEqual([unreachable.status, errorIn(unreachable).code], [503, "GATE_UNREACHABLE"]);
});

test("nobody answers in time: it doesn't pass", async (t) => {
  const { url, server } = await openGated(t, { waitMs: 300 });
  const late = await call(url, "POST /code", { context: { language: "python" }, code: "1" });
  assert.ok([403, 504].includes(late.status), late.text);
  assert.deepEqual(await cards(server), []);
});

test("a terminal is one grant: asked about, attached to while it lasts, and closed when its time is over", async (t) => {
  const { url, server } = await openGated(t, { terminalSeconds: 2 });
  const opening = call(url, "POST /pty", { cwd: "/" });
  const shown = await answer(server, { decision: "allow-once" });
  assert.deepEqual([shown.command, shown.riskLevel], ["sandbox:box-1 terminal seconds=2 cwd=/\n", "dangerous"]);
  const { session_id } = JSON.parse((await opening).text) as { session_id: string };
  const socket = new WebSocket(`${url.replace("http", "ws")}/pty/${session_id}/ws`, { headers: HEADERS });
  const closed = once(socket, "close");
  await once(socket, "open");
  await closed;
  const [end] = await ends(server, 1);
  assert.equal(end?.kind, "timed-out");
  const again = new WebSocket(`${url.replace("http", "ws")}/pty/${session_id}/ws`, { headers: HEADERS });
  const [, response] = (await once(again, "unexpected-response")) as [unknown, { statusCode: number }];
  assert.equal(response.statusCode, 403);
  again.on("error", () => undefined);
  again.terminate();
});

test("with a token of its own, the proxy shows that to execd, and takes from agents theirs alone", async (t) => {
  const tokens = { execd: TOKEN, agent: "what agents show" };
  const { url } = await openGated(t, { tokens });
  const ask = async (shown: string | undefined) => {
    const headers = { "content-type": "application/json", ...(shown && { "X-Execd-Access-Token": shown }) };
    const body = JSON.stringify({ command: "echo hi" });
    const response = await fetch(`${url}/command`, { method: "POST", headers, body });
    await response.text();
    return response.status;
  };
  assert.deepEqual([await ask(tokens.agent), await ask(TOKEN), await ask(undefined)], [200, 401, 401]);
});
