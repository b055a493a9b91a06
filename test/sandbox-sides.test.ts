import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sandboxStepNotes, sandboxStepWords } from "@countersign/protocol/describe";
import type { SandboxStep, SandboxStory } from "@countersign/protocol/records";
import { Place } from "../packages/cli/test/countersign.ts";
import { emitFrames } from "../packages/cli/test/emit-frames.ts";
import { flowFrame, gapFrame } from "../packages/hub/test/support/egress-frames.ts";

const UID = process.getuid?.() ?? 0;
const BOX = "box-1";
const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4) + second * 1_000).toISOString();

interface Call {
  readonly route?: string;
  readonly type?: string;
  readonly from?: number;
  readonly to: number;
}

/** As the proxy in the sandbox tells a call, when it is over. */
function call({ route = "POST /command", type = "system.command.execute", from, to }: Call, more: object = {}): object {
  const started = from === undefined ? {} : { started_at: at(from) };
  return {
    ...{ channel: "opensandbox_execd", session_id: BOX, tool: { name: route, server: "execd" }, action_type: type },
    binding: { sandbox_id: BOX, endpoint: "/command", route, placement: "execd", ...started },
    ...{ ts_emit: at(to), ...more },
  };
}

function flow(from: number, set: object = {}, more: object = {}): object {
  return flowFrame(BOX, { started_at: at(from), ended_at: at(from + 2), ...set }, { ts_emit: at(from + 3), ...more });
}

const briefly = (step: SandboxStep): readonly unknown[] => [
  step.happenedAt.slice("2026-01-02T03:".length, -"00.000Z".length + 2),
  sandboxStepWords(step),
  ...(step.kind === "flow" ? [step.explained.kind === "none" ? step.explained.reason : step.explained.kind] : []),
];

