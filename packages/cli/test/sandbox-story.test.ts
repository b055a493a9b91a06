import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SandboxStory, SandboxView } from "@countersign/protocol/records";
import { hashObject, type Receipt } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";
import { Place } from "./countersign.ts";
import { emitFrames } from "./emit-frames.ts";

const UID = process.getuid?.() ?? 0;
const LIMITS = ["Code in the sandbox can go round the proxy."];

/** As the proxy in a sandbox says it. */
function said(sandbox_id: string, route: string, action_type: string, more: object = {}): object {
  const endpoint = `/${route.split("/")[1]}`;
  return {
    ...{ channel: "opensandbox_execd", session_id: sandbox_id, tool: { name: route, server: "execd" }, action_type },
    binding: { sandbox_id, endpoint, route, placement: "execd" },
    coverage: { covers: ["command"], excludes: [], placement: "execd", limits: LIMITS },
    ...more,
  };
}

test("a sandbox's story is told in order, by command and API, and its receipts verify", async (t) => {
  const place = new Place(t);
  mkdirSync(place.home, { mode: 0o700 });
  const emitters = ["relay", "egress"].map((role) => ({ uid: UID, role }));
  writeFileSync(join(place.home, "config.json"), JSON.stringify({ receipts: { emitters } }), { mode: 0o600 });
  const hub = await place.serve();
  const [input, output] = [{ command: "ls" }, { exit_code: 0 }];
  await emitFrames(place, said("box-1", "POST /command", "system.command.execute", { input, output }));
  await emitFrames(place, said("box-1", "POST /pty", "system.pty.open", { correlation_id: "one" }));
  await emitFrames(place, said("box-2", "POST /pty", "system.pty.close", { correlation_id: "one" }));
  const late = { drop_count: 3, error: "exit code 1", correlation_id: "two" };
  await emitFrames(place, said("box-1", "POST /pty", "system.pty.open", { correlation_id: "two" }));
  await emitFrames(place, said("box-1", "POST /pty", "system.pty.close", late));

  const json = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await place.run("receipts", ...args, "--json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const { sandboxes } = (await json("sandboxes")) as { sandboxes: SandboxView[] };
  assert.deepEqual(
    sandboxes.map(({ id, receipts, dropped, incompleteSessions, actions }) => [
      ...[id, receipts, dropped, incompleteSessions, actions.map(({ type, count }) => `${count} ${type}`)],
    ]),
    [
      ["box-2", 1, 0, 0, ["1 system.pty.close"]],
      [...["box-1", 5, 3, 1], ["2 system.pty.open", "1 system.command.execute", "1 system.pty.close"]],
    ],
  );

  const story = (await json("sandbox", "box-1")) as SandboxStory;
  const seqOf = (at: number) => story.steps[at]?.seq;
  assert.deepEqual(
    story.steps.map((step) =>
      step.kind !== "action"
        ? [step.place, step.kind, step.kind === "gap" ? step.dropped : step.attestation]
        : [step.place, step.type, step.route, step.status, step.placement, step.attestation, step.terminal?.other],
    ),
    [
      [1, "system.command.execute", "POST /command", "success", "execd", "sandbox-asserted", undefined],
      [2, "system.pty.open", "POST /pty", "success", "execd", "sandbox-asserted", null],
      [3, "system.pty.open", "POST /pty", "success", "execd", "sandbox-asserted", seqOf(4)],
      [4, "gap", 3],
      [5, "system.pty.close", "POST /pty", "failure", "execd", "sandbox-asserted", seqOf(2)],
    ],
  );
  const [first] = story.steps;
  assert.ok(first?.kind === "action");
  const hashOf = (value: typeof input | typeof output) => hashObject(value, nodeCrypto());
  assert.deepEqual([first.parametersHash, first.responseHash, first.limits], [hashOf(input), hashOf(output), LIMITS]);

  // It begins where the root stood, and that is a receipt of it.
  const record = (await json("list")) as { seq: number; hash: string; chainId: string; sequence: number }[];
  const { parentChainRef } = story;
  const parent = record.find(({ hash }) => hash === parentChainRef?.receipt_hash);
  assert.deepEqual(
    [parent?.chainId, parent?.sequence],
    [parentChainRef?.chain_id, parentChainRef?.sequence],
    "the root's receipt that it names",
  );
  assert.match(parent?.chainId ?? "", /:root$/);

  const { url, token } = await place.hub();
  const ask = async (path: string) => {
    const answer = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } });
    return { status: answer.status, body: (await answer.json()) as SandboxStory };
  };
  assert.deepEqual((await ask("/api/v1/sandboxes/box-1/story")).body, story);
  const pages: SandboxStory["steps"] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { body }: { body: SandboxStory } = await ask(`/api/v1/sandboxes/box-1/story?limit=3&after=${after}`);
    pages.push(...body.steps);
    after = body.next;
  }
  assert.deepEqual(pages, story.steps);
  assert.deepEqual((await ask("/api/v1/sandboxes?limit=1")).body, {
    sandboxes: [sandboxes[0]],
    next: sandboxes[0]?.firstSeq,
  });
  for (const [id, status] of [
    ["box-3", 404],
    ["box%3A1", 400],
  ] as const) {
    assert.equal((await ask(`/api/v1/sandboxes/${id}/story`)).status, status);
  }

  const { stdout: told } = await place.run("receipts", "sandbox", "box-1");
  assert.match(told, /^Sandbox box-1: 5 receipts on record\n {2}begins at receipt \d+ of the root chain, sha256:/);
  assert.match(told, /INCOMPLETE: 3 frames never came\n {2}INCOMPLETE: 1 terminal without an end\n/);
  assert.match(told, /Opened a terminal: success \(POST \/pty\)\n {3}nothing says that it was closed\n/);
  assert.match(told, /\n4 {2}\S+ \S+ {2}3 frames never came: something happened here that isn't on record\n/);
  assert.match(told, /What the emitters can't see:\n {2}Code in the sandbox can go round the proxy\.\n/);
  assert.equal((await place.run("receipts", "sandbox", "nobody")).code, 1);
  assert.equal((await place.run("receipts", "sandbox", "a:b")).code, 2);

  await hub.stop();
  const verified = await json("verify");
  assert.equal(verified.fault, null);
  const raw = await ledger(place);
  const open = raw.findIndex(
    ({ credentialSubject }) =>
      credentialSubject.action.type === "system.pty.open" && credentialSubject.correlation_id === "one",
  );
  assert.deepEqual(verified.advisories, [{ code: "incomplete_session", index: open, subject: "one" }]);
});

async function ledger(place: Place): Promise<Receipt[]> {
  const { stdout } = await place.run("receipts", "export", "--format", "jsonl");
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Receipt);
}
