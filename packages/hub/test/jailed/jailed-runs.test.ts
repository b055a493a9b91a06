import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type TestContext, test } from "node:test";
import { besidesLimits } from "../support/limits-told.ts";
import { type Serving, startServing } from "../support/serve-fixture.ts";

const ASKS = { ask: "always", timeoutMs: 600_000 };
const OPEN = { security: "full", ask: "off" };

/** Undefined, and the reason is printed, where no jail can be built. */
async function jailedHub(t: TestContext, profile: object): Promise<Serving | undefined> {
  const s = await startServing(t, { profile });
  const { warnings } = (await s.call("/api/v1/state")).body;
  const problem = warnings.find((text: string) => text.startsWith("Commands run without a jail"));
  if (problem === undefined) return s;
  t.skip(problem);
  return undefined;
}

test("the card tells the jail, whom it reaches and which code it starts; the record too", async (t) => {
  const s = await jailedHub(t, ASKS);
  if (!s) return;
  writeFileSync(join(s.workspace, "a.sh"), "echo ran\n");
  const running = s.propose("bash a.sh");
  const { jail, network, lends, enforcement, code, approvalId } = await s.asked();
  assert.deepEqual([jail, network, lends, enforcement], ["workspace", [], [], "jail"]);
  assert.deepEqual(
    code?.map(({ path }: { path: string }) => path),
    [join(s.workspace, "a.sh")],
  );
  await s.decide(approvalId, "allow-once");
  const { kind, stdout } = (await running).body;
  assert.deepEqual([kind, stdout], ["exited", "ran\n"]);
});

test("code is run as it was hashed, also when the run itself changes the file", async (t) => {
  const s = await jailedHub(t, OPEN);
  if (!s) return;
  const script = join(s.workspace, "a.sh");
  writeFileSync(script, "echo x > a.sh; mv a.sh b.sh; rm a.sh; echo done\n");
  const { body } = await s.propose("bash a.sh");
  assert.deepEqual([body.kind, body.stdout], ["exited", "done\n"]);
  assert.match(readFileSync(script, "utf8"), /echo done/);
});

test("what is hidden, and what a link leads to elsewhere, isn't shown because it is called code", async (t) => {
  const s = await jailedHub(t, OPEN);
  if (!s) return;
  const outside = mkdtempSync("/var/tmp/countersign-outside-");
  t.after(() => rmSync(outside, { recursive: true }));
  const secret = join(outside, ".env");
  for (const path of [join(s.workspace, ".env"), secret]) writeFileSync(path, "hunter2\n", { mode: 0o600 });
  symlinkSync(".env", join(s.workspace, "a.sh"));
  symlinkSync(relative(s.workspace, secret), join(s.workspace, "b.sh"));
  for (const script of [".env", "a.sh", "b.sh"]) {
    const { body } = await s.propose(`bash ${script}; . ./${script}; cat ${script}`);
    assert.equal(body.kind, "exited", script);
    assert.doesNotMatch(body.stdout + body.stderr, /hunter2/, script);
  }
});

test("code behind a link of either kind is run as it was hashed", async (t) => {
  const s = await jailedHub(t, OPEN);
  if (!s) return;
  mkdirSync(join(s.workspace, "bin"));
  writeFileSync(join(s.workspace, "bin/a.sh"), "echo x > bin/a.sh; echo done\n");
  symlinkSync(join(s.workspace, "bin/a.sh"), join(s.workspace, "absolute.sh"));
  symlinkSync("bin/a.sh", join(s.workspace, "relative.sh"));
  symlinkSync(join(s.workspace, "bin"), join(s.workspace, "linked"));
  for (const script of ["absolute.sh", "relative.sh", "linked/a.sh", "bin/a.sh relative.sh"]) {
    const { body } = await s.propose(`bash ${script}`);
    assert.deepEqual([body.kind, body.stdout], ["exited", "done\n"], script);
    assert.match(body.stderr, /Read-only file system/);
  }
  symlinkSync("/bin/echo", join(s.workspace, "tool"));
  assert.equal((await s.propose("./tool hello")).body.stdout, "hello\n");
});

test("code that changed between the decision and the start isn't run", async (t) => {
  const s = await jailedHub(t, ASKS);
  if (!s) return;
  const script = join(s.workspace, "a.sh");
  writeFileSync(script, "echo one > made\n");
  const running = s.propose("bash a.sh");
  const { approvalId } = await s.asked();
  writeFileSync(script, "echo two > made\n");
  await s.decide(approvalId, "allow-once");
  const { kind, reason } = (await running).body;
  assert.deepEqual([kind, reason], ["not-started", `Not started: ${script} changed after the decision`]);
  assert.ok(!existsSync(join(s.workspace, "made")));
});

test("a person may choose another jail, and gets it", async (t) => {
  const s = await jailedHub(t, ASKS);
  if (!s) return;
  const running = s.propose("touch made");
  const { approvalId } = await s.asked();
  const path = `/api/v1/approvals/${approvalId}/decision`;
  const wrong = await s.call(path, { method: "POST", body: { decision: "allow-once", jail: "none" } });
  assert.equal(wrong.body.error.code, "INVALID_PARAMS");
  await s.call(path, { method: "POST", body: { decision: "allow-once", jail: "read-only" } });
  const { kind, exitCode, reason } = (await running).body;
  assert.deepEqual([kind, exitCode], ["exited", 1]);
  assert.equal(
    besidesLimits(reason),
    "It may have failed because of its jail (read-only): it wrote, and its jail is read-only.",
  );
});

test("what is hidden can't be read whoever allowed it, and the outcome says why", async (t) => {
  const s = await jailedHub(t, OPEN);
  if (!s) return;
  writeFileSync(join(s.workspace, ".env"), "TOKEN=x\n");
  const { exitCode, stdout, reason } = (await s.propose("cat .env")).body;
  assert.deepEqual([exitCode, stdout], [1, ""]);
  assert.equal(
    besidesLimits(reason),
    `It may have failed because of its jail (workspace): its jail hides ${s.workspace}/.env.`,
  );
});

test("a wider jail than the effects call for is asked about, whatever the policy allows", async (t) => {
  const s = await jailedHub(t, { ...OPEN, timeoutMs: 600_000 });
  if (!s) return;
  assert.equal((await s.propose("ls", { jail: "read-only" })).body.kind, "exited");
  const running = s.propose("ls", { jail: "open" });
  const { approvalId, jail } = await s.asked();
  assert.equal(jail, "open");
  await s.decide(approvalId, "deny");
  assert.equal((await running).body.kind, "denied");
});

test("what a run plants to start code is taken away, and told", async (t) => {
  const s = await jailedHub(t, OPEN);
  if (!s) return;
  const plant = `node -e 'const f=require("fs");f.mkdirSync("sub/.vscode",{recursive:true});f.writeFileSync("sub/a","")'`;
  const { body } = await s.propose(plant);
  assert.equal(
    besidesLimits(body.reason),
    `It left what would start code, which was taken away: ${s.workspace}/sub/.vscode.`,
  );
  assert.deepEqual(
    [existsSync(join(s.workspace, "sub/.vscode")), existsSync(join(s.workspace, "sub/a"))],
    [false, true],
  );
});

test("without a jail because the profile says so, everything says so", async (t) => {
  const s = await jailedHub(t, { ...ASKS, sandbox: "off" });
  if (!s) return;
  const running = s.propose("true");
  const { jail, network, enforcement, approvalId } = await s.asked();
  assert.deepEqual([jail, network, enforcement], ["none", undefined, "none"]);
  await s.decide(approvalId, "allow-once");
  assert.equal((await running).body.kind, "exited");
});
