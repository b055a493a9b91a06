import assert from "node:assert/strict";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { openSignedIn, seriousViolations, shot, signIn } from "./open-page.ts";
import { agentOf, answered, someMorning } from "./past-fixture.ts";

deepTest(
  "what is always allowed is suggested, saved when somebody wants it, signed, and asked about no more",
  async (t) => {
    const opened = await openSignedIn(t, { at: "#/today" });
    if (opened === undefined) return;
    const { page, server } = opened;
    const claude = await agentOf(server, "claude-code");
    for (const session of ["a", "b", "c"]) {
      await answered(server, claude.propose("touch made", "web", { session }), { decision: "allow-once" });
    }
    await page.reload();
    await page.getByText(/You allowed touch made 3 times in web \(3 sessions, never denied\)/).waitFor();
    await shot(page, "today-suggestion");
    await page.getByRole("button", { name: "Always allow it here" }).click();
    await page.getByText("Saved.").waitFor();
    assert.equal(((await claude.propose("touch made")) as { by?: string }).by, "entry");
    const changed = (await server.readLedger()).findLast(({ type }) => type === "policy-changed");
    assert.equal(changed?.body.assurance, "device");
    await page.reload();
    await page.getByText("4 ran").first().waitFor();
    await page.getByText(/You allowed/).waitFor({ state: "detached" });
  },
);

deepTest(
  "an entry that is too broad is suggested for removal, and removed when somebody wants it, signed",
  async (t) => {
    const opened = await openSignedIn(t);
    if (opened === undefined) return;
    const { page, server } = opened;
    const change = { action: "allow", entries: [{ pattern: "bash **" }, { pattern: "mkdir -p **" }] };
    assert.equal((await server.api("POST", "/api/v1/policy/edit", { profile: "default", change })).status, 200);
    await page.goto(`${server.url}/#/today`);
    const suggestion = page.getByRole("region", { name: "Suggestions" }).getByRole("listitem");
    await suggestion.getByText(/bash \*\*: It is too broad.* Remove it\?$/).waitFor();
    assert.equal(await suggestion.count(), 1, "what is neither broad nor old stays");
    await suggestion.getByRole("button", { name: "Not now" }).click();
    await suggestion.waitFor({ state: "detached" });
    const changes = async () => (await server.readLedger()).filter(({ type }) => type === "policy-changed");
    const before = (await changes()).length;
    await page.reload();
    await suggestion.getByRole("button", { name: "Remove it" }).click();
    await suggestion.getByText("Removed.").waitFor();
    const made = await changes();
    assert.equal(made.length, before + 1, "putting it off changed nothing");
    assert.deepEqual([made.at(-1)?.body.removed, made.at(-1)?.body.assurance], [["bash **"], "device"]);
    await suggestion.getByRole("link", { name: "See the policy" }).click();
    const entries = page.getByRole("list", { name: "Entries" });
    await entries.getByText("mkdir -p **").waitFor();
    assert.equal(await entries.getByText("bash **").count(), 0);
  },
);

deepTest("today stands at a desk, on a phone and in the dark, and axe finds nothing serious", async (t) => {
  const opened = await openSignedIn(t, { at: "#/inbox" });
  if (opened === undefined) return;
  const { server } = opened;
  await someMorning(server);
  const claude = await agentOf(server, "<i>claude</i>");
  await answered(server, claude.propose("cp /dev/null /tmp/countersign-page-test"), { decision: "allow-once" });
  for (const phone of [false, true]) {
    const { page } = await signIn(t, server, { at: "#/today", phone });
    await page.getByText("Could change, outside its workspace").first().waitFor();
    assert.equal(await page.locator("main i").count(), 0);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousViolations(page), []);
      await shot(page, `today${phone ? "-phone" : ""}${colorScheme === "dark" ? "-dark" : ""}`);
    }
  }
});
