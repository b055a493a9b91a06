import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  answerResultSchema,
  execApprovalRequestSchema,
  outcomeSchema,
  previewSchema,
} from "@countersign/protocol/proposals";
import { callHttp } from "../src/connect/http.ts";
import { listApprovals } from "../src/hub-calls/list-approvals.ts";
import { Place } from "./countersign.ts";
import { deepSubtest, deepTest } from "./deep-test.ts";

test("answering", async (t) => {
  const place = new Place(t);
  await place.serve();

  const propose = async (...words: string[]) => {
    const proposed = place.start(["exec", "--", ...words]);
    await place.waiting(1);
    const [card] = execApprovalRequestSchema.array().parse(JSON.parse((await place.run("pending", "--json")).stdout));
    assert(card);
    return { proposed, card, shortId: card.approvalId.slice(-8) };
  };

  await t.test("pending shows the whole question and how to answer; approve lets it run", async () => {
    const { proposed, card, shortId } = await propose("rm", "-rf", "build dir");
    assert.equal((await place.run("pending", "--count")).stdout, "1\n");
    const { stdout } = await place.run("pending");
    for (const text of [
      "DANGEROUS",
      shortId,
      "$ rm -rf 'build dir'",
      "jail: workspace, no network (enforcement: jail)",
      place.workspace,
      ...card.riskReasons,
    ]) {
      assert.ok(stdout.includes(text), `${text} isn't in ${stdout}`);
    }
    assert.match(stdout, new RegExp(`countersign approve ${shortId}\n.*countersign deny ${shortId}`));
    const approved = await place.run("approve", shortId);
    assert.deepEqual(approved, { code: 0, stdout: "Allowed once:\n  $ rm -rf 'build dir'\n", stderr: "" });
    assert.equal((await proposed.ended).code, 0);
    const late = await place.run("approve", card.approvalId, "--json");
    assert.equal(late.code, 1);
    const message = "Approval request not found or already resolved";
    assert.deepEqual(JSON.parse(late.stdout), { error: { code: "NOT_FOUND", message } });
    assert.equal((await place.run("deny", shortId)).stderr, `countersign: ${message}\n`);
  });

  await t.test("the same asked twice is one card; approve --times allows as many", async () => {
    const ask = () => place.start(["exec", "--session", "twice", "--", "touch twice"]);
    const both = [ask(), ask()];
    const count = async () => JSON.parse((await place.run("pending", "--json")).stdout)[0]?.count;
    await place.until(async () => (await count()) === 2);
    const { stdout } = await place.run("pending");
    const [, shortId = ""] = /approve (\S+) --times 2$/m.exec(stdout) ?? [];
    assert.match(stdout, new RegExp(`^REVIEW  ${shortId}  ×2 same question  expires in`, "m"));
    assert.equal((await place.run("approve", shortId, "--times", "0")).code, 2);
    const approved = await place.run("approve", shortId, "--times", "2");
    assert.equal(approved.stdout, "Allowed once (×2):\n  $ touch twice\n");
    for (const one of both) assert.equal((await one.ended).code, 0);
    rmSync(join(place.workspace, "twice"));
  });

  await t.test("approve --edit runs what was written, and says so on both sides", async () => {
    const { proposed, shortId } = await propose("touch", "asked");
    const approved = await place.run("approve", shortId, "--edit", "echo written");
    assert.equal(approved.stdout, "Allowed once:\n  $ echo written\ninstead of:\n  $ touch asked\n");
    const { code, stdout, stderr } = await proposed.ended;
    assert.deepEqual([code, stdout], [0, "written\n"]);
    assert.match(stderr, /^countersign: \S+ changed it to `echo written`; that is what ran\.$/m);
  });

  await deepSubtest(t, "preview tells what it would do, keeps nothing, and answers nothing", async () => {
    const { proposed, card, shortId } = await propose("printf one > tried; printf said; exit 4");
    const { code, stdout, stderr } = await place.run("preview", shortId);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    assert.deepEqual(stdout.split("\n"), [
      "Preview of:",
      "  $ printf one > tried; printf said; exit 4",
      "It ended with exit code 4.",
      "In the workspace it would create 1, change 0 and delete 0. Nothing of it was kept.",
      'created "tried" (file, mode 644, 3 bytes)',
      "  | +one",
      "  | \\ No newline at end of file",
      "stdout:",
      "  | said",
      `It still waits: countersign approve ${shortId}, or countersign deny ${shortId}`,
      "",
    ]);
    assert.deepEqual(readdirSync(place.workspace), []);
    const preview = previewSchema.parse(JSON.parse((await place.run("preview", card.approvalId, "--json")).stdout));
    assert.deepEqual([preview.outcome.exitCode, preview.counts.created], [4, 1]);
    await place.run("deny", shortId);
    assert.equal((await proposed.ended).code, 126);
    const late = await place.run("preview", card.approvalId);
    assert.deepEqual([late.code, late.stderr], [1, "countersign: Approval request not found or already resolved\n"]);
  });

  await t.test("approve --always says what was saved, and its like isn't asked about again", async () => {
    const { proposed, shortId } = await propose("mkdir", "made");
    const { code, stdout } = await place.run("approve", "--always", shortId);
    assert.equal(code, 0);
    assert.match(stdout, /^Allowed:\n {2}\$ mkdir made\nSaved to the policy: mkdir \*\*\n/);
    assert.equal((await proposed.ended).code, 0);
    assert.equal((await place.run("exec", "--", "mkdir", "made-too")).code, 0);
  });

  await deepSubtest(
    t,
    "pending --scopes shows how far it may go; approve --scope goes so far and no further",
    async () => {
      const inSession = (...words: string[]) => ["exec", "--session", "fix", "--", ...words];
      const proposed = place.start(inSession("touch", "noted"));
      await place.waiting(1);
      const listed = await place.run("pending", "--scopes");
      const [, shortId = ""] =
        /countersign approve (\w+) --scope exact@session\n {4}saves: touch noted\n/.exec(listed.stdout) ?? [];
      assert.match(listed.stdout, /This exact command, this session\n/);
      const [card] = JSON.parse((await place.run("pending", "--scopes", "--json")).stdout);
      assert.equal(card.scopes[0].scope, "exact@session");
      const wrong = await place.run("approve", shortId, "--scope", "exact@never");
      assert.equal(wrong.code, 1);
      assert.match(wrong.stderr, /scope: isn't <match>@<extent>/);
      const { stdout } = await place.run("approve", shortId, "--scope", "exact@session");
      assert.equal(stdout, "Allowed:\n  $ touch noted\nAllowed in this session: touch noted\n");
      assert.equal((await proposed.ended).code, 0);
      assert.equal((await place.run(...inSession("touch", "noted"))).code, 0);
      const other = place.start(["exec", "--", "touch", "noted"]);
      await place.waiting(1);
      await place.run("deny", JSON.parse((await place.run("pending", "--json")).stdout)[0].approvalId);
      assert.equal((await other.ended).code, 126);
    },
  );

  await deepSubtest(t, "a session that was denied too often is paused, and resumed by name", async () => {
    const hub = await place.hub();
    const propose = async (command: string) => {
      const body = { command, session: "wild one" };
      return (await callHttp(hub, { method: "POST", path: "/api/v1/exec", body, timeoutMs: 0 }, outcomeSchema)).value;
    };
    const ask = async (name: string) => {
      const outcome = propose(`touch ${name}`);
      await place.waiting(1);
      const [card] = await listApprovals(hub);
      assert(card);
      return { outcome, path: `/api/v1/approvals/${card.approvalId}/decision`, approvalId: card.approvalId };
    };
    for (const name of ["a", "b", "c", "d"]) {
      const { outcome, path } = await ask(name);
      await callHttp(hub, { method: "POST", path, body: { decision: "deny" } }, answerResultSchema);
      await outcome;
    }
    const { outcome, approvalId } = await ask("e");
    assert.match((await place.run("deny", approvalId)).stdout, /Session "wild one" is paused/);
    await outcome;
    assert.deepEqual((({ kind, by }) => [kind, by])(await propose("ls")), ["denied", "paused"]);
    assert.match((await place.run()).stdout, /countersign resume --session "wild one"/);
    const resumed = await place.run("resume", "--session", "wild one");
    assert.equal(resumed.stdout, 'Resumed: the proposals of session "wild one" are taken again.\n');
    assert.equal((await propose("ls")).kind, "exited");
    assert.equal((await place.run("resume", "--session", "wild one")).code, 1);
  });

  await t.test("deny tells the agent why", async () => {
    const { proposed, shortId } = await propose("rm", "-rf", "build");
    const { stdout } = await place.run("deny", shortId, "--reason", "use npm run clean");
    assert.equal(stdout, "Denied:\n  $ rm -rf build\nThe agent is told: use npm run clean\n");
    const { code, stderr } = await proposed.ended;
    assert.equal(code, 126);
    assert.match(stderr, /use npm run clean/);
  });

  await deepSubtest(t, "approve and deny say that the hash of a redacted command couldn't be checked", async () => {
    const secret = `sk-ant-${"a1B2".repeat(10)}`;
    const said = "countersign: The hub redacted this command, so its hash could not be checked here.\n";
    for (const [index, args] of [["deny"], ["approve"], ["deny", "--json"]].entries()) {
      const { proposed, card, shortId } = await propose("npm", "publish", `--otp=${secret}${index}`);
      assert.match(card.command, /\[REDACTED: /);
      const { code, stderr } = await place.run(...args, shortId);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: said });
      await proposed.ended;
    }
  });

  await deepSubtest(t, "pending --reveal shows one with nothing hidden", async () => {
    const secret = `sk-ant-${"a1B2".repeat(10)}`;
    const { proposed, shortId } = await propose("npm", "publish", `--otp=${secret}`);
    assert.match((await place.run("pending")).stdout, /\$ npm publish '--otp=\[REDACTED: 47 characters\]'\n/);
    const { stdout } = await place.run("pending", "--reveal", shortId);
    assert.match(stdout, new RegExp(`\\$ npm publish '--otp=${secret}'\\n`));
    assert.doesNotMatch(stdout, /REDACTED|could not be checked/);
    await place.run("deny", shortId);
    await proposed.ended;
  });

  await t.test("paused, everything is denied and bare countersign says so; resumed, it goes on", async () => {
    assert.match((await place.run("pause")).stdout, /^Paused: /);
    const denied = await place.run("exec", "--", "ls");
    assert.equal(denied.code, 126);
    assert.match(denied.stderr, /^countersign: Denied by the pause: /);
    const paused = await place.run();
    assert.match(paused.stdout, /Paused by .*\nNext: countersign resume\n$/);
    assert.deepEqual(JSON.parse((await place.run("resume", "--json")).stdout), { paused: false });
    const loop = place.start(["exec", "--", "echo up; while :; do sleep 0.05; done"]);
    await loop.firstLine();
    assert.match((await place.run("pause", "--kill")).stdout, /^Paused: .*, 1 running was ended\.\n/);
    const { code, stderr } = await loop.ended;
    assert.equal(code, 130);
    assert.match(stderr, /stopped while it ran: Ended by .+, who paused everything\.\n$/);
    assert.deepEqual(JSON.parse((await place.run("pause", "--kill", "--json")).stdout), { paused: true, ended: 0 });
    await place.run("resume");
    assert.equal((await place.run("exec", "--", "ls")).code, 0);
  });

  await deepSubtest(t, "bare countersign names the one next step", async () => {
    assert.match(
      (await place.run()).stdout,
      /^Countersign 0\.1\.0 runs at http.*\n0 waiting .*\nNext: propose something.*\n$/,
    );
    const { proposed, shortId } = await propose("rm", "-rf", "build");
    assert.match((await place.run()).stdout, /\n1 waiting .*\nNext: countersign pending\n$/);
    const { running, pending, url, home } = JSON.parse((await place.run("--json")).stdout);
    assert.deepEqual({ running, pending, home }, { running: true, pending: 1, home: place.home });
    assert.match(url, /^http:/);
    await place.run("deny", shortId);
    await proposed.ended;
  });
});

