import assert from "node:assert/strict";
import { test } from "node:test";
import { type RunLimits, runLimits } from "@countersign/core/config";
import { type LimitFacts, limitArguments, limitsNotEnforced, unheldInWords } from "./limit-arguments.ts";

const GIB = 1024 ** 3;
const ALL: RunLimits = { cpuSeconds: 5, memoryBytes: 1000, processes: 50, fileBytes: 2000, tmpBytes: 3000 };
const WITH_GROUPS: LimitFacts = { prlimit: "/usr/bin/prlimit", controllers: ["memory", "pids"], kernel: "6.1.0" };
const WITHOUT_GROUPS: LimitFacts = { ...WITH_GROUPS, controllers: [] };

test("what groups hold isn't held a second time, and what they can't is", () => {
  const own = ["/usr/bin/prlimit", "--cpu=5:6", "--fsize=2000"];
  assert.deepEqual(limitArguments(ALL, WITH_GROUPS), [...own, "--core=0", "--"]);
  assert.deepEqual(limitArguments(ALL, WITHOUT_GROUPS), [...own, "--nproc=50", "--data=1000", "--core=0", "--"]);
  assert.deepEqual(limitArguments({}, WITHOUT_GROUPS), []);
  assert.deepEqual(limitArguments({ memoryBytes: 1, processes: 1, tmpBytes: 1 }, WITH_GROUPS), []);
});

test("an old kernel, or no prlimit: nothing is limited that would count what isn't the jail's", () => {
  const limited = (kernel: string) => limitArguments({ processes: 50 }, { ...WITHOUT_GROUPS, kernel }).length > 0;
  const kernels = ["4.19.0-26-amd64", "5.13.19", "5.14.0-427.el9.x86_64", "5.15.0", "6.1.0", "10.0.0"];
  assert.deepEqual(kernels.filter(limited), ["5.14.0-427.el9.x86_64", "5.15.0", "6.1.0", "10.0.0"]);
  assert.deepEqual(limitArguments(ALL, { ...WITHOUT_GROUPS, prlimit: undefined }), []);
});

test("what isn't held is said, and only of limits that were set", () => {
  const names = (limits: RunLimits, facts: LimitFacts) => limitsNotEnforced(limits, facts).map(({ limit }) => limit);
  assert.deepEqual(names(ALL, WITH_GROUPS), []);
  assert.deepEqual(limitsNotEnforced(ALL, WITHOUT_GROUPS), [
    {
      limit: "memoryBytes",
      why: "the hub may not make control groups: it holds for each process, not for all of a run together",
    },
  ]);
  assert.deepEqual(names(ALL, { ...WITHOUT_GROUPS, kernel: "5.10.0" }), ["memoryBytes", "processes"]);
  const nothing = { ...WITHOUT_GROUPS, prlimit: undefined };
  assert.deepEqual(names(ALL, nothing), ["cpuSeconds", "fileBytes", "memoryBytes", "processes"]);
  assert.deepEqual(names({ fileBytes: 1 }, nothing), ["fileBytes"]);
  assert.deepEqual(names({}, nothing), []);
});

test("without configuration a run leaves the machine a quarter of its memory; what is configured wins", () => {
  assert.deepEqual(runLimits({}, 16 * GIB), { memoryBytes: 12 * GIB, processes: 4096, tmpBytes: GIB });
  assert.deepEqual(runLimits({}, GIB), { memoryBytes: 0.75 * GIB, processes: 4096, tmpBytes: GIB / 4 });
  assert.deepEqual(runLimits(ALL, 16 * GIB), ALL);
});

test("default limits that aren't enforced in full are named like configured ones", () => {
  const why = "the hub may not make control groups: it holds for each process, not for all of a run together";
  const words = (configured: RunLimits) =>
    unheldInWords(limitsNotEnforced(runLimits(configured, 16 * GIB), WITHOUT_GROUPS), configured);
  assert.deepEqual(words({}), [`memoryBytes (default): ${why}`]);
  assert.deepEqual(words({ memoryBytes: GIB }), [`memoryBytes: ${why}`]);
  assert.deepEqual(unheldInWords(limitsNotEnforced(runLimits({}, GIB), WITH_GROUPS), {}), []);
});
