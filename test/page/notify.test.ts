import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { PushMessage } from "@countersign/protocol/access";
import type { BrowserContext, Page } from "playwright-core";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import type { TestServer } from "../../packages/hub/test/support/open-server.ts";
import { Browser, PushService } from "../../packages/hub/test/support/push-service.ts";
import { cutAtWill, tryNow } from "./cut-at-will.ts";
import { type OpenPage, openSignedIn, seriousViolations, shot, signIn } from "./open-page.ts";
import { until } from "./until.ts";

/** Once the worker stands before the page. */
async function workerOf(page: Page): Promise<void> {
  await page.getByText("● live").waitFor();
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (navigator.serviceWorker.controller) return;
    await new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
  });
}

/** As a push service does: the worker gets it whether or not the page is open. */
async function deliver(page: Page, message: PushMessage | "garbage"): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      if (registrations[0]) resolve(registrations[0].registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const registrationId = await registered;
  const { origin } = new URL(page.url());
  const data = typeof message === "string" ? message : JSON.stringify(message);
  await session.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
  await session.detach();
}

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly actions: number;
}

/** What is shown once that is as a test wants it. */
function shown(page: Page, isWanted: (all: Shown[]) => boolean): Promise<Shown[]> {
  return until("notification like that", async () => {
    const all = await page.evaluate(async () => {
      const { getNotifications } = ServiceWorkerRegistration.prototype;
      const found = await getNotifications.call(await navigator.serviceWorker.ready);
      return found.map((one) => {
        const { actions = [] } = one as { actions?: unknown[] };
        return { title: one.title, body: one.body, tag: one.tag, actions: actions.length };
      });
    });
    return isWanted(all) ? all : undefined;
  });
}

const ONE = {
  kind: "waits",
  title: "codex asks · review",
  body: "npm test",
  count: 1,
  alert: true,
} satisfies PushMessage;

test("a page that somebody leaves open", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  await t.test(
    "the title says how many wait, the hub knows whether somebody looks, and with the hub away the page still shows itself",
    () => leftOpen(opened),
  );
  await t.test(
    "a push shows one notification without buttons; a later one takes its place, a click opens the approval, an answer takes it back",
    () => pushed(t, opened.server),
  );
});

async function leftOpen({ page, context, server, complaints }: OpenPage & { server: TestServer }): Promise<void> {
  await workerOf(page);
  void server.api("POST", "/api/v1/exec", { command: "touch secret-file" });
  await page.getByRole("link", { name: /touch secret-file/ }).waitFor();
  await page.waitForFunction(() => document.title === "(1) Countersign");
  await until("attention", async () => {
    // Whoever hasn't moved for a while may have gone.
    await page.mouse.move(10 + Math.random() * 100, 10);
    return server.hub.attention.looking;
  });
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await until("absence", () => !server.hub.attention.looking);
  const session = await context.newCDPSession(page);
  const { url, errors } = await session.send("Page.getAppManifest");
  assert.deepEqual({ url, errors }, { url: `${server.url}/manifest.webmanifest`, errors: [] });
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  const hindrances = installabilityErrors.map(({ errorId }) => errorId);
  assert.deepEqual(hindrances, ["in-incognito"], "nothing but that every test has a profile of its own");
  assert.deepEqual(complaints, []);
  await page.reload();
  await page.getByText("● live").waitFor();
  const kept = await page.evaluate(async () => {
    const cache = await caches.open("shell");
    const found: [string, string][] = [];
    for (const request of await cache.keys()) {
      found.push([new URL(request.url).pathname, (await (await cache.match(request))?.text()) ?? ""]);
    }
    return found;
  });
  for (const [path, text] of kept) {
    assert.match(path, /^\/$|^\/assets\/|^\/icon|^\/manifest\.webmanifest$/);
    assert.ok(!text.includes("secret-file") && !text.includes(server.token), path);
  }
  await context.setOffline(true);
  await page.reload();
  await page.getByText("The hub is unreachable.").waitFor();
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  assert.equal(await page.getByText("secret-file").count(), 0, "what waits isn't kept");
  await context.setOffline(false);
  await tryNow(page);
  await page.getByText("● live").waitFor();
}

