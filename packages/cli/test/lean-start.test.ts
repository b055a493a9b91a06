import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { SOURCE_BIN } from "./countersign.ts";

const LISTING = `
import { registerHooks } from "node:module";
const loaded = new Set();
registerHooks({ load(url, context, next) { loaded.add(url); return next(url, context); } });
process.on("exit", () => process.stderr.write("LOADED " + [...loaded].join(" ")));
`;

/** The files that a command loads until it ends. */
async function loadedBy(...args: string[]): Promise<string[]> {
  const preload = `data:text/javascript,${encodeURIComponent(LISTING)}`;
  const child = spawn(process.execPath, ["--import", preload, SOURCE_BIN, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await once(child, "close");
  return (said.split("LOADED ")[1] ?? assert.fail(said)).split(" ");
}

const HUB = ["core", "native", "store", "jail", "recorder", "hub"].map((name) => `/packages/${name}/`);

test("what stands in a sandbox or before one starts without the hub, and help without any schema", async () => {
  const [help, relay, proxy] = await Promise.all([
    loadedBy("execd", "proxy", "--help"),
    loadedBy("execd", "relay", "--bundle", "/nowhere/relay.pem"),
    loadedBy("execd", "proxy", "--relay", "https://127.0.0.1:1", "--bundle", "/nowhere/box.pem", "--sandbox-id", "box"),
  ]);
  const of = (files: readonly string[], part: string) => files.filter((file) => file.includes(part));
  assert.ok(of(help, "/packages/cli/src/").length > 0);
  for (const part of [...HUB, "/packages/sandbox/", "/packages/execd-dev/", "/packages/sdk/", "/node_modules/zod/"])
    assert.deepEqual(of(help, part), []);
  // How texts are written, which needs no schema.
  assert.deepEqual(
    of(help, "/packages/protocol/").filter((file) => !file.includes("/protocol/src/text/")),
    [],
  );
  for (const files of [relay, proxy]) {
    assert.ok(of(files, "/packages/sandbox/").length > 0);
    for (const part of [...HUB, "/packages/policy/", "/node_modules/pino/", "/packages/execd-dev/"])
      assert.deepEqual(of(files, part), []);
  }
  assert.deepEqual(of(proxy, "@peculiar/x509"), []);
});
