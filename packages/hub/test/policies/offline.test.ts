import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256Hex } from "@countersign/core/base";
import type { PolicyEdit } from "@countersign/protocol/policy";
import { editOffline, trustOffline } from "../../src/offline/edit-offline.ts";
import { explainOffline } from "../../src/offline/explain-offline.ts";
import { openOffline } from "../../src/policies/offline-policies.ts";
import { viewPolicy } from "../../src/policies/view-policy.ts";
import { openHub, type TestHub } from "../support/open-hub.ts";
import { openServer } from "../support/open-server.ts";

const allow = (pattern: string): PolicyEdit => ({
  profile: "default",
  change: { action: "allow", entries: [{ pattern }] },
});

async function stopped(hub: TestHub): Promise<void> {
  await hub.hub.close();
  await hub.store.close();
}

test("where no hub runs, an edit counts as if a hub had made it, and takes nothing frozen along", async (t) => {
  const hub = await openHub(t, { profile: {} });
  await stopped(hub);
  hub.writeProfile({ allowlist: [{ pattern: "mkdir **" }] });
  const { added } = await editOffline(allow("touch **"), hub.home.dir);
  assert.equal(added[0]?.pattern, "touch **");
  const verdict = async (command: string) =>
    (await explainOffline({ command, cwd: hub.workspace }, hub.home.dir)).decision.verdict;
  assert.deepEqual([await verdict("touch a"), await verdict("mkdir a")], ["allow", "ask"]);
  await hub.reopen();
  const cards = await hub.hub.approvals.list({ limit: 10 });
  assert.deepEqual(
    cards.map(({ riskReasons }) => riskReasons),
    [['allowlist: adds "mkdir **"']],
  );
  assert.equal((await hub.propose("touch made")).by, "entry");
});

test("a home that was never served: entries go into the file, trust has nowhere to go", async (t) => {
  const hub = await openHub(t);
  const homeDir = join(hub.workspace, "..", "new");
  await editOffline(allow("touch **"), homeDir);
  const removed = await editOffline({ profile: "default", change: { action: "remove", entry: "touch **" } }, homeDir);
  assert.equal(removed.removed[0]?.pattern, "touch **");
  const file = JSON.parse(readFileSync(join(homeDir, "profiles", "default", "config.json"), "utf8"));
  assert.deepEqual(file, { execApproval: { allowlist: [], denylist: [] } });
  await assert.rejects(editOffline({ ...allow("a"), profile: "none" }, homeDir), { code: "NOT_FOUND" });
  await assert.rejects(editOffline({ ...allow("a"), change: { action: "remove", entry: "a" } }, homeDir), {
    code: "NOT_FOUND",
  });
  await assert.rejects(trustOffline({ directory: hub.workspace, sha256: null }, homeDir), { code: "CONFLICT" });
});

test("the home of a running hub isn't changed past it", async (t) => {
  const server = await openServer(t);
  await assert.rejects(editOffline(allow("touch **"), server.home.dir), { code: "ALREADY_RUNNING" });
});

test("a view names the layer of each setting and entry, and what counts for nothing", async (t) => {
  const hub = await openHub(t, {
    profile: {
      timeoutMs: 5_000,
      allowlist: [
        { pattern: "touch **", id: "touch", by: "ann", atMs: 1, why: "ours" },
        { pattern: "cp **", id: "cp", expiresAtMs: 1 },
      ],
    },
  });
  await hub.propose("touch made");
  const text = JSON.stringify({ execApproval: { ask: "always", denylist: [{ pattern: "curl **" }] } });
  const file = join(hub.workspace, "..", "organisation.json");
  writeFileSync(file, text);
  await stopped(hub);
  await hub.reopenWith({ organisation: { file, sha256: sha256Hex(text) } });
  mkdirSync(join(hub.workspace, ".countersign"));
  const repository = join(hub.workspace, ".countersign", "policy.json");
  writeFileSync(repository, JSON.stringify({ execApproval: { allowlist: [{ pattern: "make **" }] } }));
  const offline = await openOffline(hub.home.dir);
  const wish = { profileId: "default", cwd: hub.workspace, nowMs: hub.clock.wallMs() };
  const view = await viewPolicy(offline, { ...wish, effective: true });
  assert.ok(!("problem" in view));
  const user = join(hub.home.profiles, "default", "config.json");
  assert.deepEqual(view.layers, [
    { layer: "organisation", file },
    { layer: "repository", file: repository, note: "what it allows isn't trusted" },
    { layer: "user", file: user },
  ]);
  assert.deepEqual(
    view.settings.filter(({ layer }) => layer !== "default"),
    [
      { key: "ask", value: "always", layer: "organisation", file },
      { key: "timeoutMs", value: 5_000, layer: "user", file: user },
    ],
  );
  assert.deepEqual(
    view.entries.map(({ list, pattern, layer, hits, idle }) => [list, pattern, layer, hits, idle]),
    [
      ["deny", "curl **", "organisation", 0, undefined],
      ["allow", "touch **", "user", 1, undefined],
      ["allow", "cp **", "user", 0, "expired"],
      ["allow", "make **", "repository", 0, "untrusted"],
    ],
  );
  assert.deepEqual(view.entries[1], {
    ...{ list: "allow", id: "touch", pattern: "touch **", layer: "user", file: user, by: "ann", atMs: 1, why: "ours" },
    ...{ hits: 1, lastUsedAtMs: hub.clock.wallMs() },
  });
  const own = await viewPolicy(offline, { ...wish, effective: false });
  assert.ok(!("problem" in own));
  assert.deepEqual(
    own.settings.filter(({ layer }) => layer !== "default"),
    [{ key: "timeoutMs", value: 5_000, layer: "user" }],
  );
  assert.equal(own.entries.length, 2);
  await offline.close();
});
