import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type AgentKind, AgentRoom } from "./agent-room.ts";
import { type Fate, fatesOf } from "./fates.ts";
import type { ScriptedCall, ToolCall } from "./models/turn.ts";

/** How one agent names its tools, and what becomes of our words on their way to its model. */
export interface Spoken {
  readonly kind: AgentKind;
  readonly shell: (command: string) => ToolCall;
  readonly write: (path: string, content: string) => ToolCall;
  /** All that the model reads of a denial. */
  readonly told: (words: string, call: ToolCall) => string;
  /** How a shell's command that was allowed is run. */
  readonly enforcement: "jail" | "none";
  /** Whether it tells the exit code of what it ran itself; Codex doesn't. */
  readonly tellsCode?: boolean;
  /** Where that isn't what the agent gets by itself. */
  readonly mode?: "run" | "gate";
}

const PERSON = userInfo().username;
const NO_WAY_ROUND = "Do not reach the same effect another way; propose something else or ask.";

/**
 * What must hold with every agent: the safe passes without anyone, the asked waits for a person, the denied doesn't happen and the model reads
 * our words, files are gated like commands, all of it is on record; and without a hub nothing runs.
 */
export async function seeDecisions(t: TestContext, spoken: Spoken): Promise<void> {
  const room = await AgentRoom.open(t, spoken.kind);
  if (room === undefined) return;
  const { shell, write, told } = spoken;
  writeFileSync(join(room.workspace, "seen.txt"), "what was seen\n");
  await room.install();
  if (spoken.mode !== undefined) room.configure(spoken.mode);
  const hub = await room.serve();

  const denied = shell("touch denied.txt");
  const deniedFile = write(join(room.workspace, "denied-file.txt"), "two\n");
  const calls: ScriptedCall[] = [
    shell("cat seen.txt"),
    shell("touch approved.txt"),
    denied,
    shell("cat nonesuch.txt"),
    write(join(room.workspace, "approved-file.txt"), "one\n"),
    deniedFile,
  ];
  const run = await room.run(calls, [
    { when: "approved", answer: "approve" },
    { when: "denied.txt", answer: { deny: "not today" } },
    { when: "denied-file.txt", answer: { deny: "not there" } },
  ]);
  assert.deepEqual(run.strange, [], run.output);
  assert.equal(run.results.length, calls.length, run.output);
  const [safe = "", , refused, failed = "", , refusedFile] = run.results;
  assert.match(safe, /what was seen/);
  assert.equal(refused, told(`Denied by ${PERSON}: not today. ${NO_WAY_ROUND}`, denied));
  assert.match(failed, /No such file or directory/);
  assert.equal(refusedFile, told(`Denied by ${PERSON}: not there. ${NO_WAY_ROUND}`, deniedFile));
  assert.deepEqual(
    ["approved.txt", "denied.txt", "approved-file.txt", "denied-file.txt"].map((name) => room.file(name)),
    ["", undefined, "one\n", undefined],
  );
  assert.deepEqual(await fatesOf(room.place), expectedFates(spoken));
  await hub.stop();
  // Its own transcript tells of nothing else.
  const covered = await room.coverage();
  for (const [tool, made, recorded] of covered) assert.equal(recorded, made, `${tool} ${run.output}`);
  assert.deepEqual(
    covered.find(([tool]) => tool === "Bash"),
    ["Bash", 4, 4],
  );

  const alone = shell("touch alone.txt");
  const down = await room.run([alone]);
  const sentence = `Countersign couldn't decide, so this isn't allowed: the hub isn't running (${room.place.home}); start it with \`countersign serve\`.`;
  assert.deepEqual(down.results, [told(sentence, alone)], down.output);
  assert.equal(room.file("alone.txt"), undefined);
  // Nobody could put it on record: that is told.
  assert.deepEqual(
    (await room.coverage()).find(([tool]) => tool === "Bash"),
    ["Bash", 5, 4],
  );
}

function expectedFates({ enforcement, tellsCode = true }: Spoken): Fate[] {
  const reportedBy = enforcement === "jail" ? "hub" : "executor";
  const refused = { verdict: "deny", by: "person", ended: "denied", reportedBy: "hub" };
  const code = (exitCode: number) => (tellsCode ? `exited ${exitCode}` : "exited");
  return [
    { verdict: "allow", by: "policy", enforcement, ended: code(0), reportedBy },
    { verdict: "allow", by: "person", enforcement, ended: code(0), reportedBy },
    { ...refused, enforcement },
    { verdict: "allow", by: "policy", enforcement, ended: code(1), reportedBy },
    { verdict: "allow", by: "person", enforcement: "none", ended: "exited 0", reportedBy: "executor" },
    { ...refused, enforcement: "none" },
  ];
}
