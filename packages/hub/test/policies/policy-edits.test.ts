import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256Hex } from "@countersign/core/base";
import { type PolicyChange, policyEditedSchema } from "@countersign/protocol/policy";
import { canonicalize } from "@countersign/receipts";
import { generateDeviceKey, makeNonce, signDecision } from "@countersign/sdk";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";
import { openServer } from "../support/open-server.ts";

const edit = (hub: TestHub, change: PolicyChange, profile = "default") =>
  hub.hub.policyEdits.edit({ profile, change }, ALICE);

function fileOf(hub: TestHub): { execApproval: Record<string, { pattern: string; by?: string; why?: string }[]> } {
  return JSON.parse(readFileSync(join(hub.home.profiles, "default", "config.json"), "utf8"));
}

async function verdict(hub: TestHub, command: string) {
  return (await hub.hub.explain({ command, cwd: hub.workspace })).decision.verdict;
}

test("entries are added and removed at once, on record, with the file following", async (t) => {
  const hub = await openHub(t);
  const allowed = await edit(hub, { action: "allow", entries: [{ pattern: "touch **", why: "harmless" }] });
  assert.equal(await verdict(hub, "touch made"), "allow");
  await edit(hub, { action: "deny", entries: [{ pattern: "ls **" }, { pattern: "pwd" }] });
  assert.deepEqual([await verdict(hub, "ls"), await verdict(hub, "pwd")], ["deny", "deny"]);
  const { execApproval } = fileOf(hub);
  const [entry] = execApproval.allowlist ?? [];
  assert.deepEqual([entry?.pattern, entry?.by, entry?.why], ["touch **", "alice", "harmless"]);
  assert.equal(statSync(join(hub.home.profiles, "default", "config.json")).mode & 0o777, 0o600);
  const byId = await edit(hub, { action: "remove", entry: allowed.added[0]?.id ?? "" });
  assert.deepEqual(byId.removed, allowed.added);
  assert.equal(await verdict(hub, "touch made"), "ask");
  await edit(hub, { action: "remove", entry: "ls **" });
  assert.deepEqual([await verdict(hub, "ls"), await verdict(hub, "pwd")], ["allow", "deny"]);
  assert.equal(hub.hub.approvals.pending, 0, "nobody has to be asked about it again");
  await hub.restart();
  assert.deepEqual([await verdict(hub, "ls"), await verdict(hub, "pwd")], ["allow", "deny"]);
  const changes = (await hub.store.ledger({ afterSeq: 0, limit: 100 })).filter(({ type }) => type === "policy-changed");
  assert.deepEqual(
    changes.map(({ body: { person, assurance, added, removed } }) => ({ person, assurance, added, removed })).slice(-4),
    [
      { person: "alice", assurance: "token", added: ["touch **"], removed: [] },
      { person: "alice", assurance: "token", added: ["ls **", "pwd"], removed: [] },
      { person: "alice", assurance: "token", added: [], removed: ["touch **"] },
      { person: "alice", assurance: "token", added: [], removed: ["ls **"] },
    ],
  );
});

test("an edit takes nothing else along: what is frozen stays frozen, what others wrote stays written", async (t) => {
  const hub = await openHub(t, { profile: {} });
  hub.writeProfile({ allowlist: [{ pattern: "mkdir **" }], note: 1 });
  assert.equal(await verdict(hub, "mkdir made"), "ask", "an outside edit");
  await edit(hub, { action: "allow", entries: [{ pattern: "touch **" }] });
  assert.deepEqual([await verdict(hub, "mkdir made"), await verdict(hub, "touch made")], ["ask", "allow"]);
  assert.match((await hub.hub.state()).warnings.join(), /frozen/);
  const patterns = fileOf(hub).execApproval.allowlist?.map(({ pattern }) => pattern);
  assert.deepEqual(patterns, ["mkdir **", "touch **"]);
  await edit(hub, { action: "remove", entry: "mkdir **" });
  assert.equal(fileOf(hub).execApproval.note as unknown, 1);
  const many = Array.from({ length: 20 }, (_, index) => ({ pattern: `echo ${index}` }));
  await Promise.all(many.map((entry) => edit(hub, { action: "deny", entries: [entry] })));
  assert.equal(fileOf(hub).execApproval.denylist?.length, 20, "edits at the same time lose none");
});

test("entries written by hand are removed by their pattern or by the id that they are shown with", async (t) => {
  const hub = await openHub(t, { profile: { allowlist: [{ pattern: "touch **" }, { pattern: "mkdir **" }] } });
  const { decision } = await hub.hub.explain({ command: "touch made", cwd: hub.workspace });
  assert.match(decision.entryIds.join(), /^user-[0-9a-f]{16}$/);
  await edit(hub, { action: "remove", entry: decision.entryIds[0] ?? "" });
  await edit(hub, { action: "remove", entry: "mkdir **" });
  assert.deepEqual([await verdict(hub, "touch made"), await verdict(hub, "mkdir made")], ["ask", "ask"]);
  await assert.rejects(edit(hub, { action: "remove", entry: "mkdir **" }), { code: "NOT_FOUND" });
});

