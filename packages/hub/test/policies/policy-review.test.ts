import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256Hex } from "@countersign/core/base";
import { type PolicyChange, policyPageSchema, policyReplaySchema } from "@countersign/protocol/policy";
import { ALICE, openHub, type TestHub } from "../support/open-hub.ts";
import { openServer } from "../support/open-server.ts";

const DAY = 86_400_000;

const edit = (hub: TestHub, change: PolicyChange, profile = "default") =>
  hub.hub.policyEdits.edit({ profile, change }, ALICE);
const tryOut = (hub: TestHub, change: PolicyChange) =>
  hub.hub.policyReview.replay({ profile: "default", change }, ALICE);

async function verdict(hub: TestHub, command: string) {
  return (await hub.hub.explain({ command, cwd: hub.workspace })).decision.verdict;
}

test("the policy is told with where it comes from, who made it, how often it was used and what is wrong with it", async (t) => {
  const hub = await openHub(t, { profile: { ask: "always", allowlist: [{ pattern: "bash **" }] } });
  await edit(hub, { action: "set", settings: { ask: "on-miss" } });
  const entries = [
    { pattern: "touch **", why: "harmless", ceiling: { kinds: ["writes" as const], risk: "needs-review" as const } },
  ];
  const { added } = await edit(hub, { action: "allow", entries });
  const atMs = hub.clock.wallMs();
  await edit(hub, { action: "deny", entries: [{ pattern: "shutdown **" }] });
  for (const name of ["a", "b"]) await hub.propose(`touch ${name}`);
  const page = await hub.hub.policyReview.view({});
  assert.deepEqual(policyPageSchema.parse(page), page);
  assert.deepEqual([page.profile, page.cwd, page.leftOut, page.frozen], ["default", hub.workspace, 0, []]);
  assert.deepEqual(page.profiles[0], { id: "default", own: true, frozen: false });
  assert.ok(page.profiles.some(({ id, own }) => id === "claude-code" && !own));
  assert.ok(page.places.includes(hub.workspace));
  const told = page.view?.entries.find(({ pattern }) => pattern === "touch **");
  const file = join(hub.home.profiles, "default", "config.json");
  const who = { id: added[0]?.id, list: "allow", layer: "user", file, by: "alice", atMs, why: "harmless" };
  assert.deepEqual(told, { ...who, ...entries[0], hits: 2, lastUsedAtMs: atMs });
  const broad = page.view?.entries.find(({ pattern }) => pattern === "bash **");
  assert.deepEqual(
    broad?.faults?.map(({ fault }) => fault),
    ["broad", "open"],
  );
  hub.clock.advance(91 * DAY);
  const later = (await hub.hub.policyReview.view({})).view?.entries.find(({ pattern }) => pattern === "touch **");
  assert.deepEqual(later?.faults, [{ fault: "unused", warning: "Not used for 91 days" }]);
  await assert.rejects(hub.hub.policyReview.view({ profile: "none" }), { code: "NOT_FOUND" });
  await assert.rejects(hub.hub.policyReview.view({ cwd: "here" }), { code: "INVALID_PARAMS" });
});

