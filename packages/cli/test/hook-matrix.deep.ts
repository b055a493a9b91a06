import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import { AGENT_EVENTS, denialOf, EVENTS_WITHOUT_SENSE } from "./agent-events.ts";
import { FALSE_HUBS, standIn } from "./false-hub.ts";
import { HookPlace } from "./hook-fixture.ts";

/** An older one beside ours, where the machine has it: agents are installed with whatever there is. */
const SYSTEM_NODE = "/usr/bin/node";
const major = Number(/^v(\d+)/.exec(spawnSync(SYSTEM_NODE, ["--version"], { encoding: "utf8" }).stdout ?? "")?.[1]);
const NODES = [process.execPath, ...(major >= 18 ? [SYSTEM_NODE] : [])];

const AFTERWARDS: Readonly<Record<string, object>> = {
  "claude-code": { hook_event_name: "PostToolUse", tool_response: { stdout: "", stderr: "" } },
  codex: { hook_event_name: "PostToolUse", tool_response: "" },
  gemini: { hook_event_name: "AfterTool", tool_response: { llmContent: "" } },
  cursor: { hook_event_name: "afterShellExecution", output: "", duration: 1 },
};
const MODES = ["gate", "run"] as const;

for (const mode of MODES) {
  for (const node of NODES) {
    let place: HookPlace;
    const ends: (() => unknown)[] = [];
    before(async () => {
      const agents = Object.fromEntries(Object.keys(AGENT_EVENTS).map((agent) => [agent, { mode }]));
      place = await HookPlace.open({ after: (end) => ends.push(end) }, { "config.json": { agents } });
    });
    after(async () => {
      for (const end of ends) await end();
    });
    for (const [agent, event] of Object.entries(AGENT_EVENTS)) {
      const title = `${agent}, ${mode}, ${node}`;
      test(`${title}: what is safe goes on, and its end is taken without a word`, async () => {
        const asked = event(place.workspace, "ls");
        const ended = await place.hook(agent, asked, { node });
        assert.equal(denialOf(agent, ended), undefined);
        const isRewritten = ended.stdout.includes("countersign-sh.cjs");
        assert.equal(isRewritten, mode === "run" && agent !== "cursor");
        const over = await place.hook(agent, { ...asked, ...AFTERWARDS[agent] }, { node });
        assert.deepEqual(over, { code: 0, stdout: "", stderr: "" });
        const unheard = await place.hook(agent, { ...asked, ...AFTERWARDS[agent] }, { node, home: "/nowhere" });
        assert.deepEqual(unheard, { code: 0, stdout: "", stderr: "" });
      });
      if (mode === "run") continue;
      test(`${title}: whoever stands in for the hub, it is denied`, async (t) => {
        for (const [name, falseHub] of Object.entries(FALSE_HUBS)) {
          const home = await standIn(t, falseHub);
          const ended = await place.hook(agent, event(place.workspace, "ls"), { node, home, deadlineMs: 1_500 });
          assert.match(denialOf(agent, ended) ?? "", /couldn't decide/, name);
        }
        const nobody = await place.hook(agent, event(place.workspace, "ls"), { node, home: "/nowhere" });
        assert.match(denialOf(agent, nobody) ?? "", /the hub isn't running/);
      });
      test(`${title}: what makes no sense is denied`, async () => {
        const whole = JSON.stringify(event(place.workspace, "ls"));
        const cut = [1, 2, Math.floor(whole.length / 2), whole.length - 1].map((length) => whole.slice(0, length));
        for (const stdin of [...EVENTS_WITHOUT_SENSE, ...cut]) {
          const ended = await place.hook(agent, {}, { node, stdin });
          assert.notEqual(denialOf(agent, ended), undefined, stdin.slice(0, 60));
        }
        const open = await place.hook(agent, {}, { node, stdin: whole.slice(0, -1), open: true, deadlineMs: 500 });
        assert.notEqual(denialOf(agent, open), undefined);
        const long = event(place.workspace, `echo ${"x".repeat(10_000_000)}`);
        assert.notEqual(denialOf(agent, await place.hook(agent, long, { node })), undefined);
      });
    }
  }
}

test("fifty at once are all answered", async (t) => {
  const place = await HookPlace.open(t);
  const event = AGENT_EVENTS["claude-code"];
  assert(event);
  const asked = Array.from({ length: 50 }, () => place.hook("claude-code", event(place.workspace, "ls")));
  for (const ended of await Promise.all(asked)) assert.equal(denialOf("claude-code", ended), undefined);
});
