import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { BIN, Place, Running } from "./countersign.ts";

const BWRAP = "/usr/bin/bwrap";
/** In a mount namespace of its own, where bubblewrap is no program. */
const HIDDEN = ["--mount", "sh", "-c", `mount --bind /dev/null ${BWRAP} && exec "$@"`, "sh"];

function whyNot(): string | false {
  if (!existsSync(BWRAP)) return false;
  const tried = spawnSync("unshare", [...HIDDEN, "true"]);
  return tried.status === 0 ? false : "needs root to hide bubblewrap: run as root";
}

function startWithout(place: Place, ...args: string[]): Running {
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: place.workspace, COUNTERSIGN_HOME: place.home };
  const [program = "", ...more] = existsSync(BWRAP) ? ["unshare", ...HIDDEN, process.execPath] : [process.execPath];
  return new Running(spawn(program, [...more, BIN, ...args], { cwd: place.workspace, env }));
}

const SAYS =
  /^Approved commands run without a jail: they can do all that you can, whatever their card says \(.*bwrap.*\)\.$/;
const REMEDY = /^ {2}→ .*install bubblewrap|-S bubblewrap|add bubblewrap/;

test("serve without bubblewrap says in its first lines what that means and how to fix it", {
  skip: whyNot(),
}, async (t) => {
  const place = new Place(t);
  for (const start of ["first", "later"]) {
    const hub = startWithout(place, "serve", "--port", "0");
    await hub.firstLine();
    const { stdout } = await hub.stop();
    const [, says = "", remedy = ""] = stdout.split("\n");
    assert.match(says, SAYS, start);
    assert.match(remedy, REMEDY, start);
  }
});

test("doctor without bubblewrap begins with it, and never says that all is well", { skip: whyNot() }, async (t) => {
  const place = new Place(t);
  const never = await startWithout(place, "doctor").ended;
  const hub = startWithout(place, "serve", "--json", "--port", "0");
  await hub.firstLine();
  const running = await startWithout(place, "doctor").ended;
  await hub.stop();
  for (const { stdout, stderr } of [never, running]) {
    const [says = "", remedy = ""] = stdout.split("\n");
    assert.match(says, /^note {4}jail: Approved commands run without a jail: /, stdout + stderr);
    assert.match(remedy, /^ {8}→ .*bubblewrap/, stdout);
    assert.doesNotMatch(stdout, /All is well/);
    assert.match(
      stdout,
      /\nEverything else works\. Approved commands run without a jail: the first line says how to fix it\.\n$/,
    );
  }
});

test("doctor says that the running hub has no jail, also when one can be built now", { skip: whyNot() }, async (t) => {
  if (!existsSync(BWRAP)) return t.skip("needs bubblewrap: apt install bubblewrap");
  const place = new Place(t);
  const hub = startWithout(place, "serve", "--json", "--port", "0");
  await hub.firstLine();
  const { stdout } = await place.run("doctor");
  await hub.stop();
  const [says = "", remedy = ""] = stdout.split("\n");
  assert.match(says, /^note {4}jail: Approved commands run without a jail: .*bwrap/, stdout);
  assert.match(remedy, /^ {8}→ restart the hub/);
  assert.doesNotMatch(stdout, /All is well/);
});

test("doctor tries a jail for a home that was never served", { skip: whyNot() }, async (t) => {
  if (!existsSync(BWRAP)) return t.skip("needs bubblewrap: apt install bubblewrap");
  const broken = ["--mount", "sh", "-c", `mount --bind /bin/false ${BWRAP} && exec "$@"`, "sh", process.execPath];
  const place = new Place(t);
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: place.workspace, COUNTERSIGN_HOME: place.home };
  const { stdout } = await new Running(spawn("unshare", [...broken, BIN, "doctor"], { cwd: place.workspace, env }))
    .ended;
  assert.match(stdout, /^note {4}jail: Approved commands run without a jail: /);
  assert.doesNotMatch(stdout, /All is well/);
});
