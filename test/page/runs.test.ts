import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import type { TestServer } from "../../packages/hub/test/support/open-server.ts";
import { painted } from "./asking.ts";
import { cutAtWill } from "./cut-at-will.ts";
import { openSignedIn, seriousViolations, shot } from "./open-page.ts";
import { until as waitUntil } from "./until.ts";

const HOSTILE = String.raw`printf '<img src=x onerror=alert(1)>\n\033]8;;https://evil.example\033\\click\033]8;;\033\\\n\033]0;title\007\033[2J\033[31mred\033[0m and \033[1;42mloud\033[0m\n\342\200\256desrever\n 10 %%\r 50 %%\r100 %% done\n'; printf 'it \033[4mfailed\033[0m\n' >&2`;

/** What a test runner writes. */
const SHOWN = String.raw`printf '\033[1m Tests \033[0m login, session, tokens\n\n'; printf ' \033[32m✓\033[0m signs in with a key \033[2m(12 ms)\033[0m\n \033[32m✓\033[0m refuses a token that was revoked \033[2m(3 ms)\033[0m\n \033[31m✗\033[0m keeps the session over a restart\n \033[33m-\033[0m asks again after an hour \033[2m(skipped)\033[0m\n\n'; printf '\033[31mAssertionError\033[0m: expected \033[32m"open"\033[0m, got \033[31m"closed"\033[0m\n    at src/session.test.ts:41:12\n' >&2; printf '\n\033[7m FAIL \033[0m \033[1;31m2 failed\033[0m, \033[32m14 passed\033[0m, \033[44m 1 skipped \033[0m\n'`;

/** What only reads runs without a question. */
async function start(server: TestServer, command: string): Promise<void> {
  const { body } = await server.api("POST", "/api/v1/exec", { command });
  assert.equal((body as { by: string }).by, "policy");
}

function letGo({ workspace }: TestServer): void {
  writeFileSync(join(workspace, "go"), "");
}

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };

const until = (rest: string) => `while [ ! -e go ]; do sleep 0.02; done; ${rest}`;

const output = (page: Page) => page.getByRole("region", { name: "Output" });

test("a run shows up when it starts, its output as it comes, and how it ended; hostile output is text", async (t) => {
  const opened = await openSignedIn(t, { at: "#/runs" });
  if (opened === undefined) return;
  const { page, server, complaints } = opened;
  await page.getByText("No command runs at the moment.").waitFor();
  const ran = start(server, `${HOSTILE}; ${until("exit 3")}`);
  await page.getByRole("heading", { name: "1 running" }).waitFor();
  await page.getByRole("link", { name: /running.*printf/ }).press("Enter");
  await output(page).getByText("<img src=x onerror=alert(1)>").waitFor();
  await output(page).getByText("100 % done").waitFor();
  assert.equal(await output(page).locator("a, img").count(), 0);
  assert.equal(await output(page).locator(".ansi-fg-1").textContent(), "red");
  assert.equal(await output(page).locator(".ansi-bold.ansi-bg-2").textContent(), "loud");
  assert.equal(await output(page).locator(".unseen").textContent(), "U+202E");
  assert.equal(await output(page).locator(".stderr").textContent(), "!it failed");
  assert.equal(await page.title(), "Countersign");
  letGo(server);
  await page.getByText("Exit code 3", { exact: true }).waitFor();
  await ran;
  assert.match(
    (await page.getByRole("link", { name: "Its story and receipts" }).getAttribute("href")) ?? "",
    /^#\/story\/sha256/,
  );
  await page.getByRole("heading", { name: "Nothing runs" }).waitFor();
  // Whoever comes later has it from the record.
  await page.reload();
  await page.getByRole("region", { name: "Command" }).getByText("exit 3").waitFor();
  assert.equal(await output(page).locator(".stderr").textContent(), "!it failed");
  assert.deepEqual(complaints, []);
  await page.goto("#/runs/unknown");
  await page.getByText("The output of this run isn’t available.").waitFor();
});

