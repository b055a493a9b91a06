import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "commander";
import { buildProgram } from "./program.ts";

const MOST = 60;

test(`every command's summary has at most ${MOST} characters`, () => {
  const below = ({ commands }: Command): readonly Command[] => commands.flatMap((one) => [one, ...below(one)]);
  const all = below(buildProgram(() => undefined));
  assert.ok(all.length > 50);
  const long = all.filter((command) => command.description().length > MOST || /[.;]$/.test(command.description()));
  assert.deepEqual(
    long.map((command) => `${command.name()}: ${command.description()}`),
    [],
  );
});
