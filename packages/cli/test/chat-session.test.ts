import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type WebSocket, WebSocketServer } from "ws";
import { ChatSession } from "../src/chat/chat-session.ts";

const SESSION = "mine";

test("what was missed comes before what is newer, and only this session's questions are told", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "cs-chat-session-"));
  const hub = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(hub, "listening");
  const { COUNTERSIGN_TOKEN } = process.env;
  process.env.COUNTERSIGN_TOKEN = "a-token-for-this-test";
  t.after(() => {
    if (COUNTERSIGN_TOKEN === undefined) delete process.env.COUNTERSIGN_TOKEN;
    else process.env.COUNTERSIGN_TOKEN = COUNTERSIGN_TOKEN;
    for (const client of hub.clients) client.terminate();
    hub.close();
    rmSync(home, { recursive: true });
  });
  const delta = (seq: number) => ({
    event: "chat.delta",
    data: { sessionKey: SESSION, runId: "r", seq, text: `${seq}` },
  });
  const asks = (sessionKey: string) => ({
    event: "exec.approval_request",
    data: { approvalId: sessionKey, command: "ls", sessionKey },
  });
  const now = { stream: "one", complete: true };
  /** What the hub says of itself before each answer to `chat.resume`, the answer, and what after it. */
  const resumes = [
    { before: [], answer: { ...now, complete: false, seq: 2, events: [] }, after: [delta(3)], cut: true },
    { before: [delta(6)], answer: { ...now, seq: 5, events: [delta(4), delta(5)] }, after: [asks("other"), delta(7)] },
  ];
  hub.on("connection", (socket: WebSocket) => {
    const say = (frame: object) => socket.send(JSON.stringify(frame));
    socket.on("message", (bytes) => {
      const { id, method } = JSON.parse(String(bytes)) as { id?: string; method?: string };
      if (method === undefined) return say({ type: "auth", ok: true });
      if (method !== "chat.resume") return say({ id, result: { sessionKey: SESSION } });
      const turn = resumes.shift();
      for (const event of turn?.before ?? []) say(event);
      say({ id, result: turn?.answer });
      for (const event of turn?.after ?? []) say(event);
      if (turn?.cut) socket.close();
      else say(asks(SESSION));
    });
  });
  const heard: number[] = [];
  const { promise: asked, resolve } = Promise.withResolvers<string>();
  const url = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
  const chat = await ChatSession.open(
    { url, home },
    {
      event: ({ data }) => heard.push(data.seq),
      output: () => undefined,
      asked: ({ approvalId }) => resolve(approvalId),
      lost: () => undefined,
      back: () => undefined,
      failed: (error) => assert.fail(error),
    },
  );
  t.after(() => chat.close());
  assert.equal(await asked, SESSION);
  assert.deepEqual(heard, [3, 4, 5, 6, 7]);
});