async function pushed(t: TestContext, server: TestServer): Promise<void> {
  const { page, context } = await signIn(t, server, { name: "pushed" });
  await context.grantPermissions(["notifications"]);
  await workerOf(page);
  await lookAway(page);
  await deliver(page, ONE);
  const told = { title: "codex asks · review", body: "npm test", tag: "countersign", actions: 0 };
  assert.deepEqual(await shown(page, (all) => all.length > 0), [told]);
  await deliver(page, { ...ONE, title: "3 wait: 1 dangerous", body: "codex", count: 3 });
  assert.equal((await shown(page, ([one]) => one?.title === "3 wait: 1 dangerous")).length, 1);
  await deliver(page, { kind: "withdrawn" });
  assert.deepEqual(await shown(page, (all) => all.length === 0), []);
  await deliver(page, "garbage");
  assert.equal((await shown(page, (all) => all.length > 0))[0]?.body, "Something waits for you.");

  await deliver(page, { ...ONE, approvalId: "an id/../with?things" });
  await shown(page, ([one]) => one?.title === told.title);
  await click(context);
  await page.waitForURL(/#\/approval\/an%20id%2F\.\.%2Fwith%3Fthings$/);
  assert.deepEqual(await shown(page, (all) => all.length === 0), []);
}

/** Another tab in front, and no pretending that each has the focus. */
async function lookAway(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setFocusEmulationEnabled", { enabled: false });
  await (await page.context().newPage()).bringToFront();
  // Not by frames: a tab that nobody sees paints none.
  await page.waitForFunction(() => !document.hasFocus(), undefined, { polling: 10 });
  // The service worker hears of it later, and shows no notification while it takes the page for focused.
  const worker = await until("worker", () => page.context().serviceWorkers()[0]);
  await until("absence for the worker", () =>
    worker.evaluate(async () => {
      const { clients } = self as unknown as {
        clients: { matchAll(options: object): Promise<readonly { readonly focused: boolean }[]> };
      };
      const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
      return pages.every(({ focused }) => !focused);
    }),
  );
}

/** As somebody does it; no protocol can. */
async function click(context: BrowserContext): Promise<void> {
  const worker = await until("worker", () => context.serviceWorkers()[0]);
  await worker.evaluate(async () => {
    const scope = self as unknown as { registration: ServiceWorkerRegistration; dispatchEvent(event: Event): boolean };
    const { NotificationEvent } = self as unknown as {
      NotificationEvent: new (type: string, init: { notification: Notification | undefined }) => Event;
    };
    const [notification] = await scope.registration.getNotifications();
    scope.dispatchEvent(new NotificationEvent("notificationclick", { notification }));
  });
}

deepTest("a hub that comes back with another page says so, and the person loads it", async (t) => {
  const opened = await openSignedIn(t);
  if (opened === undefined) return;
  const { page, server } = opened;
  const connections = await cutAtWill(page);
  // So that what it asks first can't have been asked before somebody listens.
  await page.goto("about:blank");
  const first = page.waitForResponse((response) => response.request().method() === "HEAD");
  await page.goto(`${server.url}/#/inbox`);
  await page.getByText("● live").waitFor();
  assert.match((await (await first).headerValue("etag")) ?? "", /^".+"$/);
  connections.cut();
  await page.getByText("The hub is unreachable.").waitFor();
  await page.route("**/", async (route) => {
    if (route.request().method() !== "HEAD") return await route.continue();
    await route.fulfill({ status: 200, headers: { etag: '"another"' } });
  });
  await connections.mend();
  await page.getByText("The hub was updated, and this page is out of date.").waitFor();
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Load the new page" }).click()]);
});

/** Headless browsers have no push service: one that leads to ours, with keys of ours. */
async function withPushService(page: Page, browser: Browser): Promise<void> {
  await page.addInitScript((subscription) => {
    let current: object | null = null;
    const manager = {
      getSubscription: async () => current,
      subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
        const binary = atob(applicationServerKey.replaceAll("-", "+").replaceAll("_", "/"));
        const key = Uint8Array.from(binary, (character) => character.charCodeAt(0)).buffer;
        current = {
          options: { applicationServerKey: key },
          toJSON: () => subscription,
          unsubscribe: async () => {
            current = null;
          },
        };
        return current;
      },
    };
    Object.defineProperty(ServiceWorkerRegistration.prototype, "pushManager", { get: () => manager });
  }, browser.subscription);
}

