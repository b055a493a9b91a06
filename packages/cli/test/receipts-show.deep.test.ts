import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { type Story, storySchema } from "@countersign/protocol/records";
import { callHttp } from "../src/connect/http.ts";
import { Place } from "./countersign.ts";
import { deepTest } from "./deep-test.ts";

const SECRET = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";

/** A command that a person allows from this device. */
async function allowed(place: Place, command: string): Promise<string> {
  const asked = place.start(["exec", "--session", "made", "--", command]);
  await place.waiting(1);
  const [card] = JSON.parse((await place.run("pending", "--json")).stdout);
  assert.equal((await place.run("approve", card.approvalId)).code, 0);
  assert.equal((await asked.ended).code, 0);
  return card.approvalId;
}

test("the auditor's question, by one command and by one call", async (t) => {
  const place = new Place(t);
  const hub = await place.serve();
  const approvalId = await allowed(place, `mkdir made && echo ${SECRET} > /dev/null`);
  const shown = await place.run("receipts", "show", approvalId);
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /^\S+ \S+ proposed in session "made", as "[^"]+" \(\S+\):\n {2}\$ mkdir made && echo /);
  assert.ok(!shown.stdout.includes(SECRET));
  assert.match(shown.stdout, /\n\S+ \S+ shown to a person \(approval \S+, resolved\)\n/);
  assert.match(shown.stdout, /\n\S+ \S+ ALLOWED by "[^"]+", a person, signed on the device "[^"]+"\n/);
  assert.match(
    shown.stdout,
    /\n {2}risk: needs-review\n[\s\S]*\n {2}enforcement: \w+\n[\s\S]*\n {2}policy version: \S+\n/,
  );
  assert.match(shown.stdout, /\n\S+ \S+ started by the hub\n[\s\S]*\n\S+ \S+ ended: exited with code 0\n/);
  assert.match(
    shown.stdout,
    /\nWHOLE: 3 receipts, each signed, linked to its neighbours, no checkpoint covers them yet\.\n/,
  );

  const storyOf = async (id: string): Promise<Story> =>
    storySchema.parse(JSON.parse((await place.run("receipts", "show", id, "--json")).stdout));
  const story = await storyOf(approvalId);
  const [decided, started, ended] = story.steps;
  assert.deepEqual(
    story.steps.map(({ type, check }) => [type, check]),
    ["decided", "started", "ended"].map((type) => [type, { signed: true, linked: true, inTree: "later" }]),
  );
  assert.equal(decided?.said.assurance, "device");
  assert.equal(decided?.said.binding, started?.said.binding);
  const { key = "", proposalId = "" } = story.proposal ?? {};
  for (const id of [key, proposalId, ended?.hash ?? "", ended?.id ?? "", String(started?.seq)]) {
    assert.deepEqual(await storyOf(id), story, id);
  }
  const path = `/api/v1/receipts/${encodeURIComponent(approvalId)}/story`;
  const { value } = await callHttp(await place.hub(), { method: "GET", path }, storySchema);
  assert.deepEqual(value, story);

  const tokens = await Promise.all(
    (["observer", "agent"] as const).map(async (role) => {
      const made = await place.run("token", "create", "--role", role, "--name", role, "--json");
      return JSON.parse(made.stdout).token as string;
    }),
  );
  const { url } = await place.hub();
  const asked = tokens.map((token) => callHttp({ url, token }, { method: "GET", path }, storySchema));
  const [seen, refused] = await Promise.allSettled(asked);
  assert.deepEqual([seen?.status, refused?.status], ["fulfilled", "rejected"]);

  await hub.stop();
  const covered = await storyOf(approvalId);
  assert.ok(covered.steps.every(({ check }) => check.inTree === "proved"));
  assert.match(
    (await place.run("receipts", "show", approvalId)).stdout,
    /in the tree of the newest checkpoint \(\d+ receipts\)/,
  );
});

