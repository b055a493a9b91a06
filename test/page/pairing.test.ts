import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { PairingView } from "@countersign/protocol/access";
import type { Page } from "playwright-core";
import { deepTest } from "../../packages/cli/test/deep-test.ts";
import { FakeClock } from "../../packages/hub/test/support/fake-clock.ts";
import { openServer, type TestServer } from "../../packages/hub/test/support/open-server.ts";
import { openCard } from "./asking.ts";
import { openAnonymous, openBrowser, openContext, openSignedIn, seriousViolations, shot, signIn } from "./open-page.ts";

/** Opens a link of the hub's terminal, gives the browser a name, and tells what the terminal then shows. */
async function claim(page: Page, { url, pairing }: TestServer, name: string) {
  const { code } = await pairing.start();
  await page.goto(`${url}/#pair=${code}`);
  await page.getByLabel("Call it").fill(name);
  await page.keyboard.press("Enter");
  const view = await pairing.see(code, { waitMs: 25_000 });
  assert.equal(view.state, "claimed");
  const claimant = view as Extract<PairingView, { state: "claimed" }>;
  const { check } = claimant;
  const shown = `${check.slice(0, 3)} ${check.slice(3)}`;
  await page.getByText(shown, { exact: true }).waitFor();
  return { code, claimant, shown };
}

/** What the browser keeps of the hub. */
const KEPT = () =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open("countersign", 1);
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const got = request.result.transaction("device").objectStore("device").get("this");
      got.onsuccess = () => {
        const device = got.result as { name: string; key: { privateKey: CryptoKey } } | undefined;
        resolve(device && { name: device.name, extractable: device.key.privateKey.extractable });
      };
    };
  });

test("a browser that nobody knows", async (t) => {
  if ((await openBrowser(t)) === undefined) return;
  const server = await openServer(t);
  const { page, complaints } = await openAnonymous(t, server.url);

  await t.test(
    "a link, a name, the same number on both sides, y: and this browser decides, with a key that stays in it",
    async () => {
      await page.goto(server.url);
      await page.getByText("countersign pair").waitFor();
      const { code, claimant } = await claim(page, server, "Desk <b>");
      assert.deepEqual(await seriousViolations(page), []);
      await server.pairing.confirm(code, claimant);
      await page.getByText("● live").waitFor();
      // The code is gone from the address.
      await page.waitForURL(({ hash }) => hash === "#/inbox");
      assert.deepEqual(await page.evaluate(KEPT), { name: "Desk <b>", extractable: false });
      assert.deepEqual(await page.evaluate(() => ({ ...localStorage, cookie: document.cookie })), {
        theme: "system",
        cookie: "",
      });

      const proposed = server.api("POST", "/api/v1/exec", { command: "touch made-here" });
      await openCard(page, "touch made-here");
      // Of a card that is gone nothing can be looked up any more.
      await page.getByText("never asked about here").waitFor();
      await page.getByRole("button", { name: "Allow once" }).click();
      await proposed;
      const decided = (await server.readLedger()).filter(({ type }) => type === "decided");
      assert.match(JSON.stringify(decided), /"assurance":"device"/);

      const { code: second } = await server.pairing.start();
      await page.goto(`${server.url}/#pair=${second}`);
      await page.getByText("Desk <b> already").waitFor();
      await page.getByRole("button", { name: "Continue without pairing" }).click();
      await page.getByText("● live").waitFor();
      assert.deepEqual(complaints, []);
    },
  );

  // From then on another page of the same browser, which has the token and the key.
  await t.test("a page on another port of this machine can do nothing, even with a token", async () => {
    const hostile = createServer((_, response) =>
      response.setHeader("content-type", "text/html").end("<body>hostile</body>"),
    );
    hostile.listen(0, "127.0.0.1");
    await once(hostile, "listening");
    t.after(() => hostile.close());
    const { code } = await server.pairing.start();
    await page.goto(`http://127.0.0.1:${(hostile.address() as AddressInfo).port}/`);
    const got = await page.evaluate(
      async ({ url, token, code: stolen }) => {
        const outcome = (promise: Promise<unknown>) =>
          promise.then(
            () => "done",
            () => "blocked",
          );
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        const claim = JSON.stringify({
          code: stolen,
          name: "x",
          publicKey: "A".repeat(43),
          secret: "sixteen-or-more-characters",
        });
        const socket = (path: string) =>
          new Promise((resolve) => {
            const made = new WebSocket(url.replace("http", "ws") + path);
            made.onopen = () => resolve("done");
            made.onerror = () => resolve("blocked");
          });
        const framed = await new Promise((resolve) => {
          const frame = document.createElement("iframe");
          frame.onload = () => resolve(frame.contentDocument === null ? "opaque" : "readable");
          frame.src = url;
          document.body.append(frame);
        });
        const simple = await fetch(`${url}/api/v1/pairing/claim`, { method: "POST", mode: "no-cors", body: claim });
        const form = document.createElement("form");
        const target = document.createElement("iframe");
        target.name = "sink";
        document.body.append(target, form);
        Object.assign(form, { method: "post", action: `${url}/api/v1/pause`, target: "sink", enctype: "text/plain" });
        const submitted = new Promise((resolve) => target.addEventListener("load", resolve, { once: true }));
        form.submit();
        await submitted;
        return {
          read: await outcome(fetch(`${url}/api/v1/state`, { headers })),
          health: await outcome(fetch(`${url}/healthz`)),
          pause: await outcome(fetch(`${url}/api/v1/pause`, { method: "POST", headers, body: "{}" })),
          claim: await outcome(
            fetch(`${url}/api/v1/pairing/claim`, {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: claim,
            }),
          ),
          simple: simple.type,
          sockets: [await socket("/ws"), await socket("/")],
          framed,
        };
      },
      { url: server.url, token: server.token, code },
    );
    assert.deepEqual(got, {
      read: "blocked",
      health: "blocked",
      pause: "blocked",
      claim: "blocked",
      simple: "opaque",
      sockets: ["blocked", "blocked"],
      framed: "opaque",
    });
    assert.equal(await page.frames()[1]?.locator("#app").count(), 0, "nothing of ours is in the frame");
    assert.equal(((await server.api("GET", "/api/v1/state")).body as { paused: unknown }).paused, null);
    assert.equal((await server.pairing.see(code, { waitMs: 0 })).state, "open", "nobody has claimed the code");
  });
});

