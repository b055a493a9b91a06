import assert from "node:assert/strict";
import { test } from "node:test";
import { startLocalExecd } from "@countersign/execd-dev";
import { PtyTestClient } from "../../execd-dev/test/pty-client.ts";
import type { ExecdFrame } from "../src/delivery/frame.ts";
import { startProxy } from "../src/index.ts";
import { sinkInto } from "./sink-into.ts";

test("a real terminal through the proxy: opened, used, ended, and told as that", async () => {
  const execd = await startLocalExecd({ port: 0 });
  const frames: ExecdFrame[] = [];
  const proxy = await startProxy({
    ...{ listen: { host: "127.0.0.1", port: 0 }, execd: new URL(execd.url), sandboxId: "sandbox-1" },
    sink: sinkInto(frames),
  });
  const url = `http://127.0.0.1:${proxy.address.port}`;
  const opened = await fetch(`${url}/pty`, { method: "POST", body: "{}" });
  const { session_id } = (await opened.json()) as { session_id: string };
  const client = await PtyTestClient.open({ url }, session_id);
  client.type("exit 7\n");
  await client.closed;
  await proxy.close();
  await execd.close();
  const told = frames.map(({ action_type, correlation_id, input }) => ({ action_type, correlation_id, input }));
  const correlation_id = `pty:${session_id}`;
  assert.deepEqual(
    [told[0], told.at(-1)],
    [
      { action_type: "system.pty.open", correlation_id, input: { command: "" } },
      { action_type: "system.pty.close", correlation_id, input: { exit_code: 7 } },
    ],
  );
});