test("approve --if-asks-again: who comes late allows it for the next time", async (t) => {
  const place = new Place(t);
  await place.serve();
  mkdirSync(join(place.home, "profiles", "default"), { recursive: true });
  const profile = { execApproval: { timeoutMs: 1 } };
  writeFileSync(join(place.home, "profiles", "default", "config.json"), JSON.stringify(profile));
  const ask = () => place.run("exec", "--json", "--session", "late", "--", "touch late");
  const { approvalId } = outcomeSchema.parse(JSON.parse((await ask()).stdout));
  const both = await place.run("approve", approvalId ?? "", "--if-asks-again", "--always");
  assert.match(both.stderr, /can't be combined/);
  const late = await place.run("approve", approvalId?.slice(-8) ?? "", "--if-asks-again");
  assert.match(late.stdout, /^Allowed once if it asks again until \d\d:\d\d:\d\d:\n {2}\$ touch late\n$/);
  assert.equal(outcomeSchema.parse(JSON.parse((await ask()).stdout)).kind, "exited");
  assert.equal((await place.run("approve", approvalId ?? "", "--if-asks-again")).code, 1);
});

test("no hub: bare countersign says to serve, the others fail with the same", async (t) => {
  const place = new Place(t);
  const bare = await place.run();
  assert.deepEqual(bare, {
    code: 0,
    stdout: `No hub is running for ${place.home}.\nNext: countersign serve\n`,
    stderr: "",
  });
  assert.deepEqual(JSON.parse((await place.run("--json")).stdout), { running: false, home: place.home, agents: [] });
  for (const args of [["pending"], ["approve", "12345678"], ["pause"]]) {
    const { code, stderr } = await place.run(...args);
    assert.equal(code, 1);
    assert.match(stderr, /^countersign: No hub is running for /);
  }
});

deepTest("a hub that was killed leaves an address that nobody is sent a token for", async (t) => {
  const place = new Place(t);
  const hub = await place.serve();
  await hub.stop("SIGKILL");
  assert.match((await place.run()).stdout, /^No hub is running/);
});
