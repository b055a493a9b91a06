import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startLocalExecd } from "@countersign/execd-dev";
import { assertRecord, PTY_SURFACE, PtySurface, UNGATED } from "../../execd-dev/test/pty-surface.ts";
import type { ExecdFrame } from "../src/delivery/frame.ts";
import { startProxy } from "../src/index.ts";
import { sinkInto } from "./sink-into.ts";
import { type Passed, WireTap } from "./wire-tap.ts";

const TOKEN = "a token of the tests";
const STEPS = [...PTY_SURFACE, UNGATED];

test("a client of terminals is answered the same with and without the proxy, and what it typed and saw is on record", async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "countersign-pty-ways-")));
  const execd = await startLocalExecd({ port: 0, token: TOKEN });
  const frames: ExecdFrame[] = [];
  const behind = await WireTap.before(execd.url);
  const proxy = await startProxy({
    ...{ listen: { host: "127.0.0.1", port: 0 }, execd: new URL(behind.url), sandboxId: "sandbox-1" },
    sink: sinkInto(frames),
  });
  const inFront = await WireTap.before(`http://127.0.0.1:${proxy.address.port}`);
  const direct = new PtySurface({ url: execd.url, token: TOKEN, directory });
  const proxied = new PtySurface({ url: inFront.url, token: TOKEN, directory });
  for (const surface of [direct, proxied]) for (const step of STEPS) await step.run(surface);
  await proxy.close();
  const [asAgent, asExecd] = [inFront.passed, behind.passed];
  await inFront[Symbol.asyncDispose]();
  await behind[Symbol.asyncDispose]();
  await execd.close();
  rmSync(directory, { recursive: true });

  assert.deepEqual(proxied.answers, direct.answers);
  assertRecord(frames, proxied);
  // On the wire too: all but the compression that a client offers, which a stock execd doesn't take up.
  const key = ({ asked, answered }: Passed) =>
    `${asked.toString("latin1").replace(/^Sec-WebSocket-Extensions: .*\r\n/m, "")}\0\0${answered.toString("latin1")}`;
  assert.deepEqual(asAgent.map(key).sort(), asExecd.map(key).sort());
  assert.ok(asAgent.some(({ asked }) => asked.includes("Sec-WebSocket-Extensions: permessage-deflate")));
});
