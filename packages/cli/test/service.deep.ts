import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { Place } from "./countersign.ts";

test("the unit is written once, starts a hub by its ExecStart alone, and goes", async (t) => {
  const place = new Place(t);
  const path = join(dirname(place.home), ".config/systemd/user/countersign.service");
  const nowhere = { XDG_RUNTIME_DIR: "/nonexistent" };
  const printed = await place.run("service", "install", "--print");
  assert.equal(existsSync(path), false);
  const made = await place.start(["service", "install"], nowhere).ended;
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /systemctl --user enable --now countersign\n.*@reboot '/);
  const unit = readFileSync(path, "utf8");
  assert(printed.stdout.endsWith(unit));
  assert.match((await place.start(["service", "install"], nowhere).ended).stdout, /^There is already/);

  const words = [...(/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "").matchAll(/"([^"]*)"/g)].map(([, word]) => word ?? "");
  const cwd = /^WorkingDirectory=(.*)$/m.exec(unit)?.[1];
  const [program = "", ...args] = words;
  // As systemd would: nothing of our environment.
  const hub = spawn(program, [...args, "--port", "0", "--json"], { cwd, env: {} });
  t.after(() => hub.kill("SIGKILL"));
  await place.until(() => Promise.resolve(existsSync(join(place.home, "run", "address"))));
  const status = await place.start(["service", "status", "--json"], nowhere).ended;
  const { installed, current, running } = JSON.parse(status.stdout);
  assert.deepEqual([status.code, installed, current, running], [0, true, true, true]);
  hub.kill("SIGTERM");
  assert.equal((await place.start(["service", "uninstall"], nowhere).ended).code, 0);
  assert.equal(existsSync(path), false);
});
