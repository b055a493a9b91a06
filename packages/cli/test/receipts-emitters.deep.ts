import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Place } from "./countersign.ts";
import { emitFrames as emit, frameOfSandbox as ofSandbox } from "./emit-frames.ts";

const UID = process.getuid?.() ?? 0;

interface Listed {
  readonly seq: number;
  readonly type: string;
  readonly emitter: string | null;
  readonly sandbox: string | null;
  readonly session: string | null;
  readonly chainId: string;
}

/** A hub with an enrolled relay, two sandboxes, an emitter of its own, and a session of the name that they claim. */
async function withEmitters(t: TestContext): Promise<{ place: Place; stop(): Promise<unknown> }> {
  const place = new Place(t);
  mkdirSync(place.home, { mode: 0o700 });
  const emitters = [{ uid: UID, role: "relay" }];
  writeFileSync(join(place.home, "config.json"), JSON.stringify({ receipts: { emitters } }), { mode: 0o600 });
  const hub = await place.serve();
  await place.run("exec", "--session", "one", "--", "true");
  await emit(place, ofSandbox("box-1", "system.command.execute"));
  await emit(place, ofSandbox("box-2", "system.pty.open", { correlation_id: "c" }));
  await emit(place, ofSandbox("box-1", "system.command.execute", { drop_count: 3 }));
  await emit(place, { channel: "mcp", tool: { server: "github", name: "list" } });
  return { place, stop: () => hub.stop() };
}

test("list and tail find what emitters said, by sandbox and by type; a session that they claim isn't one", async (t) => {
  const { place } = await withEmitters(t);
  const listed = async (...args: readonly string[]): Promise<Listed[]> =>
    JSON.parse((await place.run("receipts", "list", "--json", ...args)).stdout);
  const all = await listed();
  const told = (found: readonly Listed[]) => found.map(({ type, emitter }) => [type, emitter]);
  const box = "sandbox:box-1";
  assert.deepEqual(told(await listed("--sandbox", "box-1")), [
    ["system.command.execute", box],
    ["agent_receipts.events_dropped", box],
    ["system.command.execute", box],
  ]);
  assert.deepEqual(told(await listed("--sandbox", "box-1", "--type", "agent_receipts.events_dropped")), [
    ["agent_receipts.events_dropped", box],
  ]);
  assert.deepEqual(told(await listed("--type", "mcp.github.list")), [["mcp.github.list", `uid:${UID}`]]);
  const inSession = await listed("--session", "one");
  assert.deepEqual(
    inSession.map(({ type, emitter }) => [type, emitter]),
    ["decided", "started", "ended"].map((type) => [type, null]),
  );
  assert.ok(all.filter(({ emitter }) => emitter !== null).every(({ session }) => session === null));
  assert.deepEqual(await listed("--sandbox", "box"), []);

  const { stdout } = await place.run("receipts", "list", "--sandbox", "box-2");
  assert.match(stdout, /^SEQ .*\n\d+ +\S+ \S+ +system\.pty\.open +\w+ +success +sandbox box-2\n$/);
  const newest = await place.run("receipts", "tail", "-n", "1", "--sandbox", "box-1", "--json");
  assert.equal((JSON.parse(newest.stdout) as Listed).seq, (await listed("--sandbox", "box-1")).at(-1)?.seq);

  const following = place.start(["receipts", "tail", "-f", "-n", "1", "--sandbox", "box-2", "--json"]);
  await place.until(async () => following.printed.split("\n").length === 2);
  await emit(place, ofSandbox("box-1", "system.pty.open"), ofSandbox("box-2", "system.pty.close"));
  await place.until(async () => following.printed.split("\n").length === 3);
  await following.stop("SIGINT");
  const followed = following.printed.trim().split("\n");
  assert.deepEqual(
    followed.map((line) => JSON.parse(line).type),
    ["system.pty.open", "system.pty.close"],
  );
});

test("a sandbox's receipts as a bundle, and all of them, verify on another machine; a report counts them", async (t) => {
  const { place, stop } = await withEmitters(t);
  await stop();
  const elsewhere = new Place(t);
  const key = join(place.home, "keys", "receipts.pub.pem");
  const exported = async (name: string, ...args: readonly string[]) => {
    const { code, stderr } = await place.run("receipts", "export", ...args);
    assert.equal(code, 0, stderr);
    copyFileSync(join(place.workspace, name), join(elsewhere.workspace, name));
    const verified = await elsewhere.run("receipts", "verify", name, "--trust", key, "--json");
    assert.equal(verified.code, 0, verified.stdout);
    return JSON.parse(verified.stdout);
  };
  const ofBox = await exported("box.json", "--bundle", "box.json", "--sandbox", "box-1");
  assert.deepEqual([ofBox.selection, ofBox.count, ofBox.unplaced], [true, 4, 0], "three, and the first of all");
  const all = await exported("all.jsonl", "--jsonl", "all.jsonl");
  assert.deepEqual(
    all.advisories.map(({ code, subject }: { code: string; subject: string }) => [code, subject]),
    [["incomplete_session", "c"]],
  );
  const session = await exported("one.json", "--bundle", "one.json", "--session", "one");
  assert.equal(session.count, 4, "what emitters claim to be of it isn't");

  const { figures } = JSON.parse((await place.run("report", "--from", "1h", "--json")).stdout);
  assert.deepEqual(figures.emitters, [
    { emitter: "sandbox:box-1", frames: 2, failed: 0, blocked: 0, unwatched: 0, dropped: 3 },
    { emitter: "sandbox:box-2", frames: 1, failed: 0, blocked: 0, unwatched: 0, dropped: 0 },
    { emitter: `uid:${UID}`, frames: 1, failed: 0, blocked: 0, unwatched: 0, dropped: 0 },
  ]);
  assert.deepEqual(
    figures.gaps.incomplete.map(({ code, emitter, subject }: Record<string, string>) => [code, emitter, subject]),
    [["incomplete_session", "sandbox:box-2", "c"]],
  );
});