deepTest("a device turns it on, tries it, says how it wants to be told, and turns it off", async (t) => {
  const service = await PushService.start(t);
  const browser = new Browser(service, "this-browser");
  const channels = { team: { kind: "webhook", reach: "this-machine", url: `${service.url}/hook` } };
  const config = { notify: { push: { reach: "this-machine" }, channels } };
  const opened = await openSignedIn(t, { config });
  if (opened === undefined) return;
  const { page, context, server, complaints } = opened;
  await context.grantPermissions(["notifications"]);
  await withPushService(page, browser);
  await page.goto(`${server.url}/#/notify`);
  await page.reload();
  const on = page.getByRole("button", { name: "Turn on for this device" });
  await on.focus();
  await page.keyboard.press("Enter");
  await page.getByText("On for this device.").waitFor();
  await page.getByRole("button", { name: "Send a test", exact: true }).click();
  await page.getByText("Sent. It should appear in a moment.").waitFor();
  assert.equal(browser.read(await service.got(1)).kind, "test");
  await page.getByRole("button", { name: "Send a test to team" }).click();
  assert.equal(JSON.parse((await service.got(2)).body.toString()).type, "test");

  await page.getByLabel("Show the text of dangerous commands").check();
  await page.getByLabel("Quiet hours").check();
  await page.getByLabel("from").fill("23:15");
  await page.getByLabel("After 30 seconds").check();
  const mine = async () => {
    const { body } = await server.api("GET", "/api/v1/notifications");
    return (body as { push: { subscriptions: Record<string, unknown>[] } }).push.subscriptions[0];
  };
  // One change after the other: the last of them has what came before.
  const { showDangerous, quiet } = await until("phone", async () => {
    const one = await mine();
    return one?.place === "phone" ? one : undefined;
  });
  assert.equal(showDangerous, true);
  assert.equal((quiet as { from?: string } | undefined)?.from, "23:15");
  await page.getByText("It is called last.").waitFor();
  assert.deepEqual(await seriousViolations(page), []);
  await shot(page, "notifications");
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, "notifications-phone");
  await page.getByRole("button", { name: "Turn off", exact: true }).click();
  await page.getByText("Off for this device.").waitFor();
  assert.equal(await mine(), undefined);
  assert.deepEqual(complaints, []);
});

deepTest(
  "on a phone, in the dark, without a push service: it is on while the page is open, and calls when it is hidden",
  async (t) => {
    const opened = await openSignedIn(t, { phone: true, dark: true, at: "#/notify" });
    if (opened === undefined) return;
    const { page, context, server } = opened;
    await context.grantPermissions(["notifications"]);
    await workerOf(page);
    await page.getByRole("button", { name: "Turn on for this device" }).tap();
    await page.getByText("On while this page is open.").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await shot(page, "notifications-phone-dark");
    await page.evaluate(() => {
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
    void server.api("POST", "/api/v1/exec", { command: "touch a" });
    const [told] = await shown(page, (all) => all.length > 0);
    assert.match(told?.title ?? "", /asks · review$/);
    void server.api("POST", "/api/v1/exec", { command: "touch b" });
    await shown(page, ([one]) => one?.title === "2 wait");
    const { body } = await server.api("GET", "/api/v1/approvals");
    const [first, second] = body as { approvalId: string }[];
    const deny = (id = "") => server.api("POST", `/api/v1/approvals/${id}/decision`, { decision: "deny" });
    await deny(first?.approvalId);
    assert.equal((await shown(page, ([one]) => /asks · review$/.test(one?.title ?? ""))).length, 1);
    await deny(second?.approvalId);
    assert.deepEqual(await shown(page, (all) => all.length === 0), []);
  },
);