test("what can't be an entry, a profile or an edit is refused and changes nothing", async (t) => {
  const hub = await openHub(t, { profile: {} });
  const before = JSON.stringify(fileOf(hub));
  const wrong: [unknown, string, RegExp][] = [
    [{ profile: "default" }, "INVALID_PARAMS", /change/],
    [{ profile: "default", change: { action: "full" } }, "INVALID_PARAMS", /action/],
    [{ profile: "default", change: { action: "allow", entries: [] } }, "INVALID_PARAMS", /entries/],
    [{ profile: "../x", change: { action: "remove", entry: "a" } }, "INVALID_PARAMS", /profile/],
    [{ profile: "none", change: { action: "remove", entry: "a" } }, "NOT_FOUND", /no profile none/],
    ...[
      { pattern: "  " },
      { pattern: "a", id: "mine" },
      { pattern: "a", by: "bob" },
      { pattern: "a", atMs: 1 },
      { pattern: "a", unheard: 1 },
      { pattern: "a", ceiling: { kinds: ["anything"], risk: "safe" } },
    ].map((entry): [unknown, string, RegExp] => [
      { profile: "default", change: { action: "allow", entries: [entry] } },
      "INVALID_PARAMS",
      /entries\.0/,
    ]),
  ];
  for (const [body, code, message] of wrong) {
    await assert.rejects(hub.hub.policyEdits.edit(body, ALICE), (error: Error & { code?: string }) => {
      assert.equal(error.code, code, JSON.stringify(body));
      assert.match(error.message, message);
      return true;
    });
  }
  assert.equal(JSON.stringify(fileOf(hub)), before);
  writeFileSync(join(hub.home.profiles, "default", "config.json"), "{");
  await assert.rejects(edit(hub, { action: "deny", entries: [{ pattern: "a" }] }), { code: "CONFLICT" });
});

test("while paused nothing is allowed, and denying goes on", async (t) => {
  const hub = await openHub(t);
  await hub.hub.pause(ALICE);
  await assert.rejects(edit(hub, { action: "allow", entries: [{ pattern: "touch **" }] }), { code: "UNAUTHORIZED" });
  await edit(hub, { action: "deny", entries: [{ pattern: "ls **" }] });
  await assert.rejects(edit(hub, { action: "remove", entry: "ls **" }), { code: "UNAUTHORIZED" });
  await hub.hub.resume(ALICE);
  await edit(hub, { action: "remove", entry: "ls **" });
});

test("where a device's word is needed, a signature over this very edit widens, once; the token alone doesn't", async (t) => {
  const server = await openServer(t);
  const key = await generateDeviceKey();
  await server.api("POST", "/api/v1/devices", { deviceId: "laptop", name: "laptop", publicKey: key.publicKey });
  mkdirSync(join(server.home.profiles, "default"), { recursive: true });
  writeFileSync(join(server.home.profiles, "default", "config.json"), '{"execApproval":{"assurance":"device"}}');
  const change: PolicyChange = { action: "allow", entries: [{ pattern: "touch **" }] };
  const sign = async (content: object, approvalId = "policy:default") => {
    const nonce = makeNonce();
    const proposalHash = `sha256:${sha256Hex(canonicalize(content))}`;
    const toSign = { approvalId, proposalHash, decision: "allow-always", nonce } as const;
    return { nonce, keyId: key.keyId, signature: await signDecision(toSign, key.privateKey) };
  };
  const post = (body: object) => server.api("POST", "/api/v1/policy/edit", { profile: "default", change, ...body });
  const other: PolicyChange = { action: "allow", entries: [{ pattern: "** " }] };
  assert.equal((await post({})).status, 403);
  assert.equal((await post(await sign({ profile: "default", change: other }))).status, 403);
  assert.equal((await post(await sign({ profile: "default", change }, "policy:other"))).status, 403);
  const { signature: _, ...half } = await sign({ profile: "default", change });
  assert.equal((await post(half)).status, 400);
  const good = await sign({ profile: "default", change });
  const { status, body } = await post(good);
  assert.equal(status, 200);
  assert.equal(policyEditedSchema.parse(body).added[0]?.pattern, "touch **");
  assert.equal((await post(good)).status, 403, "the nonce was used");
  const removed = await server.api("POST", "/api/v1/policy/edit", {
    profile: "default",
    change: { action: "remove", entry: "touch **" },
  });
  assert.equal(removed.status, 200, "what tightens needs no device");
});
