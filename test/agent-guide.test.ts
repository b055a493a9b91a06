import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { silentLog } from "@countersign/core/base";
import { serve } from "@countersign/hub";
import WebSocket from "ws";

const guide = readFileSync(fileURLToPath(new URL("../docs/agent.md", import.meta.url)), "utf8");
const lines = [...guide.matchAll(/^```wire\n([\s\S]*?)^```/gm)].flatMap(([, block = ""]) => block.trim().split("\n"));

/** `<name>` is what it was the first time, `…` is anything. */
function toPattern(expected: string, known: ReadonlyMap<string, string>): RegExp {
  const literal = expected.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const named = literal.replace(/<(\w+)>/g, (_, name: string) => {
    const value = known.get(name)?.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return value === undefined ? `(?<${name}>[^"]+?)` : value;
  });
  return new RegExp(`^${named.replaceAll("…", ".*")}$`);
}

test("the guide's frames, sent and received as they stand there", { timeout: 60_000 }, async (t) => {
  assert.ok(lines.length > 20, "the guide has its frames");
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-guide-")));
  const workspace = join(scratch, "workspace");
  mkdirSync(workspace);
  const token = "mysecrettoken";
  const served = await serve({ homeDir: join(scratch, "home"), cwd: workspace, port: 0, log: silentLog, token });
  const socket = new WebSocket(served.url.replace("http:", "ws:"));
  t.after(async () => {
    socket.terminate();
    await served.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  const frames: string[] = [];
  socket.on("message", (data) => frames.push(data.toString()));
  await once(socket, "open");
  const known = new Map<string, string>();
  for (const each of lines) {
    const text = each.slice(2);
    if (each.startsWith("→ ")) {
      socket.send(text.replace(/<(\w+)>/g, (_, name: string) => known.get(name) ?? assert.fail(name)));
      continue;
    }
    const pattern = toPattern(text, known);
    for (;;) {
      while (frames.length === 0) await once(socket, "message");
      const found = pattern.exec(frames.shift() ?? "");
      if (!found) continue;
      for (const [name, value] of Object.entries(found.groups ?? {})) known.set(name, value);
      break;
    }
  }
  assert.equal(known.get("workspace"), workspace);
});
