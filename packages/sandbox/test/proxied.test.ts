import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type LocalExecd, startLocalExecd } from "@countersign/execd-dev";
import { plainIsolator } from "../../execd-dev/test/plain-isolator.ts";
import { Surface } from "../../execd-dev/test/sdk-surface/surface.ts";
import { SDK_SURFACE } from "../../execd-dev/test/sdk-surface.ts";
import type { ExecdFrame } from "../src/delivery/frame.ts";
import { startProxy } from "../src/index.ts";
import type { RecordingProxy } from "../src/proxy/proxy.ts";
import { sinkInto } from "./sink-into.ts";
import { WireTap } from "./wire-tap.ts";

const TOKEN = "a token of the tests";

describe("the official SDK, through the proxy", { concurrency: 8 }, () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "countersign-execd-proxied-")));
  const frames: ExecdFrame[] = [];
  let execd: LocalExecd;
  let behind: WireTap;
  let proxy: RecordingProxy;
  let inFront: WireTap;
  let surface: Surface;

  before(async () => {
    execd = await startLocalExecd({ port: 0, token: TOKEN, isolator: plainIsolator(directory) });
    behind = await WireTap.before(execd.url);
    proxy = await startProxy({
      ...{ listen: { host: "127.0.0.1", port: 0 }, execd: new URL(behind.url), sandboxId: "sandbox-1" },
      sink: sinkInto(frames),
    });
    inFront = await WireTap.before(`http://127.0.0.1:${proxy.address.port}`);
    surface = new Surface({ url: inFront.url, token: TOKEN, directory });
  });

  after(async () => {
    await surface.close();
    await proxy.close();
    const [asAgent, asExecd] = [inFront.passed, behind.passed];
    await inFront[Symbol.asyncDispose]();
    await behind[Symbol.asyncDispose]();
    await execd.close();
    rmSync(directory, { recursive: true });
    // Byte for byte, both ways, connection by connection; the proxy's own questions have connections of their own.
    const key = ({ asked, answered }: { asked: Buffer; answered: Buffer }) =>
      `${asked.toString("latin1")}\0\0${answered.toString("latin1")}`;
    const seen = new Set(asExecd.map(key));
    assert.ok(asAgent.length > 0);
    for (const passed of asAgent)
      assert.ok(passed.asked.length === 0 || seen.has(key(passed)), passed.asked.toString("latin1").slice(0, 500));
    const calls = asAgent.map(
      ({ asked }) => asked.toString("latin1").match(/(?:GET|POST|PUT|DELETE) \/\S* HTTP\/1\.1\r\n/g)?.length ?? 0,
    );
    const correlators = new Set(frames.map((frame) => frame.correlation_id));
    assert.equal(
      correlators.size,
      calls.reduce((sum, count) => sum + count, 0),
      "each call is told",
    );
    for (const frame of frames) assert.equal(frame.session_id, "sandbox-1");
  });

  for (const step of SDK_SURFACE) test(step.name, () => step.run(surface));
});
