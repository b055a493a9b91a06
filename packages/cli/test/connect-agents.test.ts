import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { AGENT_CAPABILITIES, type AgentChanged, type DetectedAgentView } from "@countersign/protocol/access";
import { Place } from "./countersign.ts";

test("the hub finds agents, connects one as install does, tells the files, and takes it back", async (t) => {
  const place = new Place(t);
  const user = dirname(place.home);
  const settings = join(user, ".claude", "settings.json");
  mkdirSync(dirname(settings));
  writeFileSync(settings, '{\n  "model": "opus"\n}\n');
  await place.serve();
  const { url, token } = await place.hub();
  const call = async <T>(method: string, path: string, as = token) => {
    const headers = { authorization: `Bearer ${as}`, "content-type": "application/json" };
    const response = await fetch(`${url}/api/v1/${path}`, { method, headers });
    return { status: response.status, body: (await response.json()) as T };
  };
  const claude = async () => {
    const { body } = await call<DetectedAgentView[]>("GET", "agents");
    assert.deepEqual(
      body.map(({ name }) => name),
      AGENT_CAPABILITIES.map(({ name }) => name),
    );
    return body.find(({ name }) => name === "claude-code");
  };
  const { found, connected, command, connectable } = (await claude()) ?? {};
  assert.deepEqual(
    { found, connected, command, connectable },
    { found: true, connected: [], command: "countersign install claude-code", connectable: true },
  );

  const { body: made } = await call<AgentChanged>("POST", "agents/claude-code/connect");
  assert.deepEqual([made.changed, made.settings, made.files, made.backups.length], [true, settings, [settings], 1]);
  assert.match(made.notes.join(" "), /Restart Claude Code/);
  assert.deepEqual((await claude())?.connected, ["user"]);
  assert.match(readFileSync(settings, "utf8"), /countersign-hook\.cjs/);
  assert.equal(
    (await call<AgentChanged>("POST", "agents/claude-code/connect")).body.changed,
    false,
    "twice changes nothing",
  );

  const { body: undone } = await call<AgentChanged>("DELETE", "agents/claude-code/connect");
  assert.deepEqual([undone.changed, undone.files], [true, [settings]]);
  assert.deepEqual((await claude())?.connected, []);
  assert.deepEqual(JSON.parse(readFileSync(settings, "utf8")), { model: "opus" });

  writeFileSync(settings, "{ not json");
  assert.equal((await call("POST", "agents/claude-code/connect")).status, 409);
  assert.equal(readFileSync(settings, "utf8"), "{ not json");
  assert.equal((await call("POST", "agents/mcp/connect")).status, 404);
  assert.equal((await call("POST", "agents/..%2f..%2fx/connect")).status, 404);
  assert.ok(!existsSync(join(user, ".codex")), "what wasn't asked for isn't touched");
});
