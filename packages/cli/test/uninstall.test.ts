import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { silentLog } from "@countersign/core/base";
import { type Served, serve } from "@countersign/hub";
import { readLedger } from "@countersign/store";
import { installHook } from "../src/agents/install.ts";
import type { Machine } from "../src/agents/machine.ts";
import { Place } from "./countersign.ts";

/** A user whose Claude Code asks, in their own settings and in a project's. */
async function connected(t: TestContext) {
  // Before the place goes, which is the next to clean up.
  const opened: Served[] = [];
  t.after(() => Promise.all(opened.map((served) => served.close())));
  const place = new Place(t);
  const user = dirname(place.home);
  mkdirSync(join(user, ".claude"));
  mkdirSync(join(place.workspace, ".claude"));
  const machine: Machine = { userHome: user, cwd: place.workspace, env: {}, platform: process.platform, root: "" };
  const where = { agent: "claude-code", home: place.home, node: process.execPath, machine } as const;
  const { settings } = await installHook({ ...where, scope: "user" }, { print: false });
  const project = (await installHook({ ...where, scope: "project" }, { print: false })).settings;
  const asks = (path: string) => readFileSync(path, "utf8").includes("countersign-hook");
  assert.ok(asks(settings) && asks(project));
  const open = async () => {
    const served = await serve({ homeDir: place.home, cwd: place.workspace, port: 0, log: silentLog });
    opened.push(served);
    return served;
  };
  return { place, settings, project, asks, open };
}

test("uninstall goes through the hub: refused while paused, then on record, signed, before the lines are gone", async (t) => {
  const { place, settings, project, asks, open } = await connected(t);
  const served = await open();
  await served.hub.pause({ id: "bootstrap", role: "approver", name: "ann", unattended: false, sameUser: false });
  const refused = await place.run("uninstall", "claude-code");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /paused/);
  assert.ok(asks(settings));
  await served.hub.resume({ id: "bootstrap", role: "approver", name: "ann", unattended: false, sameUser: false });

  const { stdout } = await place.run("uninstall", "claude-code");
  assert.match(stdout, /no longer asks: .*\nThat they were taken out is on record\.\n$/);
  assert.deepEqual([asks(settings), asks(project)], [false, true]);
  const inProject = JSON.parse((await place.run("uninstall", "claude-code", "--project", "--json")).stdout);
  assert.deepEqual([inProject.changed, inProject.recorded, asks(project)], [true, true, false]);
  const removed: unknown[] = [];
  for await (const { type, body } of readLedger(served.home.database)) {
    if (type === "adapter-removed") removed.push([body.agent, body.settings, body.assurance]);
  }
  assert.deepEqual(removed, [
    ["claude-code", settings, "device"],
    ["claude-code", project, "device"],
  ]);
});

test("where no hub runs, uninstall says that nothing was recorded", async (t) => {
  const { place, settings, asks } = await connected(t);
  const { stdout, code } = await place.run("uninstall", "claude-code");
  assert.equal(code, 0);
  assert.match(stdout, /no longer asks: .*\nNothing was recorded of this: no hub runs\.\n$/);
  assert.equal(asks(settings), false);
});
