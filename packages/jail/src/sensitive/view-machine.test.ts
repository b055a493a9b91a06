import assert from "node:assert/strict";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { PlaceStep } from "../plan/jail-view.ts";
import type { HiddenPath } from "./hidden-paths.ts";
import { type ViewFacts, viewMachine } from "./view-machine.ts";

const FACTS: ViewFacts = {
  plan: { kind: "workspace", hosts: [], opensGit: false, reads: [], writes: [], removes: [] },
  cwd: "/work",
  roots: ["/work"],
  hidden: ["/home", "/root", "/tmp"],
  predicted: [],
  opened: [],
  inHome: { shown: [], hidden: [] },
  lent: [],
  secrets: [],
  steps: [],
  scratchBytes: 1,
};

const hide = (path: string): HiddenPath => ({ do: "hide", path, kind: "directory" });

test("what is hidden for one reason isn't shown for another", () => {
  const steps: PlaceStep[] = [
    { do: "pin", path: "/work/own" },
    { do: "pin", path: "/work/own/keys" },
    { do: "read-only", path: "/work/.git" },
  ];
  const { steps: settled } = viewMachine({ ...FACTS, steps, secrets: [hide("/work/own")] });
  assert.deepEqual(settled, [{ do: "read-only", path: "/work/.git" }, hide("/work/own")]);
});

test("of the home what is listed is shown, from where it really is, without its secrets and with what is lent", () => {
  const home = homedir();
  const [cargo, gh] = [join(home, ".cargo"), join(home, ".config/gh")];
  const hidden = [hide(join(cargo, "credentials")), hide(join(cargo, "lent"))];
  const facts = { ...FACTS, hidden: [home], inHome: { shown: [{ path: cargo, source: "/data/cargo" }], hidden } };
  const { shown, steps } = viewMachine({ ...facts, lent: [gh, join(cargo, "lent")] });
  assert.deepEqual(shown, [
    { path: cargo, source: "/data/cargo", writable: false },
    { path: gh, source: undefined, writable: false },
  ]);
  assert.deepEqual(steps, [hide(join(cargo, "credentials"))]);
});