test("a sandbox is told from both of its sides, in time order, with what explains its flows and what doesn't", async (t) => {
  const place = new Place(t);
  mkdirSync(place.home, { mode: 0o700 });
  const emitters = ["relay", "egress"].map((role) => ({ uid: UID, role }));
  writeFileSync(join(place.home, "config.json"), JSON.stringify({ receipts: { emitters } }), { mode: 0o600 });
  const hub = await place.serve();
  const slow = { bytes_out: 700, dst_port: 8_080, name: "mirror.example.org" };
  const flows = [
    flow(12, { name: "example.org" }),
    flow(35, { dst_addr: "10.0.0.53", dst_port: 53, protocol: "udp", bytes_out: 61 }),
    flow(
      40,
      { verdict: "blocked", bytes_out: 60, dst_addr: "169.254.169.254", dst_port: 80 },
      { enforcement: "enforced" },
    ),
    flow(14, { ...slow, bytes_out: 100, part: "interim", ended_at: undefined }),
    flow(14, { ...slow, ended_at: at(90) }),
    flow(5, { dst_port: 44_780, service: "relay" }),
    flow(55, { dst_port: 22 }),
    flow(300, { dst_port: 9_999, bytes_out: 1 }),
    gapFrame(BOX, { from: at(400), to: at(460) }, { drop_count: 3, ts_emit: at(460) }),
  ];
  await emitFrames(place, ...flows);
  const before = (await story(place)).steps.filter((step) => step.kind === "flow");
  assert.deepEqual(new Set(before.map(({ explained }) => explained.kind)), new Set(["none", "relay"]));

  // What is told from inside comes later, and explains what came before it.
  await emitFrames(
    place,
    ...[
      call({ from: 10, to: 20 }),
      call({ type: "system.pty.open", route: "POST /pty", from: 50, to: 50 }, { correlation_id: "pty:1" }),
    ],
    call({ type: "system.pty.close", route: "DELETE /pty/:id", to: 60 }, { correlation_id: "pty:1" }),
    call({ to: 200 }, { drop_count: 2 }),
  );
  const told = await story(place);
  assert.deepEqual(told.steps.map(briefly), [
    ["04:05", "Sent 1,234 bytes to 10.0.0.2:44780 (tcp)", "relay"],
    ["04:10", "Ran a command: success"],
    ["04:12", "Sent 1,234 bytes to 10.0.0.2:443 (tcp), example.org", "call"],
    ["04:14", "Sent 700 bytes to 10.0.0.2:8080 (tcp), mirror.example.org", "call"],
    ["04:35", "Sent 61 bytes to 10.0.0.53:53 (udp)", "between"],
    ["04:40", "Blocked: 169.254.169.254:80 (tcp)", "between"],
    ["04:50", "Opened a terminal: success"],
    ["04:55", "Sent 1,234 bytes to 10.0.0.2:22 (tcp)", "call"],
    ["05:00", "Closed a terminal: success"],
    ["07:20", "2 frames never came: something happened here that isn't on record"],
    ["07:20", "Ran a command: success"],
    ["09:00", "Sent 1 byte to 10.0.0.2:9999 (tcp)", "after-last"],
    ["10:40", "Nobody watched what left the sandbox for 1 min: no observer was running"],
    ["11:40", "3 frames of the observer's never came: flows were seen here that aren't on record"],
  ]);
  assert.deepEqual([told.unexplained, told.sandbox.steps, told.sandbox.receipts], [3, 14, 15]);
  assert.deepEqual([told.sandbox.dropped, told.sandbox.outside], [2, { flows: 7, blocked: 1, gaps: 1, dropped: 3 }]);
  const seqOf = (n: number) => told.steps[n]?.seq;
  const notes = told.steps.map((step) => sandboxStepNotes(step).filter((note) => !note.startsWith("recorded ")));
  assert.deepEqual(notes[3], [
    ...[
      `began while what receipt ${seqOf(1)} tells was under way`,
      `told by 2 receipts, ${Number(seqOf(3)) - 1} to ${seqOf(3)}`,
    ],
    "seen from outside of the sandbox",
  ]);
  assert.match(notes[7]?.[0] ?? "", new RegExp(`^began while what receipt ${seqOf(6)} tells was under way$`));

  // The same by the API, also in pages, and in words.
  const { url, token } = await place.hub();
  const ask = async (query: string) => {
    const path = `/api/v1/sandboxes/${BOX}/story?${query}`;
    const answer = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } });
    return (await answer.json()) as SandboxStory;
  };
  assert.deepEqual(await ask(""), told);
  const pages: SandboxStep[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: SandboxStory = await ask(`limit=5&after=${after}`);
    pages.push(...page.steps);
    after = page.next;
  }
  assert.deepEqual(pages, told.steps);
  const { stdout: lines } = await place.run("receipts", "sandbox", BOX);
  assert.match(
    lines,
    /INCOMPLETE: 2 frames never came\n {2}INCOMPLETE: 3 frames of the observer's never came\n {2}INCOMPLETE: nobody watched its network for a while\n/,
  );
  assert.match(lines, /UNEXPLAINED: no call recorded inside explains 3 flows \(marked !; it proves nothing\)\n/);
  assert.match(
    lines,
    /\n6 {2}\S+ \S+ {2}! Blocked: 169\.254\.169\.254:80 \(tcp\)\n {3}no call recorded inside explains this: none was under way when it began\n/,
  );
  const { stdout: list } = await place.run("receipts", "sandboxes");
  assert.match(list, /2 \(and 3 outside\)/);

  await hub.stop();
  // Whole, and nothing of what was seen from outside has an end to wait for.
  const verified = JSON.parse((await place.run("receipts", "verify", "--json")).stdout);
  assert.deepEqual([verified.fault, verified.advisories], [null, []]);
});

async function story(place: Place): Promise<SandboxStory> {
  const { code, stdout, stderr } = await place.run("receipts", "sandbox", BOX, "--json");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}
