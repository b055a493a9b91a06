import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { type Attack, KINDS } from "../escape/attack.ts";
import { FILE_ATTACKS } from "../escape/attacks-on-files.ts";
import { MACHINE_ATTACKS } from "../escape/attacks-on-the-machine.ts";
import { WORKSPACE_ATTACKS } from "../escape/attacks-on-the-workspace.ts";
import { startChildHub, withLeak } from "../escape/child-hub.ts";
import { listenEverywhere } from "../escape/listeners.ts";
import { ALL, isShown, SHOWN, whatWorked, writeAttacks } from "../escape/try-attacks.ts";
import { giveTo, HUBS, makeWorld, SECRET, startAs, type World, whyNot } from "../escape/world.ts";

const ATTACKS: readonly Attack[] = [...FILE_ATTACKS, ...MACHINE_ATTACKS, ...WORKSPACE_ATTACKS];

for (const who of HUBS) {
  const skip = whyNot(who);
  test(`${who.name} hub: nothing gets out of a jail`, { skip }, async (t) => {
    const world = await makeWorld(t, who);
    const hub = await startChildHub(t, world);
    const listeners = await listenEverywhere(t, world);
    writeAttacks(world, hub, listeners, ATTACKS);
    giveTo(who.uid, world.workspace);
    for (const kind of KINDS) {
      await t.test(kind, async () => {
        const outcome = await hub.run(kind, `bash ${ALL}`);
        assert.equal(outcome.kind, "exited", JSON.stringify(outcome));
        const tried = ATTACKS.filter(({ kinds }) => kinds?.includes(kind) ?? true).map(({ name }) => name);
        assert.deepEqual(
          whatWorked(world, ATTACKS, outcome.stdout).filter((name) => tried.includes(name)),
          [],
        );
      });
    }
    await t.test("and all of it works without one", async () => {
      const worked = whatWorked(world, ATTACKS, await runUnjailed(world));
      const shown = ATTACKS.filter((attack) => isShown(attack, world)).map(({ name }) => name);
      assert.deepEqual(
        shown.filter((name) => !worked.includes(name)),
        [],
      );
    });
  });
}

/** As the hub's user, with all that the hub has. */
async function runUnjailed(world: World): Promise<string> {
  const [file = "", ...args] = [...startAs(world.who), ...withLeak(world), "bash", SHOWN];
  const child = spawn(file, args, {
    cwd: world.workspace,
    env: { PATH: process.env.PATH, HOME: world.home, WORD: SECRET },
    stdio: ["ignore", "pipe", "inherit"],
  });
  assert(child.stdout);
  return await text(child.stdout);
}
