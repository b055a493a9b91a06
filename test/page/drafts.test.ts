import assert from "node:assert/strict";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { answerable, denyAll, openCard, propose } from "./asking.ts";
import { openSignedIn } from "./open-page.ts";

deepTest("what was typed on a card is still there after a look at another view or another card", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server } = opened;
  const outcome = propose(server, "touch wrong", { session: "edit" });
  const other = propose(server, "touch other", { session: "other" });
  const edit = page.getByRole("textbox", { name: /runs instead/ });
  const why = page.getByRole("textbox", { name: /Why/ });
  await openCard(page, "touch wrong");
  await page.getByRole("button", { name: "Edit" }).click();
  await edit.fill("touch right");
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await page.getByRole("button", { name: "Deny…" }).click();
  await why.fill("half a sent");
  for (const visit of [
    async () => {
      await page.goto("#/history");
      await page.getByLabel("Search").waitFor();
      await page.goto("#/inbox");
    },
    async () => await openCard(page, "touch other"),
  ]) {
    await visit();
    await openCard(page, "touch wrong");
    await page.getByRole("button", { name: "Deny…" }).click();
    assert.equal(await why.inputValue(), "half a sent");
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await page.getByRole("button", { name: "Edit (begun)" }).click();
    assert.equal(await edit.inputValue(), "touch right");
    await page.getByRole("button", { name: "Back", exact: true }).click();
  }
  await openCard(page, "touch other");
  await page.getByRole("button", { name: "Edit" }).click();
  assert.equal(await edit.inputValue(), "touch other", "each card has its own");
  await openCard(page, "touch wrong");
  await answerable(page);
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("button", { name: "Allow this once" }).and(page.locator('[aria-disabled="false"]')).click();
  assert.deepEqual((await outcome).edited, { by: "browser", command: "touch right" });
  await denyAll(server);
  await other;
});
