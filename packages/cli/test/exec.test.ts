import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeSchema } from "@countersign/sdk";
import { decide } from "../src/connect/decide.ts";
import { listApprovals } from "../src/connect/list-approvals.ts";
import { Place, type Running } from "./countersign.ts";

test("without a hub: one sentence, and a code that no denial has", async (t) => {
  const place = new Place(t);
  const { code, stdout, stderr } = await place.run("exec", "--", "ls");
  assert.deepEqual(
    { code, stdout, stderr },
    {
      code: 125,
      stdout: "",
      stderr: `countersign: No hub is running for ${place.home}. Start one with \`countersign serve\`.\n`,
    },
  );
});

test("exec", async (t) => {
  const place = new Place(t);
  await place.serve();
  const { url } = await place.hub();

  const answerWith = async (decision: "allow-once" | "deny", reason?: string) => {
    await place.waiting(1);
    const hub = await place.hub();
    const [card] = await listApprovals(hub);
    assert(card);
    await decide(hub, { card, decision, reason }, { home: place.home });
    return card;
  };

  await t.test("a safe command runs, with its output and its code", async () => {
    assert.deepEqual(await place.run("exec", "--", "echo", "a  b", "$HOME"), {
      code: 0,
      stdout: "a  b $HOME\n",
      stderr: "",
    });
    const line = await place.run("exec", "echo one; echo two >&2; exit 7");
    assert.deepEqual(line, { code: 7, stdout: "one\n", stderr: "two\n" });
  });

  await t.test("options after the command are the command's", async () => {
    assert.deepEqual(await place.run("exec", "echo", "--json", "--help"), {
      code: 0,
      stdout: "--json --help\n",
      stderr: "",
    });
  });

  await t.test("--json prints the outcome, also over HTTP", async () => {
    const { code, stdout } = await place.run("exec", "--json", "--url", url, "--cwd", place.workspace, "--", "pwd");
    assert.equal(code, 0);
    const { kind, stdout: output, by } = outcomeSchema.parse(JSON.parse(stdout));
    assert.deepEqual({ kind, output, by }, { kind: "exited", output: `${place.workspace}\n`, by: "policy" });
  });

  await t.test("what a person denies ends with 126 and their words, made visible", async () => {
    const proposed = place.run("exec", "--reason", "tidy up", "--session", "s-1", "--", "rm", "-rf", "build");
    const card = await answerWith("deny", "use \x1b[1mnpm run clean");
    assert.deepEqual([card.command, card.reason, card.agentId], ["rm -rf build", "tidy up", "s-1"]);
    const { code, stdout, stderr } = await proposed;
    assert.deepEqual({ code, stdout }, { code: 126, stdout: "" });
    assert.match(
      stderr,
      /^countersign: Denied by \S+: use <U\+001B>\[1mnpm run clean\. Do not reach the same effect another way/,
    );
  });

  await t.test("a time limit ends it with 124", async () => {
    const proposed = place.run("exec", "--timeout", "200", "--", "sleep", "30");
    const { code, stderr } = await allowIfAsked(proposed);
    assert.equal(code, 124);
    assert.match(stderr, /ran out of time/);
  });

  await t.test("SIGINT withdraws what waits", async () => {
    const proposed = place.start(["exec", "--", "rm", "-rf", "build"]);
    await place.waiting(1);
    const { code, stderr } = await proposed.stop("SIGINT");
    assert.equal(code, 126);
    assert.match(stderr, /Withdrawn before it ran/);
    await place.waiting(0);
  });

  await t.test("SIGTERM stops what runs", async () => {
    const proposed = place.start(["exec", "--", "sleep", "30"]);
    const { code } = await stopOnceItRuns(proposed);
    assert.equal(code, 130);
    await place.running(0);
  });

  await t.test("an invalid proposal is our failure, not the command's", async () => {
    const { code, stderr } = await place.run("exec", "--cwd", "/nowhere/at/all", "--", "ls");
    assert.equal(code, 125);
    assert.match(stderr, /^countersign: cwd: .*doesn't exist\n$/);
    assert.equal((await place.run("exec", "--timeout", "soon", "ls")).code, 2);
    assert.equal((await place.run("exec")).code, 2);
  });

  await t.test("a token isn't sent in clear over a network, and a wrong one is said", async () => {
    const clear = await place.run("exec", "--url", "http://example.invalid:1", "ls");
    assert.equal(clear.code, 125);
    assert.match(clear.stderr, /can't be used as a hub's address/);
    const wrong = await place.start(["pending"], { COUNTERSIGN_TOKEN: "wrong-token" }).ended;
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /doesn't know this token/);
  });

  /** Whether `sleep` is asked about is the policy's affair, not this test's. */
  async function allowIfAsked<T>(proposed: Promise<T>): Promise<T> {
    const hub = await place.hub();
    let over = false;
    const ended = proposed.finally(() => {
      over = true;
    });
    while (!over) {
      for (const card of await listApprovals(hub))
        await decide(hub, { card, decision: "allow-once" }, { home: place.home });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return await ended;
  }

  async function stopOnceItRuns(proposed: Running) {
    const stopped = place.running(1).then(() => proposed.stop());
    return await allowIfAsked(stopped);
  }
});
