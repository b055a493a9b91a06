import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { outcomeSchema } from "@countersign/protocol/proposals";
import { decide } from "../src/hub-calls/decide.ts";
import { readHubState } from "../src/hub-calls/hub-state.ts";
import { listApprovals } from "../src/hub-calls/list-approvals.ts";
import { Place, type Running } from "./countersign.ts";
import { deepSubtest } from "./deep-test.ts";

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

  for (const [door, ...options] of [["the socket"], ["HTTP", "--url", url, "--cwd", place.workspace]] as const) {
    await t.test(`output comes as it is written, each stream to its own, over ${door}`, async () => {
      const command = "echo one; echo uno >&2; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 5";
      const proposed = place.start(["exec", ...options, "--", command]);
      assert.equal(await proposed.firstLine(), "one");
      writeFileSync(join(place.workspace, "go"), "");
      assert.deepEqual(await proposed.ended, { code: 5, stdout: "one\ntwo\n", stderr: "uno\n" });
      rmSync(join(place.workspace, "go"));
    });

    await t.test(`what fits under the cap comes whole and exact, over ${door}`, async () => {
      const command = "seq 1 120000; printf 'caf\\303\\251 \\377 end'";
      const { code, stdout, stderr } = await place.run("exec", ...options, "--", command);
      const numbers = Array.from({ length: 120_000 }, (_, index) => index + 1).join("\n");
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
      assert.ok(stdout === `${numbers}\ncafé \ufffd end`);
    });

    await t.test(`when nobody reads any more the run is withdrawn, over ${door}`, async () => {
      const proposed = place.start([
        "exec",
        ...options,
        "--",
        "while :; do echo line; echo error >&2; sleep 0.01; done",
      ]);
      await proposed.firstLine();
      proposed.child.stdout?.destroy();
      const { code, stderr } = await proposed.ended;
      assert.equal(code, 130);
      assert.match(stderr, /The command was stopped while it ran: Withdrawn by \w+\.\n$/);
      await place.running(0);
    });
  }

  await deepSubtest(t, "both ends closed is no crash", async () => {
    const proposed = place.start(["exec", "--", "while :; do echo line; echo error >&2; sleep 0.01; done"]);
    await proposed.firstLine();
    proposed.child.stdout?.destroy();
    proposed.child.stderr?.destroy();
    assert.equal((await proposed.ended).code, 130);
    await place.running(0);
  });

  await deepSubtest(t, "who reads slowly is told what was left out in the middle, and gets both ends", async () => {
    const command = "echo first; yes 0123456789abcde | head -c 60000000; echo last";
    const before = await exited();
    const proposed = place.start(["exec", "--", command]);
    proposed.child.stdout?.pause();
    while ((await exited()) === before) await new Promise((resolve) => setTimeout(resolve, 20));
    proposed.child.stdout?.resume();
    const { code, stdout, stderr } = await proposed.ended;
    assert.equal(code, 0);
    const omitted = [...stderr.matchAll(/^countersign: (\d+) bytes of stdout were left out here\.$/gm)];
    assert.ok(omitted.length > 0);
    const left = omitted.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
    assert.equal(stdout.length + left, 60_000_000 + "first\nlast\n".length);
    assert.ok(stdout.startsWith("first\n0123") && stdout.endsWith("last\n"));
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
    assert.match(wrong.stderr, /rejected this token/);
  });

  async function exited(): Promise<number> {
    return (await readHubState(await place.hub())).today.exited ?? 0;
  }

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