test("an entry is narrowed in one edit, and nothing wider is taken for narrower", async (t) => {
  const hub = await openHub(t, { profile: { allowlist: [{ pattern: "touch **" }], denylist: [{ pattern: "ls **" }] } });
  const narrow = (entry: string, ...entries: { pattern: string; [key: string]: unknown }[]) =>
    edit(hub, { action: "narrow", entry, entries });
  await assert.rejects(narrow("touch **", { pattern: "mkdir **" }), { code: "INVALID_PARAMS" });
  await assert.rejects(narrow("touch **", { pattern: "touch a" }, { pattern: "*" }), { code: "INVALID_PARAMS" });
  const wide = { kinds: ["writes", "network-send"], risk: "dangerous" };
  await assert.rejects(narrow("touch **", { pattern: "touch a", ceiling: wide }), { code: "INVALID_PARAMS" });
  await assert.rejects(narrow("ls **", { pattern: "ls -l" }), { code: "NOT_FOUND" }, "less denied is more allowed");
  assert.equal(await verdict(hub, "touch x"), "allow", "refused as a whole");
  const { added, removed } = await narrow(
    "touch **",
    { pattern: "touch a" },
    { pattern: "touch b *", directory: hub.workspace },
  );
  assert.deepEqual([added.map(({ pattern }) => pattern), removed.length], [["touch a", "touch b *"], 1]);
  const verdicts = ["touch a", "touch b c", "touch x", "ls"].map((command) => verdict(hub, command));
  assert.deepEqual(await Promise.all(verdicts), ["allow", "allow", "ask", "deny"]);
  const { body } =
    (await hub.store.ledger({ afterSeq: 0, limit: 100 })).findLast(({ type }) => type === "policy-changed") ?? {};
  assert.deepEqual([body?.person, body?.added, body?.removed], ["alice", ["touch a", "touch b *"], ["touch **"]]);
});

test("what is narrowed is as old as it was, so that it outranks nothing that was denied since", async (t) => {
  const hub = await openHub(t);
  await edit(hub, { action: "allow", entries: [{ pattern: "touch **" }] });
  const allowlist = async () => {
    const { entries = [] } = (await hub.hub.policyReview.view({})).view ?? {};
    return entries.map(({ pattern, atMs, by }) => ({ pattern, atMs, by }));
  };
  const [before] = await allowlist();
  hub.clock.advance(DAY);
  await hub.hub.pause(ALICE);
  await edit(hub, { action: "narrow", entry: "touch **", entries: [{ pattern: "touch a" }] });
  assert.deepEqual(await allowlist(), [{ pattern: "touch a", atMs: before?.atMs, by: "alice" }]);
  assert.equal(hub.hub.approvals.pending, 0, "the file says the same");
});

test("narrowing takes no denial of the same pattern away", async (t) => {
  const both = { allowlist: [{ pattern: "touch **" }], denylist: [{ pattern: "touch **", directory: "/elsewhere" }] };
  const hub = await openHub(t, { profile: both });
  const { removed } = await edit(hub, { action: "narrow", entry: "touch **", entries: [{ pattern: "touch a" }] });
  assert.equal(removed.length, 1);
  const { entries = [] } = (await hub.hub.policyReview.view({})).view ?? {};
  const told = entries.map(({ list, pattern }) => `${list} ${pattern}`);
  assert.deepEqual(told, ["deny touch **", "allow touch a"]);
  assert.equal(hub.hub.approvals.pending, 0, "the file says the same");
});

test("settings change at once and on record; what they widen needs who may widen", async (t) => {
  const hub = await openHub(t);
  await edit(hub, { action: "set", settings: { ask: "always", timeoutMs: 5_000 } });
  assert.equal(await verdict(hub, "ls"), "ask");
  const { body } = (await hub.store.ledger({ afterSeq: 0, limit: 100 })).at(-1) ?? {};
  assert.deepEqual(body?.settings, ["ask: on-miss → always", "timeoutMs: 60000 → 5000"]);
  await hub.hub.pause(ALICE);
  await assert.rejects(edit(hub, { action: "set", settings: { ask: "on-miss" } }), { code: "UNAUTHORIZED" });
  await edit(hub, { action: "set", settings: { security: "deny" } });
  await hub.hub.resume(ALICE);
  await edit(hub, { action: "set", settings: { security: "allowlist", assurance: "device" } });
  await assert.rejects(edit(hub, { action: "set", settings: { ask: "on-miss" } }), { code: "UNAUTHORIZED" });
  assert.equal((await hub.hub.policyReview.view({})).deviceOnly, true);
  for (const settings of [{ ask: "sometimes" }, { timeoutMs: 0 }, { allowlist: "x" }, {}])
    await assert.rejects(edit(hub, { action: "set", settings } as PolicyChange), { code: "INVALID_PARAMS" });
  assert.equal(hub.hub.approvals.pending, 0, "nobody is asked about what somebody who may has changed");
});

