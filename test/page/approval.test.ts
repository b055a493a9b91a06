import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { LOCAL_AGENT } from "@countersign/core/base";
import { armed, openCard, propose } from "./asking.ts";
import { openSignedIn, seriousViolations, shot } from "./open-page.ts";

test("an approval at a desk", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server, complaints } = opened;
  /** Past answers count where they were given. */
  const place = (name: string) => {
    const path = join(server.workspace, name);
    mkdirSync(path);
    return path;
  };

  await t.test("allowed once: said by whom and when, then its exit code; signed over what was shown", async () => {
    const cwd = place("web");
    mkdirSync(join(cwd, ".git"));
    writeFileSync(join(cwd, ".git", "HEAD"), "ref: refs/heads/main\n");
    const command = "touch made && while [ ! -e go ]; do sleep 0.02; done";
    const outcome = propose(server, command, { cwd, reason: "refresh snapshots after rename" });
    await page.getByText("1 waiting · 1 agent").waitFor();
    await openCard(page, "touch made");
    const card = page.getByRole("article", { name: "Approval" });
    await card.getByText("session “fix login”").waitFor();
    await card.getByText("(branch main)").waitFor();
    await card.getByText("refresh snapshots after rename").waitFor();
    await card.getByText("never asked about here").waitFor();
    await page.getByRole("button", { name: "Allow once" }).click();
    await page.getByText(/Allowed once by you, \d\d:\d\d · running…/).waitFor();
    writeFileSync(join(cwd, "go"), "");
    await page.getByText("exit code 0").waitFor();
    await page.getByRole("link", { name: "Its story and receipts" }).waitFor();
    await page.getByText("Nothing else waits.").waitFor();
    assert.equal((await outcome).kind, "exited");
    const decided = (await server.readLedger()).find(({ type }) => type === "decided");
    assert.deepEqual([decided?.body.assurance, decided?.body.person], ["device", "browser"]);
    assert.deepEqual(complaints, []);
  });

  await t.test("denied with a reason, which the agent is told; a chip fills the line", async () => {
    const outcome = propose(server, "touch unwanted");
    await openCard(page, "touch unwanted");
    await page.getByRole("button", { name: "Deny…" }).click();
    await page.getByRole("button", { name: "Wrong directory" }).click();
    const line = page.getByRole("textbox", { name: /Why/ });
    assert.equal(await line.inputValue(), "Wrong directory");
    await line.fill("use npm run clean");
    await line.press("Enter");
    await page.getByText(/Denied by you/).waitFor();
    const { kind, reason } = await outcome;
    assert.deepEqual([kind, reason], ["denied", "Denied by browser: use npm run clean"]);
  });

  await t.test(
    "each scope that is offered can be taken, after what it saves and would have covered is shown",
    async () => {
      const offers = page.getByRole("group", { name: "Allow more than once" }).getByRole("radio");
      for (let [n, count] = [0, 1]; n < count; n += 1) {
        // Each where none of the narrower ones holds.
        const cwd = place(`scope-${n}`);
        execFileSync("git", ["init", "-q", cwd]);
        writeFileSync(join(cwd, `made-${n}`), "");
        const ask = (command: string) => propose(server, command, { cwd, session: `scope ${n}` });
        const outcome = ask(`git add made-${n}`);
        await openCard(page, `git add made-${n}`);
        await page.getByRole("button", { name: "Allow more than once" }).click();
        await offers.first().waitFor();
        count = await offers.count();
        assert.equal(await page.getByRole("radio", { checked: true }).count(), 0, "none is chosen");
        await offers.nth(n).check();
        await page.getByText(/Would have covered/).waitFor();
        await page.getByRole("button", { name: "Allow and save" }).click();
        await page.getByText(/^Allowed by you/).waitFor();
        await page
          .getByText(/^Saved:/)
          .first()
          .waitFor();
        assert.equal((await outcome).kind, "exited");
        assert.match((await ask(`git add made-${n}`)).by ?? "", /^(entry|grant)$/, `offer ${n}`);
        assert.ok(count >= 7, `${count} are offered`);
        const { body: grants } = await server.api("GET", "/api/v1/grants");
        for (const { id } of grants as { id: string }[]) await server.api("DELETE", `/api/v1/grants/${id}`);
      }
    },
  );

  await t.test("an entry is edited, and tried as it is typed: what a person denied is named", async () => {
    const cwd = place("entries");
    const denied = propose(server, "touch precious", { cwd });
    await openCard(page, "touch precious");
    await page.getByRole("button", { name: "Deny…" }).click();
    await page.getByRole("button", { name: "Deny", exact: true }).click();
    await denied;
    const outcome = propose(server, "touch one", { cwd, session: "other" });
    await openCard(page, "touch one");
    await page.getByText("allowed 0×, 1 denied here").waitFor();
    await page.getByRole("button", { name: "Allow more than once" }).click();
    await page.getByRole("radio", { name: "This exact command, in this directory" }).check();
    const entry = page.getByRole("textbox", { name: "Entry" });
    await entry.fill("mkdir **");
    await page.getByText(/Can’t be saved/).waitFor();
    assert.equal(await page.getByRole("button", { name: "Allow and save" }).getAttribute("aria-disabled"), "true");
    await entry.fill("touch **");
    await page.getByText("1 of which somebody denied").waitFor();
    await page.getByText("Would also let through:").waitFor();
    await shot(page, "approval-scopes");
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByRole("button", { name: "Allow and save" }).click();
    await page.getByText("Saved: touch **").waitFor();
    assert.equal((await outcome).kind, "exited");
    assert.equal((await propose(server, "touch two", { cwd, session: "third" })).by, "entry");
  });

  await t.test("several entries can't be edited as one, and the card says why", async () => {
    const cwd = place("compound");
    const command = "mkdir -p several && touch entries";
    const outcome = propose(server, command, { cwd, session: "compound" });
    await openCard(page, command);
    await page.getByRole("button", { name: "Allow more than once" }).click();
    const offers = page.getByRole("group", { name: "Allow more than once" }).getByRole("radio");
    await offers.first().waitFor();
    const said = page.getByText("2 entries are saved, one for each command in it, and can’t be edited here");
    const entry = page.getByRole("textbox", { name: "Entry" });
    let several = 0;
    for (const offer of await offers.all()) {
      await offer.check();
      await entry.waitFor();
      const isSeveral = (await entry.inputValue()).includes("; ");
      assert.equal(await said.count(), isSeveral ? 1 : 0);
      if (isSeveral) assert.equal(await entry.getAttribute("readonly"), "");
      several += isSeveral ? 1 : 0;
    }
    assert.ok(several > 0);
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await page.getByRole("button", { name: "Deny…" }).click();
    await page.getByRole("button", { name: "Deny", exact: true }).click();
    assert.equal((await outcome).kind, "denied");
  });

  await t.test("edited and allowed: what it would do is told first, and that is what ran", async () => {
    const outcome = propose(server, "touch wrong");
    await openCard(page, "touch wrong");
    await page.getByRole("button", { name: "Edit" }).click();
    const text = page.getByRole("textbox", { name: /runs instead/ });
    await text.fill("rm -rf right");
    await page.getByRole("button", { name: /Hold to allow/ }).waitFor();
    await text.fill("touch right");
    await page.getByRole("button", { name: "Allow this once" }).and(page.locator('[aria-disabled="false"]')).click();
    await page.getByText(/Changed and allowed once by you/).waitFor();
    const { kind, edited } = await outcome;
    assert.deepEqual([kind, edited], ["exited", { by: "browser", command: "touch right" }]);
  });

  await t.test("something dangerous takes a second step, which says the worst and is held", async () => {
    const outcome = propose(server, "rm -rf made");
    await openCard(page, "rm -rf made");
    assert.equal(await page.getByRole("button", { name: "Allow once" }).count(), 0);
    const decisions = async () => (await server.readLedger()).filter(({ type }) => type === "decided").length;
    const before = await decisions();
    await page.getByRole("button", { name: "Review to allow" }).click();
    const hold = page.getByRole("button", { name: "Hold to allow once" });
    await hold.evaluate((button) => {
      // At once, however slow the machine is.
      for (const type of ["pointerdown", "pointerup", "click"])
        button.dispatchEvent(new PointerEvent(type, { bubbles: true }));
    });
    await shot(page, "approval-dangerous");
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByText(/, (in its jail|as you, without a jail)\./).waitFor();
    assert.equal(await decisions(), before, "a click is no hold");
    await hold.and(page.locator(":focus")).waitFor();
    await page.keyboard.down("Enter");
    await page.getByText(/Allowed once by you/).waitFor();
    await page.keyboard.up("Enter");
    assert.equal((await outcome).kind, "exited");
  });

  await t.test("the same question twice is one card: one is allowed, or all of them", async () => {
    const outcomes = [propose(server, "touch twice"), propose(server, "touch twice")];
    await page.getByText("×2 same question").waitFor();
    await openCard(page, "touch twice");
    await page.getByRole("button", { name: "Allow one" }).waitFor();
    await page.getByRole("button", { name: "Allow all 2" }).click();
    await page.getByText(/Allowed 2 times by you/).waitFor();
    for (const { kind } of await Promise.all(outcomes)) assert.equal(kind, "exited");
  });

  await t.test("tried out first: what it would change is shown with its lines, and nothing is kept", async (tried) => {
    const file = join(server.workspace, "kept");
    writeFileSync(file, "one\nother\n");
    const outcome = propose(server, "sed -i s/one/two/ kept && echo said", { session: "preview" });
    await openCard(page, "sed -i s/one/two/");
    const problem = (await server.hub.state()).warnings.find((text) => text.includes("without a jail"));
    if (problem !== undefined) return tried.skip(problem);
    await page.getByRole("button", { name: "Preview changes" }).click();
    const pane = page.getByRole("region", { name: "Preview" });
    await pane.getByText("It ended with exit code 0. It would create 0, change 1 and delete 0.").waitFor();
    await pane.getByText("-one", { exact: true }).waitFor();
    await pane.getByText("+two", { exact: true }).waitFor();
    await pane.getByText("It printed").click();
    await pane.getByText("said", { exact: true }).waitFor();
    await shot(page, "approval-preview");
    assert.deepEqual(await seriousViolations(page), []);
    assert.equal(readFileSync(file, "utf8"), "one\nother\n");
    await pane.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Allow once" }).click();
    assert.equal((await outcome).kind, "exited");
    assert.equal(readFileSync(file, "utf8"), "two\nother\n");
  });

  await t.test("another jail is chosen, and that is the one that it runs in", async (chosen) => {
    const outcome = propose(server, "touch jailed", { session: "jail" });
    await openCard(page, "touch jailed");
    const problem = (await server.hub.state()).warnings.find((text) => text.includes("without a jail"));
    if (problem !== undefined) return chosen.skip(problem);
    await page.getByRole("button", { name: "change", exact: true }).click();
    await page.getByLabel("Run it in this jail").selectOption("read-only");
    await page.getByText("read-only, chosen by you").waitFor();
    await armed(page);
    await page.getByRole("button", { name: "Allow once" }).click();
    await page.getByText("exit code 1").waitFor();
    assert.deepEqual([(await outcome).kind, existsSync(join(server.workspace, "jailed"))], ["exited", false]);
  });

  await t.test("what looks like a secret is hidden until somebody wants it, which is on record", async () => {
    const secret = `ghp_${"r3V3".repeat(9)}`;
    const outcome = propose(server, `echo ${secret} > token`, { session: "reveal" });
    await openCard(page, "> token");
    const card = page.getByRole("article", { name: "Approval" });
    assert.equal(await card.getByText("r3V3").count(), 0);
    await card.getByRole("button", { name: "Reveal" }).click();
    await card.locator("figure pre").getByText(secret).waitFor();
    assert.ok((await server.readLedger()).some(({ type }) => type === "revealed"));
    await page.locator("#why-locked:empty").waitFor({ state: "attached" });
    await armed(page);
    await page.getByRole("button", { name: "Allow once" }).click();
    assert.equal((await outcome).kind, "exited");
  });

  await t.test("what its agent runs itself says so, has no jail to choose and nothing to try out", async () => {
    const call = { executor: { kind: "external", enforcement: "none" }, card: {} } as const;
    const raw = { command: "touch outside", cwd: server.workspace, session: "gate" };
    const passed = server.hub.proposals.proposeByTool(raw, { ...LOCAL_AGENT, name: "codex" }, call);
    await openCard(page, "touch outside");
    const card = page.getByRole("article", { name: "Approval" });
    await card.getByText("none, codex runs this itself").waitFor();
    assert.equal(await card.getByRole("button", { name: /^change$|Preview/ }).count(), 0);
    await shot(page, "approval-gate");
    await page.getByRole("button", { name: "Allow once" }).click();
    await page.getByText(/Allowed once by you, .* · codex runs it/).waitFor();
    assert.ok(!("outcome" in (await passed)), "it is permitted, and whoever asked runs it");
  });

  await t.test("on a phone nothing is answered before the command's end was on screen", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("#/inbox");
    const decisions = async () => (await server.readLedger()).filter(({ type }) => type === "decided").length;
    const before = await decisions();
    const long = `touch ${Array.from({ length: 400 }, (_, n) => `file-${n}`).join(" ")}`;
    const outcome = propose(server, long, { session: "long" });
    await page.getByRole("link", { name: /touch file-0/ }).click();
    const allow = page.getByRole("button", { name: "Allow once" });
    await page.getByText("Scroll to the command’s end first.").waitFor();
    await armed(page);
    await allow.dispatchEvent("click");
    await shot(page, "approval-locked-phone");
    assert.equal(await decisions(), before);
    await page.getByText("What it would do").scrollIntoViewIfNeeded();
    await page.locator("#why-locked:empty").waitFor({ state: "attached" });
    await allow.click();
    await page.getByText(/Allowed once by you/).waitFor();
    assert.equal((await outcome).kind, "exited");
  });
});
