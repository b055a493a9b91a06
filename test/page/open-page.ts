import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { after, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Clock, Limits } from "@countersign/core/base";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { openServer, type TestServer } from "../../packages/hub/test/support/open-server.ts";

/** The rest of a run's page tests use the same: a browser takes longer to start than most of them take. */
let shared: Promise<Browser> | undefined;
after(async () => await (await shared)?.close());

const ARTIFACTS = fileURLToPath(new URL("../../artifacts/page", import.meta.url));
/** This machine's, and what a page makes itself. */
const OURS = /^(?:https?|wss?):\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/]|^(?:data|blob|about):/;
const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

export interface PageOptions {
  /** 390 × 844, touch. */
  readonly phone?: boolean;
  readonly dark?: boolean;
  /** Where to go first: `#/inbox`. */
  readonly at?: string;
}

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about: errors of scripts, and whatever the policy forbade. A test that expects none says so. */
  readonly complaints: string[];
}

/** A machine with other work is slow: what comes late still comes. */
const PATIENCE_MS = 90_000;

/** No question expires while a slow browser looks at something else. */
export const PATIENT_PROFILES = { default: { timeoutMs: 1_800_000 }, assistant: { timeoutMs: 1_800_000 } };

/** Undefined, and the test skipped with the reason, where there's no browser. */
export async function openBrowser(t: TestContext): Promise<Browser | undefined> {
  const executablePath = spawnSync("which", ["chromium"], { encoding: "utf8" }).stdout.trim();
  if (executablePath === "") {
    t.skip("install chromium (apt-get install chromium)");
    return undefined;
  }
  const args = ["--no-sandbox", "--disable-gpu", "--no-first-run"];
  shared ??= chromium.launch({ executablePath, args, timeout: PATIENCE_MS });
  return await shared;
}

/** A real hub, and a browser of its own that is one of its devices. */
export async function openSignedIn(
  t: TestContext,
  options: PageOptions & { limits?: Partial<Limits>; clock?: Clock; config?: object } = {},
): Promise<(OpenPage & { server: TestServer }) | undefined> {
  const browser = await openBrowser(t);
  if (browser === undefined) return undefined;
  const { limits, clock, config = {} } = options;
  // Where a clock is the test's own, questions expire when it says so.
  const server = await openServer(t, limits, clock, { config, ...(clock ? {} : { profiles: PATIENT_PROFILES }) });
  return { server, ...(await signIn(t, server, options)) };
}

/** Another browser at the same hub, with a token and a key of its own. */
export async function signIn(
  t: TestContext,
  server: Pick<TestServer, "url" | "makeToken">,
  options: PageOptions & { name?: string } = {},
): Promise<OpenPage> {
  const opened = await openAnonymous(t, server.url, options);
  const { token } = await server.makeToken("approver", options.name ?? "browser");
  await becomeDevice(opened.page, server.url, { token, name: options.name ?? "browser" });
  opened.complaints.length = 0;
  await opened.page.goto(`${server.url}/${options.at ?? "#/inbox"}`);
  return opened;
}

/** A profile of a browser, which nothing of another is in. */
export async function openContext(t: TestContext, options: BrowserContextOptions): Promise<BrowserContext> {
  const browser = await openBrowser(t);
  if (browser === undefined) throw new Error("ask openBrowser first");
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  t.after(() => context.close());
  return context;
}

/** A browser that the hub doesn't know. It stands at no page yet. */
export async function openAnonymous(t: TestContext, url: string, options: PageOptions = {}): Promise<OpenPage> {
  const { phone = false, dark = false } = options;
  const context = await openContext(t, {
    baseURL: url,
    viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 800 },
    hasTouch: phone,
    isMobile: phone,
    colorScheme: dark ? "dark" : "light",
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    const { url: where } = message.location();
    // A browser asks for that by itself, where a picture is all of a page.
    if (message.type() === "error" && !where.endsWith("/favicon.ico")) complaints.push(`${message.text()} ${where}`);
  });
  page.on("request", (request) => {
    if (!OURS.test(request.url())) complaints.push(`asks elsewhere: ${request.url()}`);
  });
  return { page, context, complaints };
}

/** From then on, what is opened at this address is signed in. */
export async function becomeDevice(page: Page, url: string, device: { token: string; name: string }): Promise<void> {
  await page.goto(`${url}/icon.svg`);
  await page.evaluate(BECOME_DEVICE, device);
}

/** What a pairing leaves behind: a token, and a key that can't be carried away. */
const BECOME_DEVICE = async ({ token, name }: { token: string; name: string }) => {
  const base64url = (bytes: Uint8Array) =>
    btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (c) => ({ "+": "-", "/": "_" })[c] ?? "");
  const pair = (await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"])) as CryptoKeyPair;
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  const keyId = base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", raw)));
  const publicKey = base64url(raw);
  const deviceId = crypto.randomUUID();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ deviceId, name, publicKey });
  const enrolled = await fetch("/api/v1/devices", { method: "POST", headers, body });
  if (!enrolled.ok) throw new Error(`not enrolled: ${enrolled.status}`);
  const key = { privateKey: pair.privateKey, publicKey, keyId };
  await new Promise<void>((resolve, reject) => {
    const request = indexedDB.open("countersign", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("device");
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const transaction = request.result.transaction("device", "readwrite");
      transaction.objectStore("device").put({ token, deviceId, name, key }, "this");
      transaction.oncomplete = () => {
        request.result.close();
        resolve();
      };
    };
  });
};

/** What axe-core finds that is serious or critical: the rule, and where. */
export async function seriousViolations(page: Page): Promise<string[]> {
  // Through the debugger's own world: the page's policy lets no script in.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: AXE });
  const { result } = await session.send("Runtime.evaluate", {
    expression: "axe.run().then(({ violations }) => JSON.stringify(violations))",
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  const violations = JSON.parse(result.value as string) as {
    id: string;
    impact: string;
    nodes: { target: string[]; failureSummary: string }[];
  }[];
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(" ")}`));
}

/** A picture of what is seen, as an artifact: `artifacts/page/<name>.png`. */
export async function shot(page: Page, name: string): Promise<void> {
  mkdirSync(ARTIFACTS, { recursive: true });
  await page.screenshot({ path: `${ARTIFACTS}/${name}.png` });
}
