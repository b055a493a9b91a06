import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { denyAll, propose } from "./asking.ts";
import { openSignedIn } from "./open-page.ts";
import { someMorning } from "./past-fixture.ts";

/** More stops than any view has. */
const MOST = 200;

interface Stop {
  /** Its place among all that can be operated, or -1. */
  readonly place: number;
  readonly name: string;
  readonly isMarked: boolean;
}

/** Numbers what somebody could operate with a pointer; what one stop holds together (radios, marks of a command) counts as one. */
function number(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const names: string[] = [];
    const held = new Map<string, number>();
    const all = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']");
    for (const one of all) {
      const element = one as HTMLElement & { disabled?: boolean; type?: string; name?: string };
      const isThere = element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
      if (!isThere || element.disabled || element.closest("[inert]")) continue;
      const group = element.type === "radio" ? `radio ${element.name}` : undefined;
      const known = group === undefined ? undefined : held.get(group);
      const place = known ?? names.length;
      if (known === undefined)
        names.push(element.textContent?.trim() || element.getAttribute("aria-label") || one.tagName);
      if (group !== undefined) held.set(group, place);
      element.dataset.place = `${place}`;
    }
    return names;
  });
}

function focused(page: Page): Promise<Stop | undefined> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement | null;
    if (element === null || element === document.body) return undefined;
    const isOutlined = (one: Element | null) => {
      if (one === null) return false;
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      return outlineStyle !== "none" && outlineWidth !== "0px";
    };
    const rect = element.getBoundingClientRect();
    const isOnScreen = rect.bottom > 0 && rect.right > 0 && rect.top < innerHeight && rect.left < innerWidth;
    return {
      place: Number(element.dataset.place ?? -1),
      name: element.textContent?.trim() || element.getAttribute("aria-label") || element.tagName,
      // A field that is only its label's shows it there.
      isMarked: isOnScreen && (isOutlined(element) || isOutlined(element.closest("label"))),
    };
  });
}

/** Tab from the top of the page, until it leaves it. */
async function walk(page: Page): Promise<Stop[]> {
  await page.evaluate(() => {
    (document.activeElement as HTMLElement | null)?.blur();
    getSelection()?.removeAllRanges();
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute("tabindex");
  });
  const stops: Stop[] = [];
  for (let n = 0; n < MOST; n += 1) {
    await page.keyboard.press("Tab");
    const stop = await focused(page);
    if (stop === undefined) return stops;
    // In a browser without a frame around the page it begins anew.
    if (stops.length > 0 && stop.place >= 0 && stop.place === stops[0]?.place) return stops;
    stops.push(stop);
  }
  assert.fail(`after ${MOST} stops it goes on: ${stops.slice(-5).map(({ name }) => name)}`);
}

deepTest("by Tab alone, everything that can be operated is reached, in the order of the page, and seen", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server } = opened;
  const entries = [{ pattern: "mkdir -p **", why: "builds make directories" }, { pattern: "bash **" }];
  // What waits does so until everything was walked through.
  for (const change of [
    { action: "allow", entries },
    { action: "set", settings: { timeoutMs: 1_800_000 } },
  ])
    await server.api("POST", "/api/v1/policy/edit", { profile: "default", change });
  await someMorning(server);
  const waits = propose(server, "touch waits && git add -A", { session: "tidy up" });
  await page.getByRole("link", { name: /touch waits/ }).waitFor();
  const approval = (await page.getByRole("link", { name: /touch waits/ }).getAttribute("href")) ?? "";
  for (const [at, ready] of [
    ["#/policy", page.getByText("mkdir -p **")],
    [approval, page.getByText("Preview changes")],
    ["#/today", page.getByText("Suggestions")],
    ["#/history", page.getByText("rm -rf dist")],
    ["#/receipts", page.getByText("fix login")],
    ["#/connect", page.getByText("Off for this device.")],
    ["#/more", page.getByText("Appearance")],
  ] as const) {
    await page.goto(`${server.url}/${at}`);
    await page.reload();
    await page.getByText("● live").waitFor();
    await ready.first().waitFor();
    const operable = await number(page);
    assert.ok(operable.length > 10, `${at}: ${operable.length} are too few to be all`);
    const stops = await walk(page);
    const reached = new Set(stops.map(({ place }) => place));
    assert.deepEqual(
      operable.filter((_, place) => !reached.has(place)),
      [],
      `${at}: can't be reached`,
    );
    const places = stops.map(({ place }) => place).filter((place) => place >= 0);
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
      `${at}: in the order of the page`,
    );
    assert.deepEqual(
      stops.filter(({ isMarked }) => !isMarked).map(({ name }) => name),
      [],
      `${at}: isn't seen where it is`,
    );
  }
  await denyAll(server);
  await waits;
});
