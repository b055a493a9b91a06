import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { opencodePlugin } from "../src/agents/opencode-plugin.ts";
import { Place } from "./countersign.ts";

/** What OpenCode calls of a plugin. */
interface Plugin {
  "tool.execute.before"(input: object, output: { args: { command: string } }): Promise<void>;
  "tool.execute.after"(input: object, output: object): Promise<void>;
  event(told: { event: object }): Promise<void>;
}

const HOOK = fileURLToPath(new URL("../hook/countersign-hook.cjs", import.meta.url));
const USE = { tool: "bash", sessionID: "ses_1", callID: "call_1" };

test("OpenCode's plugin denies whatever goes wrong, and answers for nothing that wasn't allowed", async (t) => {
  const place = new Place(t);
  const given = {
    agent: "opencode",
    node: process.execPath,
    hook: HOOK,
    home: place.home,
    deadlineMs: 20_000,
  } as const;
  const key = "a".repeat(43);

  async function load(name: string, settings: Partial<Parameters<typeof opencodePlugin>[0]>): Promise<Plugin> {
    const file = join(place.workspace, `${name}.mjs`);
    writeFileSync(file, opencodePlugin({ ...given, key, ...settings }));
    const { Countersign } = (await import(pathToFileURL(file).href)) as {
      Countersign(means: object): Promise<Plugin>;
    };
    const client = { postSessionIdPermissionsPermissionId: () => assert.fail("nothing was allowed") };
    return await Countersign({ client, directory: place.workspace });
  }

  const cases = {
    "no hub": [{}, /^Countersign couldn't decide, so this isn't allowed: the hub isn't running/],
    "no node": [
      { node: "/nonexistent/node" },
      /its hook can't be started \(ENOENT\); run `countersign install opencode`/,
    ],
    "no hook": [
      { hook: "/nonexistent/hook.cjs" },
      /^Countersign's hook failed, so this isn't allowed\. Its user can ask: countersign doctor$/,
    ],
    "no key": [{ key: "" }, /the hook wasn't given the hub's key/],
  } as const;
  for (const [name, [settings, says]] of Object.entries(cases)) {
    const plugin = await load(name.replace(" ", "-"), settings);
    const output = { args: { command: "touch made.txt" } };
    await assert.rejects(plugin["tool.execute.before"](USE, output), ({ message }: Error) => says.test(message), name);
    assert.equal(output.args.command, "touch made.txt");
    const asked = { id: "per_1", sessionID: USE.sessionID, tool: { callID: USE.callID } };
    await plugin.event({ event: { type: "permission.asked", properties: asked } });
    // What is over can't be denied: nothing of it is thrown into the agent.
    await plugin["tool.execute.after"]({ ...USE, args: output.args }, {});
  }
});
