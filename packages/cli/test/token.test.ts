import assert from "node:assert/strict";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { execApprovalRequestSchema } from "@countersign/protocol/proposals";
import { readLedger } from "@countersign/store";
import { Place } from "./countersign.ts";

test("tokens: made, listed, used, revoked", async (t) => {
  const place = new Place(t);
  await place.serve();
  assert.match((await place.run("token", "list")).stdout, /^There are no tokens but the hub's first one\.\nNext: /);

  const made = await place.run("token", "create", "--role", "agent", "--name", "codex", "--unattended", "--json");
  const agent = JSON.parse(made.stdout);
  assert.deepEqual(Object.keys(agent), ["id", "token", "role", "name"]);
  assert.deepEqual([agent.role, agent.name], ["agent", "codex"]);

  const { stdout } = await place.run("token", "create", "--role", "observer", "--name", "screen");
  const [token = "", ...words] = stdout.split("\n");
  assert.match(token, /^cs_[\w-]{43}$/);
  assert.match(words.join("\n"), /^\nThe token of screen, an observer\. It may look at everything/);
  assert.match(words.join("\n"), /It isn't shown again/);

  const url = (await place.hub()).url;
  const env = { COUNTERSIGN_TOKEN: agent.token };
  const [proposes, looks] = [
    ["exec", "--url", url, "--", "ls"],
    ["pending", "--url", url],
  ].map((args) => place.start(args, env).ended);
  assert.deepEqual([(await proposes)?.code, (await looks)?.code], [0, 1]);

  const revoked = await place.run("token", "revoke", agent.id.slice(-8));
  assert.match(revoked.stdout, /^Revoked: the token of codex \(agent\)\./);
  const refused = await place.start(["exec", "--url", url, "--", "ls"], env).ended;
  assert.equal(refused.code, 125);
  assert.match(refused.stderr, /rejected this token/);

  const list = (await place.run("token", "list")).stdout.split("\n");
  assert.match(list[0] ?? "", /^ID +ROLE +NAME +MADE +WITH +LAST SEEN$/);
  assert.match(
    list[1] ?? "",
    /agent +codex +\d{4}-\d\d-\d\d +the first token +\d{4}-\d\d-\d\d +unattended, REVOKED \d{4}-\d\d-\d\d$/,
  );
  assert.match(list[2] ?? "", /observer +screen +\d{4}-\d\d-\d\d +the first token +(never|\d{4}-\d\d-\d\d)$/);
  const listed = JSON.parse((await place.run("token", "list", "--json")).stdout);
  assert.deepEqual(
    listed.map(({ name }: { name: string }) => name),
    ["codex", "screen"],
  );
  assert.ok(!JSON.stringify(listed).includes(token));

  // The commands above were signed by the home's key, and from then on nothing less will do.
  const { token: first } = await place.hub();
  const headers = { authorization: `Bearer ${first}`, "content-type": "application/json" };
  const body = JSON.stringify({ role: "approver", name: "eve" });
  assert.equal((await fetch(`${url}/api/v1/tokens`, { method: "POST", headers, body })).status, 403);
  const bob = JSON.parse(
    (await place.run("token", "create", "--role", "approver", "--name", " bob ", "--json")).stdout,
  );
  const asBob = { COUNTERSIGN_TOKEN: bob.token, COUNTERSIGN_HOME: join(place.workspace, "no-home") };
  await place.start(["token", "create", "--url", url, "--role", "agent", "--name", "left"], asBob).ended;
  const gone = await place.run("token", "revoke", bob.id);
  assert.match(
    gone.stdout,
    /\nIt had made the token of left \(agent\), which is still good: countersign token revoke \w+/,
  );

  const wrong = [
    [["revoke", agent.id], 1, /was revoked on .* already/],
    [["revoke", "0000"], 1, /no token whose id ends in "0000"/],
    [["revoke", "1"], 1, /too short/],
    [["create", "--name", "x"], 2, /--role/],
    [["create", "--role", "king", "--name", "x"], 2, /Allowed choices are agent, observer, approver, hub/],
    [["create", "--role", "agent", "--name", "a\u202eb"], 1, /name/],
  ] as const;
  await Promise.all(
    wrong.map(async ([args, code, message]) => {
      const ended = await place.run("token", ...args);
      assert.equal(ended.code, code, ended.stderr);
      assert.match(ended.stderr, message);
    }),
  );
});

test("approve and deny are signed; with --url and no key they are plain", async (t) => {
  const place = new Place(t);
  const hub = await place.serve();
  const { url, token } = await place.hub();
  const answer = async (command: string, args: readonly string[], env: Record<string, string> = {}) => {
    const proposed = place.start(["exec", "--", command]);
    await place.waiting(1);
    const [card] = execApprovalRequestSchema.array().parse(JSON.parse((await place.run("pending", "--json")).stdout));
    assert(card);
    const answered = await place.start([...args, card.approvalId], env).ended;
    assert.equal(answered.code, 0, answered.stderr);
    await proposed.ended;
    return card.approvalId;
  };
  const elsewhere = { COUNTERSIGN_HOME: join(place.workspace, "no-home"), COUNTERSIGN_TOKEN: token };
  const plain = await answer("mkdir plain", ["approve", "--url", url], elsewhere);
  const allowed = await answer("mkdir allowed", ["approve"]);
  const denied = await answer("mkdir denied", ["deny"]);
  await hub.stop();
  const found = new Map<unknown, unknown>();
  for await (const { type, body } of readLedger(join(place.home, "countersign.db"))) {
    if (type === "decided") found.set(body.approvalId, body.assurance);
  }
  assert.deepEqual(
    [plain, allowed, denied].map((id) => found.get(id)),
    ["token", "device", "device"],
  );
});

test("a hub that is older than signed decisions gets the plain form", async (t) => {
  const place = new Place(t);
  const bodies: string[] = [];
  const approval = {
    ...{ approvalId: "01a1e0d8-dc80-701d-b8bb-8987f28a4e4b", agentId: "s", agentName: "codex", command: "ls" },
    ...{ riskLevel: "needs-review", riskReasons: [], expiresAtMs: Date.now() + 60_000, subject: "policy" },
    ...{ jail: "none", enforcement: "none", env: {}, effects: [], proposalHash: "sha256:00" },
  };
  const old = createServer(async (request, response) => {
    const chunks = await request.setEncoding("utf8").toArray();
    const path = request.url ?? "";
    const missing = path === "/api/v1/devices";
    if (path.endsWith("/decision")) bodies.push(chunks.join(""));
    const error = { error: { code: "METHOD_NOT_FOUND", message: "isn't served" } };
    response.statusCode = missing ? 404 : 200;
    response.end(JSON.stringify(missing ? error : path.endsWith("/decision") ? { ok: true } : approval));
  }).listen(0, "127.0.0.1");
  t.after(() => old.close());
  await new Promise((resolve) => old.once("listening", resolve));
  const { port } = old.address() as { port: number };
  // A key that is there is offered, wherever the hub is.
  await place.serve();
  const waits = place.start(["exec", "--", "mkdir made"]);
  await place.waiting(1);
  const [card] = JSON.parse((await place.run("pending", "--json")).stdout);
  await place.run("approve", card.approvalId);
  await waits.ended;
  const answered = await place.run("approve", approval.approvalId, "--url", `http://127.0.0.1:${port}`);
  assert.equal(answered.code, 0);
  assert.match(answered.stderr, /hash could not be checked here/);
  assert.deepEqual(bodies, ['{"decision":"allow-once"}']);
});
