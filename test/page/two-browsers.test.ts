import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { answerable, propose } from "./asking.ts";
import { openSignedIn, signIn } from "./open-page.ts";

const ROUNDS = 6;

/** Opens the card, up to the last click before an answer. */
async function ready(page: Page, command: string): Promise<void> {
  await page.getByRole("link", { name: command }).first().click();
  await page.getByRole("article", { name: "Approval" }).locator("figure pre").getByText(command).waitFor();
  await answerable(page);
}

/** From within, so that nothing but the click itself is left to do. */
function click(page: Page, name: string): Promise<void> {
  return page.getByRole("button", { name, exact: true }).dispatchEvent("click");
}

/** How the card ended, as it stands there. */
async function ending(page: Page): Promise<string> {
  const told = page.locator(".ended > p").first();
  await told.waitFor();
  return (await told.innerText()).replace(/,.*/s, "");
}

deepTest("two browsers answer the same card at once: one answer counts, and both say whose", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page: desk, server, complaints } = opened;
  const phone = await signIn(t, server, { name: "Ann’s phone", phone: true });
  const winners = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const command = `touch together-${round}`;
    const outcome = propose(server, command, { session: `round ${round}` });
    for (const page of [desk, phone.page]) await page.goto("#/inbox");
    await Promise.all([ready(desk, command), ready(phone.page, command)]);
    await phone.page.getByRole("button", { name: "Deny…" }).click();
    await phone.page.getByRole("button", { name: "Deny", exact: true }).waitFor();
    // Whoever is asked first isn't always the first to be heard.
    const clicks = [() => click(desk, "Allow once"), () => click(phone.page, "Deny")];
    if (round % 2 === 1) clicks.reverse();
    await Promise.all(clicks.map((one) => one()));

    const { kind, approvalId } = await outcome;
    const entries = (await server.readLedger()).filter(({ type, body }) => {
      return type === "decided" && body.approvalId === approvalId;
    });
    assert.equal(entries.length, 1, "one of them is on record");
    const { verdict, person, assurance } = entries[0]?.body ?? {};
    const isDesk = person === "browser";
    assert.deepEqual(
      [verdict, person, assurance, kind],
      isDesk ? ["allow", "browser", "device", "exited"] : ["deny", "Ann’s phone", "device", "denied"],
    );
    assert.deepEqual(
      [await ending(desk), await ending(phone.page)],
      isDesk ? ["Allowed once by you", "Allowed once by browser"] : ["Denied by Ann’s phone", "Denied by you"],
    );
    for (const page of [desk, phone.page]) {
      const answers = page.getByRole("article", { name: "Approval" }).getByRole("button", { name: /Allow|Deny/ });
      assert.equal(await answers.count(), 0);
    }
    winners.add(String(person));
  }
  t.diagnostic(`counted: ${[...winners].join(", ")}`);
  assert.deepEqual([complaints, phone.complaints], [[], []]);
});
