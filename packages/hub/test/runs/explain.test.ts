import assert from "node:assert/strict";
import { test } from "node:test";
import { explanationSchema, type WireExplanation } from "@countersign/protocol/proposals";
import { explainOffline } from "../../src/offline/explain-offline.ts";
import { openServer } from "../support/open-server.ts";

test("explain over HTTP tells what the hub would do, and leaves nothing behind", async (t) => {
  const server = await openServer(t);
  const before = (await server.readLedger()).length;
  const told = async (body: object) => {
    const answer = await server.api("POST", "/api/v1/explain", body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(explanationSchema.parse(answer.body), answer.body);
    return answer.body as WireExplanation;
  };
  const command = "touch made && cat *.md";
  const asked = await told({ command, cwd: server.workspace });
  assert.equal(asked.decision.verdict, "ask");
  assert.deepEqual(asked, await explainOffline({ command, cwd: server.workspace }, server.home.dir));
  assert.equal((await told({ command: "ls" })).decision.verdict, "allow", "without cwd, in the hub's workspace");
  assert.match(JSON.stringify((await told({ command: "ls", env: { FOO: "1" } })).effects), /FOO/);
  assert.equal((await server.readLedger()).length, before);
  assert.deepEqual((await server.api("GET", "/api/v1/approvals")).body, []);
});

test("explain refuses what a proposal would be refused for, and profiles that aren't there", async (t) => {
  const server = await openServer(t);
  for (const [body, message] of [
    [{}, /^command/],
    [{ command: "ls", cwd: "relative" }, /^cwd: must be an absolute path/],
    [{ command: "ls", env: { LD_PRELOAD: "x" } }, /^env\.LD_PRELOAD/],
    [{ command: "ls", profile: "none" }, /^profile: there's no profile none/],
    [{ command: "ls", profile: "../default" }, /^profile/],
    [{ command: "ls", session: "s" }, /session/],
  ] as const) {
    const answer = await server.api("POST", "/api/v1/explain", body);
    assert.equal(answer.status, 400);
    assert.match((answer.body as { error: { message: string } }).error.message, message);
  }
});