deepTest(
  "100,000 lines: few of them are in the document, the end is in sight, and who scrolls up stays there",
  async (t) => {
    const opened = await openSignedIn(t, { at: "#/runs" });
    if (opened === undefined) return;
    const { page, server, complaints } = opened;
    const ran = start(server, `seq 100000; ${until("seq 100001 100500")}`);
    await page.getByRole("link", { name: /running.*seq/ }).click();
    await output(page).getByText("100000", { exact: true }).waitFor();
    await page.getByText("80,000 earlier lines aren’t kept here.").waitFor();
    assert.ok((await output(page).locator(".output-row").count()) < 150);
    const moving = await nextScroll(page);
    await output(page).press("PageUp");
    const follow = page.getByRole("button", { name: "Follow the end" });
    await follow.waitFor();
    // Where the key leads is moved to by and by: what is scrolled before that is added to it.
    await moving.evaluate(({ ended }) => ended);
    await output(page).evaluate((box) => box.scrollTo({ top: box.scrollHeight - 2_000, behavior: "instant" }));
    await output(page).getByText("99900", { exact: true }).waitFor();
    await painted(page);
    const seen = await firstInSight(page);
    letGo(server);
    await ran;
    await page.getByText("80,500 earlier lines aren’t kept here.").waitFor();
    // What was looked at is still there, though lines above it are gone.
    await waitUntil(`${seen} in sight`, async () => (await firstInSight(page)) === seen);
    await follow.press("Enter");
    await output(page).getByText("100500", { exact: true }).waitFor();
    await follow.waitFor({ state: "detached" });
    assert.deepEqual(complaints, []);
  },
);

function nextScroll(page: Page) {
  return output(page).evaluateHandle((box) => ({
    ended: new Promise<void>((resolve) => box.addEventListener("scrollend", () => resolve(), { once: true })),
  }));
}

function firstInSight(page: Page): Promise<string | undefined> {
  return output(page).evaluate((box) => {
    const { top } = box.getBoundingClientRect();
    const rows = [...box.querySelectorAll(".output-row")];
    return rows.find((row) => row.getBoundingClientRect().top >= top)?.textContent;
  });
}

deepTest("stopping asks once more, and what ended says who stopped it and why", async (t) => {
  const opened = await openSignedIn(t, { at: "#/runs" });
  if (opened === undefined) return;
  const { page, server } = opened;
  const ran = start(server, `echo begun; ${until("echo never")}`);
  await page.getByRole("link", { name: /running.*begun/ }).click();
  await output(page).getByText("begun").waitFor();
  await page.getByRole("button", { name: "Stop…" }).press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Stop…" }).click();
  await page.getByRole("textbox", { name: /Why/ }).fill("it waits for nothing");
  await page.keyboard.press("Enter");
  await page.getByText("Stopped by browser: it waits for nothing").waitFor();
  await ran;
  await page.getByRole("button", { name: /Stop/ }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Clear 1 ended" }).click();
  await page.getByText("No command runs at the moment.").waitFor();
});

deepTest("a lost connection: the output goes on where it was, nothing twice", async (t) => {
  const opened = await openSignedIn(t, { at: "#/runs" });
  if (opened === undefined) return;
  const { page, server } = opened;
  const connections = await cutAtWill(page);
  const ran = start(server, `echo before; ${until("echo after")}`);
  await page.getByRole("link", { name: /running.*before/ }).click();
  await output(page).getByText("before").waitFor();
  connections.cut();
  await page.getByText("The hub is unreachable.").waitFor();
  letGo(server);
  await ran;
  await connections.mend();
  await output(page).getByText("after").waitFor();
  await page.getByText("Exit code 0", { exact: true }).waitFor();
  assert.deepEqual(await output(page).locator(".output-row").allTextContents(), ["before", "after"]);
});

deepTest("runs at a desk, on a phone and in the dark; axe finds nothing serious", async (t) => {
  const opened = await openSignedIn(t, { at: "#/runs" });
  if (opened === undefined) return;
  const { server, page } = opened;
  const ran = Promise.all([start(server, until("true")), start(server, `${SHOWN}; ${until("exit 1")}`)]);
  await page.getByRole("heading", { name: "2 running" }).waitFor();
  await shot(page, "runs");
  await page.setViewportSize(PHONE);
  await shot(page, "runs-phone");
  await page.getByRole("link", { name: /running.*Tests/ }).click();
  await output(page).getByText("2 failed").waitFor();
  // On a phone lines are wrapped: nothing has to be looked for beside the screen.
  assert.ok(await output(page).evaluate((box) => box.scrollWidth <= box.clientWidth));
  await shot(page, "runs-phone-one");
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await seriousViolations(page), []);
  await shot(page, "runs-phone-one-dark");
  await page.setViewportSize(DESK);
  await shot(page, "runs-one-dark");
  letGo(server);
  await ran;
  await page.getByText("Exit code 1", { exact: true }).waitFor();
  await page.emulateMedia({ colorScheme: "light" });
  assert.deepEqual(await seriousViolations(page), []);
  await shot(page, "runs-one");
});