deepTest("a story about what never ran, about other receipts, and about nothing", async (t) => {
  const place = new Place(t);
  const hub = await place.serve();
  const denied = place.start(["exec", "--", "mkdir never"]);
  await place.waiting(1);
  const [card] = JSON.parse((await place.run("pending", "--json")).stdout);
  const waiting = await place.run("receipts", "show", card.approvalId);
  assert.match(waiting.stdout, /pending\)\nNothing is on record about it yet\.\n$/);
  await place.run("deny", card.approvalId, "--reason", "not now");
  await denied.ended;
  await hub.stop();
  const { stdout } = await place.run("receipts", "show", card.approvalId);
  assert.match(stdout, /DENIED by "[^"]+", a person, signed on the device/);
  assert.match(stdout, /ended: denied\n/);
  assert.doesNotMatch(stdout, /started by/);
  const first = await place.run("receipts", "show", "1");
  assert.match(first.stdout, /^\S+ \S+ ledger-opened\n {2}receipt 1 sha256:\S+\nWHOLE: 1 receipt/);
  const none = await place.run("receipts", "show", "nothing-of-that-name");
  assert.deepEqual([none.code, /There's no receipt, proposal or approval/.test(none.stderr)], [1, true]);

  const [decided, ended] = (
    JSON.parse((await place.run("receipts", "show", card.approvalId, "--json")).stdout) as Story
  ).steps;
  const tamper = (...statements: readonly string[]) => {
    const db = new DatabaseSync(join(place.home, "countersign.db"));
    for (const table of ["receipt", "tree_node"]) db.exec(`DROP TRIGGER IF EXISTS ${table}_no_update`);
    for (const statement of statements) db.exec(statement);
    db.close();
  };
  const checks = async () => {
    const shown = await place.run("receipts", "show", card.approvalId, "--json");
    return { code: shown.code, checks: (JSON.parse(shown.stdout) as Story).steps.map(({ check }) => check) };
  };
  const right = { signed: true, linked: true, inTree: "proved" };
  assert.deepEqual(await checks(), { code: 0, checks: [right, right] });
  tamper(`UPDATE tree_node SET hash = randomblob(32) WHERE level = 0 AND idx = ${(decided?.seq ?? 0) - 1}`);
  const inTree = (await checks()).checks.map((check) => check.inTree);
  assert.ok(inTree.includes("failed"));
  tamper(`UPDATE receipt SET raw = replace(raw, '"deny"', '"allow"') WHERE seq = ${decided?.seq}`);
  const changed = await checks();
  assert.equal(changed.code, 1);
  assert.deepEqual(
    changed.checks.map(({ signed, linked }) => [signed, linked]),
    [
      [false, false],
      [true, false],
    ],
    `receipt ${ended?.seq} follows another one now`,
  );
});

deepTest(
  "the store's texts are held against the receipts, which hold salted hashes of them: changed is told, redacted can't be",
  async (t) => {
    const place = new Place(t);
    const hub = await place.serve();
    for (const session of ["one", "two"]) await place.run("exec", "--session", session, "--", "echo same words");
    const hidden = await allowed(place, `mkdir made && echo ${SECRET} > /dev/null`);
    await hub.stop();
    const rows = JSON.parse((await place.run("receipts", "list", "--type", "ended", "--json")).stdout) as {
      hash: string;
    }[];
    const storyOf = async (id: string) => {
      const { code, stdout } = await place.run("receipts", "show", id, "--json");
      return { code, story: storySchema.parse(JSON.parse(stdout)) };
    };
    const [one, two] = await Promise.all(rows.slice(0, 2).map(({ hash }) => storyOf(hash)));
    assert.deepEqual([one?.code, one?.story.texts], [0, { command: "same", stdout: "same", stderr: "same" }]);
    const hashes = ({ story }: NonNullable<typeof one>) => {
      const [decided, started, ended] = story.steps;
      return [decided?.said.proposalHash, decided?.said.binding, ended?.said.stdoutHash].map((hash) => {
        assert.match(String(hash), /^hmac-sha256:[0-9a-f]{64}$/);
        assert.equal(decided?.said.binding, started?.said.binding);
        return hash;
      });
    };
    // The same command twice: nobody can tell from the receipts.
    for (const hash of hashes(one as NonNullable<typeof one>)) {
      assert.ok(!hashes(two as NonNullable<typeof two>).includes(hash));
    }
    const redacted = await storyOf(hidden);
    assert.deepEqual([redacted.code, redacted.story.texts?.command], [0, "redacted"]);
    const raws = (await place.run("receipts", "export", "--format", "jsonl")).stdout;
    const { salt } = detailsOf(place, one?.story.proposal?.key ?? "");
    assert.ok(salt.length >= 22 && !raws.includes(salt));

    const database = new DatabaseSync(join(place.home, "countersign.db"));
    database
      .prepare("UPDATE proposal SET command = 'echo other words' WHERE key = ?")
      .run(one?.story.proposal?.key ?? "");
    database
      .prepare("UPDATE proposal SET outcome = json_set(outcome, '$.stdout', 'x') WHERE key = ?")
      .run(two?.story.proposal?.key ?? "");
    database.close();
    const changed = await place.run("receipts", "show", rows[0]?.hash ?? "");
    assert.equal(changed.code, 1);
    assert.match(changed.stdout, /\n {2}NOT WHAT WAS DECIDED ON: the receipts have another hash\n[\s\S]*\nBROKEN: /);
    const output = await place.run("receipts", "show", rows[1]?.hash ?? "");
    assert.deepEqual([output.code, /BROKEN: the output in the store isn't/.test(output.stdout)], [1, true]);
  },
);

function detailsOf(place: Place, key: string): { salt: string } {
  const database = new DatabaseSync(join(place.home, "countersign.db"), { readOnly: true });
  const row = database.prepare("SELECT details FROM proposal WHERE key = ?").get(key);
  database.close();
  return JSON.parse(String(row?.details));
}
