import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { SDK_SURFACE, Surface } from "../../packages/execd-dev/test/sdk-surface.ts";
import { allowAll, type GatedExecd, openGated, TOKEN } from "./gated-execd.ts";

describe("the official SDK, gated, with a person who allows everything", { concurrency: 4 }, () => {
  const ends: (() => unknown)[] = [];
  let gated: GatedExecd;
  let surface: Surface;
  let person: ReturnType<typeof allowAll>;
  before(async () => {
    gated = await openGated({ after: (end: () => unknown) => void ends.unshift(end) } as never);
    person = allowAll(gated.server);
    surface = new Surface({ url: gated.url, token: TOKEN, directory: gated.directory, isGated: true });
  });
  after(async () => {
    await surface.close();
    await person.stop();
    for (const end of ends) await end();
    assert.ok(person.asked.some((command) => command.startsWith("sandbox:box-1 session ")));
    assert.ok(person.asked.some((command) => command.startsWith("sandbox:box-1 files\n")));
    assert.ok(gated.frames.every(({ enforcement }) => enforcement === "advisory"));
  });
  for (const step of SDK_SURFACE) test(step.name, () => step.run(surface));
});