test("a link that nobody confirms in two minutes is void, and the page says so", async (t) => {
  if ((await openBrowser(t)) === undefined) return;
  const clock = new FakeClock();
  const server = await openServer(t, {}, clock);
  const { page } = await openAnonymous(t, server.url);
  await page.clock.setFixedTime(clock.wallMs());
  await claim(page, server, "late");
  await page.getByText("· 2:00").waitFor();
  clock.advance(121_000);
  await page.getByText("Nobody confirmed in time").waitFor();
});

deepTest("one page lets another in, and cuts it off again; what is cut off says so", async (t) => {
  const opened = await openSignedIn(t, { at: "#/connect" });
  if (opened === undefined) return;
  const { page, server, complaints } = opened;
  await page.getByRole("button", { name: "Pair a phone or browser" }).click();
  const link = await page.getByText(/#pair=/).textContent();
  const { page: phone } = await openAnonymous(t, server.url, { phone: true });
  await phone.goto(link ?? "");
  await phone.getByLabel("Call it").fill("Phone");
  await phone.getByRole("button", { name: "Pair this browser" }).click();
  const number = (await phone.locator(".pair-check").textContent()) ?? "";
  await page.getByRole("dialog").getByText(number.trim()).waitFor();
  assert.deepEqual(await seriousViolations(page), []);
  await shot(page, "pair-compare");
  await shot(phone, "pair-number-phone");
  await page.getByRole("button", { name: "The same: pair it" }).click();
  await phone.getByText("● live").waitFor();
  await page.getByRole("button", { name: "Done" }).click();

  const row = page.getByRole("listitem").filter({ hasText: "Phone" });
  await row.getByText("connected").waitFor();
  await row.getByRole("button", { name: "Revoke Phone" }).click();
  await row.getByRole("button", { name: "Revoke Phone now" }).click();
  await row.waitFor({ state: "detached" });
  await phone.getByText("rejects this device").waitFor();
  await phone.getByRole("button", { name: "Sign out" }).click();
  await phone.getByText("This device was revoked").waitFor();
  assert.equal(await phone.evaluate(KEPT), undefined);
  assert.deepEqual(complaints, []);
});

deepTest("a token can be pasted; what that is worth is said; signing out forgets the key", async (t) => {
  if ((await openBrowser(t)) === undefined) return;
  const server = await openServer(t);
  const { page } = await openAnonymous(t, server.url);
  await page.goto(server.url);
  await page.getByText("Use a token instead").click();
  await page.getByText("anyone else who has this token can answer as you").waitFor();
  await page.getByLabel("Token", { exact: true }).fill("wrong-token-of-nobody");
  await page.keyboard.press("Enter");
  await page.getByText("The hub rejects this token.").waitFor();
  const { token } = await server.makeToken("approver", "pasted");
  await page.getByLabel("Token", { exact: true }).fill(token);
  await page.keyboard.press("Enter");
  await page.getByText("● live").waitFor();
  await page.goto(`${server.url}/#/connect`);
  await page.getByRole("button", { name: "Sign out…" }).click();
  await page.getByRole("button", { name: "Sign out and revoke" }).click();
  await page.getByText("This browser’s token is revoked").waitFor();
  assert.equal(await page.evaluate(KEPT), undefined);
  assert.equal((await server.api("GET", "/api/v1/state", undefined, token)).status, 401);

  // The first token has a signer already: another browser's word counts as the token's.
  await server.api("POST", "/api/v1/devices", { deviceId: "cli", name: "cli", publicKey: "A".repeat(43) });
  await page.getByText("Use a token instead").click();
  await page.getByLabel("Token", { exact: true }).fill(server.token);
  await page.keyboard.press("Enter");
  await page.getByText("● live").waitFor();
  await page.goto(`${server.url}/#/connect`);
  await page.getByText("aren’t signed: this browser came with a token").waitFor();
});

deepTest("over TLS on a network's address, as a phone comes: paired, live, and as secure as at home", async (t) => {
  if ((await openBrowser(t)) === undefined) return;
  const server = await openServer(t, {}, undefined, { host: "127.0.0.2", tls: true });
  const origin = server.addresses.addresses.find(({ from }) => from === "network")?.origin ?? "";
  // That our CA vouches for it is tested where the CA is; no test of ours changes what this machine's browser trusts.
  const context = await openContext(t, { ignoreHTTPSErrors: true, viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  const { code, claimant } = await claim(page, { ...server, url: origin }, "Phone");
  await server.pairing.confirm(code, claimant);
  await page.getByText("● live").waitFor();
  assert.equal(await page.evaluate(() => isSecureContext), true);
  const desk = await signIn(t, server, { at: "#/connect" });
  await desk.page.getByRole("button", { name: "Pair a phone or browser" }).click();
  await desk.page.getByRole("img", { name: "A code that opens the pairing link" }).waitFor();
  assert.match((await desk.page.getByText(/#pair=/).textContent()) ?? "", new RegExp(`^${origin}/#pair=`));
  await shot(desk.page, "pair-phone");
  const [, left = ""] = /#pair=(.*)/.exec((await desk.page.getByText(/#pair=/).textContent()) ?? "") ?? [];
  const voided = desk.page.waitForResponse((response) => response.request().method() === "DELETE");
  await desk.page.keyboard.press("Escape");
  await voided;
  assert.equal((await server.pairing.see(left, { waitMs: 0 })).state, "refused", "a link that was put away is void");
});

deepTest(
  "a number that isn't the same lets nobody in, and the page says so; at a desk, in the dark, on a phone",
  async (t) => {
    if ((await openBrowser(t)) === undefined) return;
    const server = await openServer(t);
    for (const look of [{}, { phone: true, dark: true }]) {
      const { page } = await openAnonymous(t, server.url, look);
      const named = (what: string) => `${what}${look.phone ? "-phone" : ""}${look.dark ? "-dark" : ""}`;
      await page.goto(server.url);
      await page.getByText("Use a token instead").click();
      assert.deepEqual(await seriousViolations(page), []);
      await shot(page, named("sign-in"));
      const { code } = await claim(page, server, "stranger");
      await shot(page, named("pairing"));
      await server.pairing.refuse(code);
      await page.getByText("Pairing was rejected where the link was made").waitFor();
      assert.deepEqual(await seriousViolations(page), []);
      assert.equal(await page.evaluate(KEPT), undefined);
      await page.reload();
      await page.getByRole("button", { name: "Pair this browser" }).click();
      await page.getByText("used before, or is older than two minutes").waitFor();
    }
    assert.deepEqual((await server.api("GET", "/api/v1/tokens")).body, []);
  },
);
