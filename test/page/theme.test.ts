import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { openSignedIn } from "./open-page.ts";

const LIGHT = "rgb(251, 251, 250)";
const DARK = "rgb(19, 19, 21)";

function ground(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
}

deepTest("light, dark or as the system has it: what was chosen holds at once and after a reload", async (t) => {
  const opened = await openSignedIn(t, { at: "#/more" });
  if (opened === undefined) return;
  const { page, complaints } = opened;
  const choice = (name: string) => page.getByRole("group", { name: "Appearance" }).getByRole("radio", { name });
  await choice("As the system").waitFor();
  assert.ok(await choice("As the system").isChecked());
  for (const [system, chosen, seen] of [
    ["light", "As the system", LIGHT],
    ["dark", "As the system", DARK],
    ["dark", "Light", LIGHT],
    ["light", "Dark", DARK],
    ["light", "As the system", LIGHT],
  ] as const) {
    await page.emulateMedia({ colorScheme: system });
    await choice(chosen).check();
    assert.equal(await ground(page), seen, `${chosen}, on a system that is ${system}`);
    await page.reload();
    await choice(chosen).waitFor();
    assert.ok(await choice(chosen).isChecked(), `${chosen} is still chosen`);
    assert.equal(await ground(page), seen, `${chosen}, after a reload`);
  }
  // Also where one goes next, and by keyboard.
  await choice("As the system").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.ok(await choice("Dark").isChecked());
  await page.goto("#/inbox");
  await page.getByText("Nothing waits").first().waitFor();
  assert.equal(await ground(page), DARK);
  assert.deepEqual(complaints, []);
});
