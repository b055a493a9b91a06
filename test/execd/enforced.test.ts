import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { alone, as, inNamespace, PROXY_USER, whyNoNamespace } from "./in-namespace.ts";

const PROVE = new URL("../../packages/sandbox/src/gate/prove-enforced.ts", import.meta.url).href;
const INSIDE = fileURLToPath(new URL("./prove-in-namespace.ts", import.meta.url));

test("a gate is enforced only where it was tried that no process but the proxy reaches execd", (t) => {
  const why = whyNoNamespace();
  if (why !== undefined) return t.skip(why);
  const [program = "", ...args] = inNamespace([process.execPath, INSIDE]);
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), [
    "advisory nobody listens on execd's port yet",
    "advisory execd has the proxy's user, or is root",
    "advisory execd answers without a token",
    "advisory",
    "advisory the token's file isn't this user's alone",
    "advisory what execd starts can connect to execd, and has its token",
    "advisory a process of nobody can connect to execd",
    "advisory a process of root can connect to execd",
    "advisory a process of user 54362 can connect to execd",
    "advisory other processes have the proxy's user",
    "enforced",
    "advisory execd listens on a network too, from where nothing can be tried",
    "enforced",
  ]);
});

test("nor where /proc may hide whose processes there are", (t) => {
  const why = whyNoNamespace();
  if (why !== undefined) return t.skip(why);
  const code = `import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
    import { proveEnforced } from ${JSON.stringify(PROVE)};
    const directory = mkdtempSync("/tmp/countersign-hidden-");
    writeFileSync(directory + "/token", "secret", { mode: 0o600 });
    const { enforcement, why } = await proveEnforced({ execd: new URL("http://127.0.0.1:44772"), tokenFile: directory + "/token" });
    rmSync(directory, { recursive: true });
    process.stdout.write(enforcement + " " + why);`;
  const proxy = as(PROXY_USER, "+dac_override", [process.execPath, "--input-type=module", "-e", code]);
  // Another /proc, of this namespace: one that was there before is the machine's.
  const hidden = ["sh", "-c", 'mount -t proc -o hidepid=2 proc /proc && exec "$@"', "sh", ...proxy];
  const [program = "", ...args] = alone(hidden);
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  assert.equal(stdout, "advisory /proc may hide whose processes are here");
});