test("a change is tried on the past before it is made", async (t) => {
  const hub = await openHub(t, { profile: { allowlist: [{ pattern: "touch **" }] } });
  for (const command of ["touch a", "touch a", "touch b"]) await hub.propose(command);
  hub.clock.advance(40 * DAY);
  for (const command of ["touch a", "touch a", "touch b", "ls"]) await hub.propose(command);
  const removed = await tryOut(hub, { action: "remove", entry: "touch **" });
  assert.deepEqual(policyReplaySchema.parse(removed), removed);
  const { proposals, counts, changes, complete, widening } = removed;
  assert.deepEqual([proposals, counts, complete, widening], [4, { "allow → ask": 3 }, true, []], "of a month");
  assert.deepEqual(
    changes.map(({ command, count }) => [command, count]),
    [
      ["touch a", 2],
      ["touch b", 1],
    ],
  );
  const narrowed = await tryOut(hub, { action: "narrow", entry: "touch **", entries: [{ pattern: "touch a" }] });
  assert.deepEqual([narrowed.counts, narrowed.widening], [{ "allow → ask": 1 }, []]);
  const set = await tryOut(hub, { action: "set", settings: { security: "full" } });
  assert.deepEqual([set.counts, set.widening], [{}, ["security: allowlist → full"]]);
  const denied = await tryOut(hub, { action: "deny", entries: [{ pattern: "ls **" }] });
  assert.deepEqual(denied.counts, { "allow → deny": 1 });
  const broad = await tryOut(hub, { action: "allow", entries: [{ pattern: "bash **" }] });
  assert.match(broad.warnings.join(), /too broad.*,It doesn't hold the code/);
  assert.deepEqual(broad.widening, ['allowlist: adds "bash **"']);
  assert.equal(await verdict(hub, "touch c"), "allow", "nothing was changed");
  await assert.rejects(tryOut(hub, { action: "remove", entry: "no" }), { code: "NOT_FOUND" });
  const gone = AbortSignal.abort();
  const change = { action: "remove", entry: "touch **" };
  await assert.rejects(hub.hub.policyReview.replay({ profile: "default", change }, ALICE, gone), {
    name: "AbortError",
  });
});

test("trying it out ends at its limits, and says so", async (t) => {
  const hub = await openHub(t, {
    limits: { replayProposals: 2, replays: 1 },
    profile: { allowlist: [{ pattern: "touch **" }] },
  });
  for (const command of ["touch a", "touch b", "touch c"]) await hub.propose(command);
  const change: PolicyChange = { action: "remove", entry: "touch **" };
  const [one, two] = await Promise.allSettled([tryOut(hub, change), tryOut(hub, change)]);
  assert.deepEqual(one?.status === "fulfilled" && [one.value.proposals, one.value.complete], [2, false]);
  assert.match(two?.status === "rejected" ? two.reason.message : "", /limit: replays/);
  assert.equal((await tryOut(hub, change)).proposals, 2, "there's room again");
});

test("a frozen edit is told with its sentences and lines, also after it was refused", async (t) => {
  const hub = await openHub(t, { profile: { allowlist: [{ pattern: "touch **" }] } });
  hub.writeProfile({ ask: "off", security: "full", allowlist: [{ pattern: "touch **" }, { pattern: "curl **" }] });
  const { frozen, profiles } = await hub.hub.policyReview.view({});
  const card = await hub.asked();
  assert.deepEqual(
    frozen.map(({ diff: _, ...rest }) => rest),
    [
      {
        file: "profiles/default/config.json",
        about: "default",
        approvalId: card.approvalId,
        widening: ["security: allowlist → full", "ask: on-miss → off", 'allowlist: adds "curl **"'],
      },
    ],
  );
  assert.equal(profiles[0]?.frozen, true);
  assert.match(frozen[0]?.diff ?? "", /^-\s+"security": "allowlist",$/m);
  assert.match(frozen[0]?.diff ?? "", /^\+\s+"pattern": "curl \*\*"$/m);
  assert.doesNotMatch(frozen[0]?.diff ?? "", /^[+-].*touch/m, "only what changes");
  assert.equal(card.diff, frozen[0]?.diff);
  await hub.hub.answer(card.approvalId, { decision: "deny" }, ALICE);
  const [refused] = (await hub.hub.policyReview.view({})).frozen;
  assert.deepEqual([refused?.approvalId, refused?.diff], [undefined, card.diff]);
});

test("repositories are told with what they would newly allow", async (t) => {
  const hub = await openHub(t);
  const file = join(hub.workspace, ".countersign", "policy.json");
  const write = (block: object) => {
    mkdirSync(join(hub.workspace, ".countersign"), { recursive: true });
    const text = JSON.stringify({ execApproval: block });
    writeFileSync(file, text);
    return sha256Hex(text);
  };
  const look = async () => (await hub.hub.policyReview.view({ cwd: hub.workspace })).repositories;
  const trust = (sha256: string | null) => hub.hub.policyEdits.trust({ directory: hub.workspace, sha256 }, ALICE);
  assert.deepEqual(await look(), []);
  write({ denylist: [{ pattern: "npm publish **" }] });
  assert.deepEqual(
    (await look()).map(({ state, denies }) => [state, denies]),
    [["denies", ["npm publish **"]]],
  );
  const kinds =
    "reads, writes, deletes, network-read, network-send, executes, infrastructure, process-control up to needs-review";
  const allows = (pattern: string) => `allowlist: adds or widens "${pattern}": ${kinds}; in ${hub.workspace}`;
  const first = write({ allowlist: [{ pattern: "make **" }] });
  const [untrusted] = await look();
  assert.deepEqual(
    [untrusted?.state, untrusted?.changes, untrusted?.sha256],
    ["untrusted", [allows("make **")], first],
  );
  await trust(first);
  assert.deepEqual(
    (await look()).map(({ state, by }) => [state, by]),
    [["trusted", "alice"]],
  );
  write({ allowlist: [{ pattern: "make **" }, { pattern: "touch **" }] });
  assert.deepEqual(
    (await look()).map(({ state, changes }) => [state, changes]),
    [["changed", [allows("touch **")]]],
  );
  writeFileSync(file, "{");
  const broken = await hub.hub.policyReview.view({ cwd: hub.workspace });
  assert.deepEqual([broken.view, broken.repositories[0]?.state], [null, "broken"]);
  assert.match(broken.problem ?? "", /can't be known/);
  const elsewhere = await hub.hub.policyReview.view({ cwd: "/" });
  assert.equal(elsewhere.repositories[0]?.directory, hub.workspace, "what was trusted is told wherever one looks from");
});

test("over HTTP observers look and try, and only approvers change", async (t) => {
  const server = await openServer(t);
  const [observer, agent] = [await server.makeToken("observer"), await server.makeToken("agent")];
  const change = { action: "set", settings: { ask: "always" } };
  const body = { profile: "default", change };
  const page = await server.api(
    "GET",
    `/api/v1/policy?cwd=${encodeURIComponent(server.workspace)}`,
    undefined,
    observer.token,
  );
  assert.equal(policyPageSchema.parse(page.body).cwd, server.workspace);
  const tried = await server.api("POST", "/api/v1/policy/replay", body, observer.token);
  assert.deepEqual(policyReplaySchema.parse(tried.body).counts, {});
  assert.equal((await server.api("POST", "/api/v1/policy/edit", body, observer.token)).status, 403);
  assert.equal((await server.api("GET", "/api/v1/policy", undefined, agent.token)).status, 403);
  assert.equal((await server.api("POST", "/api/v1/policy/edit", body)).status, 200);
});
