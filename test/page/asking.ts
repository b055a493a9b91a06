import type { Outcome } from "@countersign/protocol/proposals";
import type { Page } from "playwright-core";
import type { TestServer } from "../../packages/hub/test/support/open-server.ts";

/** Proposes as an agent would; what becomes of it comes later. */
export function propose(server: TestServer, command: string, more: object = {}): Promise<Outcome> {
  const body = { command, cwd: server.workspace, session: "fix login", ...more };
  return server.api("POST", "/api/v1/exec", body).then((answer) => answer.body as Outcome);
}

/** Opens the card of this command from the list, and waits until it can be answered. */
export async function openCard(page: Page, command: string): Promise<void> {
  // By its text: a name of this kind is matched as a part.
  await page.getByRole("link", { name: command }).first().click();
  await page.getByRole("article", { name: "Approval" }).locator("figure pre").getByText(command).first().waitFor();
  await armed(page);
}

/**
 * A card that has just come can't be answered. For the page, that time goes by now: whenever it looks at its clock, it is much later than
 * the last time. What has been painted has its keys and its focus, too.
 */
export async function armed(page: Page): Promise<void> {
  await painted(page);
  await page.evaluate((stepMs) => {
    const before = performance.now.bind(performance);
    let gone = 0;
    performance.now = () => {
      gone += stepMs;
      return before() + gone;
    };
  }, LONG_MS);
}

/** Longer than whatever the page waits for before it takes something for settled. */
const LONG_MS = 10_000;

/** Until whatever stands in the document has been on screen once: only then a view listens to keys, and has moved the focus. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate(async () => {
    // A tab that nobody sees paints nothing, and goes on after a while.
    await new Promise((resolve) => {
      requestAnimationFrame(resolve);
      setTimeout(resolve, 1_000);
    });
    await new Promise((resolve) => setTimeout(resolve));
  });
}

/** From now on time goes by for what the page measures only where a test says so: `armed`. */
export async function stopTime(page: Page): Promise<void> {
  await page.evaluate(() => {
    const at = performance.now();
    performance.now = () => at;
  });
}

/** The same from the next load on: however slow the machine is, no time has gone by since the page came. */
export async function stopTimeFromStart(page: Page): Promise<void> {
  await page.addInitScript(() => {
    performance.now = () => 0;
  });
}

/** A card that can be answered by a key: its time is over, and its end was on screen. A key that comes earlier is lost. */
export async function answerable(page: Page): Promise<void> {
  await page.locator("#why-locked:empty").waitFor({ state: "attached" });
  await armed(page);
}

/** So that the next test finds an empty inbox. */
export async function denyAll(server: TestServer): Promise<void> {
  const { body } = await server.api("GET", "/api/v1/approvals");
  for (const { approvalId } of body as { approvalId: string }[]) {
    await server.api("POST", `/api/v1/approvals/${approvalId}/decision`, { decision: "deny" });
  }
}
