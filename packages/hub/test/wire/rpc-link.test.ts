import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { test } from "node:test";
import { chatListSchema, sessionKeySchema } from "@countersign/protocol/hub";
import { RpcError, type RpcEvent, RpcLink } from "@countersign/sdk";
import { openServer } from "../support/open-server.ts";

const SILENT = { event: () => undefined, closed: () => undefined };
const failsWith = (code: RpcError["code"]) => (cause: unknown) => cause instanceof RpcError && cause.code === code;

test("a link in the second dialect: calls and their failures, and one end, with its reason", async (t) => {
  const server = await openServer(t);
  const { token } = await server.makeToken("approver", "ann");
  const ended: string[] = [];
  const told: RpcEvent[] = [];
  const events = {
    event: (event: RpcEvent) => told.push(event),
    closed: ({ code }: RpcError) => ended.push(`${code}`),
  };
  const link = await RpcLink.open({ url: server.url, token }, events);
  assert.deepEqual((await link.call("chat.list", {}, chatListSchema)).chats, []);
  await assert.rejects(link.call("chat.list", {}, sessionKeySchema), failsWith("BAD_ANSWER"));
  await assert.rejects(
    link.call("no.such", {}, chatListSchema),
    (cause) => typeof (cause as RpcError).code === "number",
  );
  const calls = Array.from({ length: 65 }, () => link.call("chat.list", {}, chatListSchema));
  const settled = await Promise.allSettled(calls);
  const refused = settled.flatMap((one) => (one.status === "rejected" ? [(one.reason as RpcError).code] : []));
  assert.deepEqual(refused, ["LIMIT"]);

  const waiting = link.call("chat.list", {}, chatListSchema);
  link.close();
  await assert.rejects(waiting, failsWith("DISCONNECTED"));
  await assert.rejects(link.call("chat.list", {}, chatListSchema), failsWith("DISCONNECTED"));
  link.close();
  assert.deepEqual(ended, ["DISCONNECTED"]);
});

test("a link to whoever doesn't know the token, or doesn't listen, or is given up, fails for what it is", async (t) => {
  const { url } = await openServer(t);
  await assert.rejects(RpcLink.open({ url, token: "wrong" }, SILENT), failsWith("UNAUTHORIZED"));
  // Takes the connection and says nothing.
  const mute = createServer((socket) => t.after(() => socket.destroy())).listen(0, "127.0.0.1");
  await once(mute, "listening");
  const at = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`;
  const gone = new AbortController();
  const opening = RpcLink.open({ url: at, token: "any" }, SILENT, gone.signal);
  gone.abort();
  await assert.rejects(opening, failsWith("UNREACHABLE"));
  mute.close();
  await once(mute, "close");
  await assert.rejects(RpcLink.open({ url: at, token: "any" }, SILENT), failsWith("UNREACHABLE"));
});
