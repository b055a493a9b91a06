import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { alsoAsOrdinaryUser } from "../support/as-ordinary-user.ts";
import { type Serving, scratch, startServing } from "../support/serve-fixture.ts";

const OPEN = { security: "full", ask: "off", timeoutMs: 600_000 };

/** Undefined, and the reason is printed, where no jail can be built. */
async function jailed(t: TestContext, config?: object): Promise<Serving | undefined> {
  const at = scratch(t, OPEN);
  if (config) writeFileSync(join(at.homeDir, "config.json"), JSON.stringify(config));
  const s = await startServing(t, { at });
  const { warnings } = (await s.call("/api/v1/state")).body;
  const problem = warnings.find((text: string) => text.startsWith("Commands run without a jail"));
  if (problem === undefined) return s;
  t.skip(problem);
  return undefined;
}

/** In this jail, whoever has to allow it. */
async function run(s: Serving, jail: string, command: string) {
  const { body } = await s.propose(command, { jail }, { headers: { prefer: "respond-async" } });
  // One that is wider than the command needs is asked about.
  if (body.state === "pending") await s.decide(body.approvalId, "allow-once");
  const ended = await s.call(`/api/v1/exec/${body.proposalId}`, { headers: { prefer: "wait=60" } });
  return ended.body.outcome;
}

test("a user whose home doesn't exist, or is /, has jails all the same, with a private one", async (t) => {
  const before = process.env.HOME;
  t.after(() => {
    process.env.HOME = before;
  });
  process.env.HOME = "/nonexistent/home";
  if (!(await jailed(t))) return;
  process.env.HOME = "/";
  const s = await jailed(t);
  assert(s, "a jail was built for the one, and none for the other");
  for (const jail of ["read-only", "workspace", "open"]) {
    const { exitCode, stdout, stderr } = await run(s, jail, 'touch ~/made && ls -A "$HOME" && cd && pwd');
    const caches = jail === "read-only" ? "" : ".cache\n.local\n.npm\n";
    assert.deepEqual([exitCode, stdout, stderr], [0, `${caches}made\n/tmp/home\n`, ""], jail);
    assert.doesNotMatch((await run(s, jail, 'ls -A "$HOME"')).stdout, /made/, "nothing is kept");
  }
});

test("what is the kernel's own is read-only in every jail", async (t) => {
  const s = await jailed(t);
  if (!s) return;
  // Of several at one place the last is on top.
  const look = `declare -A tops
    while read -r _ _ _ _ at how _; do tops[$at]=\${how%%,*}; done < /proc/self/mountinfo
    for at in "\${!tops[@]}"; do case $at in /sys*) echo "\${tops[$at]}";; esac; done`;
  writeFileSync(join(s.workspace, "look.sh"), look);
  for (const jail of ["read-only", "workspace", "open"]) {
    const { stdout } = await run(s, jail, "bash look.sh | sort -u");
    assert.equal(stdout, "ro\n", jail);
  }
});

const WARNING = "A limit of runs isn't enforced in full here: ";
const LIMITS = { memoryBytes: 1024 ** 3, processes: 1000, cpuSeconds: 1000 };
for (const [how, config] of [
  ["configured", { tools: { limits: LIMITS } }],
  ["default", {}],
] as const)
  test(`${how} limits that don't hold in full are on the card, in the outcome and in the state`, async (t) => {
    const s = await jailed(t, config);
    if (!s) return;
    const { warnings } = (await s.call("/api/v1/state")).body;
    const told: string[] = warnings.filter((text: string) => text.startsWith(WARNING));
    const unheld = told.map((text) => text.replace(WARNING, "").replace(/\.$/, ""));
    // An ordinary user has no control groups, and without them memory is limited for each process only.
    const isPerProcess = unheld.some((text) =>
      text.startsWith(how === "default" ? "memoryBytes (default): " : "memoryBytes: "),
    );
    if (process.getuid?.() !== 0) assert.ok(isPerProcess || unheld.length === 0, unheld.join());
    const running = s.propose("true", { jail: "open" });
    const card = await s.asked();
    assert.deepEqual(card.unheld, unheld.length === 0 ? undefined : unheld);
    await s.decide(card.approvalId, "allow-once");
    const { reason } = (await running).body;
    const all = `This machine doesn't enforce every limit in full (${unheld.join("; ")}).`;
    assert.equal(reason, unheld.length === 0 ? undefined : all);
  });

alsoAsOrdinaryUser(import.meta.filename, "a user whose home");
