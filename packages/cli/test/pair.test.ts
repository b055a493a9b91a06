import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { PairingCollected } from "@countersign/protocol/access";
import { generateDeviceKey } from "@countersign/sdk";
import { BIN } from "./countersign.ts";
import { loadPty, PtyScreen } from "./pty-screen.ts";

const pty = await loadPty();
const skip = pty ? false : "@lydell/node-pty can't be loaded here";
const SECRET = "a-secret-of-the-new-device";

class Stage {
  readonly home: string;
  readonly #screens: PtyScreen[] = [];
  readonly #scratch: string;

  constructor(t: TestContext) {
    this.#scratch = realpathSync(mkdtempSync(join(tmpdir(), "cs-pair-")));
    this.home = join(this.#scratch, "home");
    mkdirSync(join(this.#scratch, ".codex"));
    // In this order: a hub that ends writes into its home.
    t.after(async () => {
      for (const screen of this.#screens) {
        screen.process.kill("SIGTERM");
        await screen.ended;
      }
      rmSync(this.#scratch, { recursive: true, force: true, maxRetries: 3 });
    });
  }

  start(...args: string[]): PtyScreen {
    return this.#spawn([process.execPath, BIN, ...args]);
  }

  /** As a shell starts a job in the background. */
  startBehind(...args: string[]): PtyScreen {
    const command = [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(" ");
    return this.#spawn(["/bin/bash", "-mc", `${command} & wait`]);
  }

  #spawn(args: readonly string[]): PtyScreen {
    assert(pty);
    const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, HOME: this.#scratch, COUNTERSIGN_HOME: this.home };
    const screen = new PtyScreen(pty, args, { env: { ...env, TERM: "xterm-256color" }, cwd: this.#scratch });
    screen.process.resize(160, 60);
    this.#screens.push(screen);
    return screen;
  }
}

function linkOn(screen: PtyScreen): { url: string; code: string } {
  const link = [...screen.text.matchAll(/(https?:\/\/[^/\s]+)\/#pair=([\w-]+)/g)].at(-1);
  assert(link, screen.text);
  return { url: link[1] ?? "", code: link[2] ?? "" };
}

/** The device's side. */
async function claim({ url, code }: { url: string; code: string }, name = "Firefox on the desk") {
  const { publicKey } = await generateDeviceKey();
  const call = async <T>(path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}/api/v1/pairing/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return (await response.json()) as T;
  };
  const { check } = await call<{ check: string }>("claim", { code, name, publicKey, secret: SECRET });
  const collected = call<PairingCollected>("collect", { code, secret: SECRET, waitMs: 25_000 });
  return { check: `${check.slice(0, 3)} ${check.slice(3)}`, collected };
}

test("the first start in a terminal: a link, a name, the same number, y; in twelve lines", { skip }, async (t) => {
  const stage = new Stage(t);
  const screen = stage.start("serve", "--port", "0");
  await screen.shows("Ctrl-C stops the hub");
  await screen.shows(/countersign install codex/);
  assert.ok(screen.text.trimEnd().split("\n").length <= 12, screen.text);
  const { check, collected } = await claim(linkOn(screen));
  await screen.shows(`Firefox on the desk wants to be let in, to decide in your name. Its number: ${check}`);
  screen.press("y\r");
  const paired = await collected;
  assert.equal(paired.state, "paired");
  await screen.shows("Firefox on the desk is let in.");

  screen.press("p\r");
  await screen.shows(/another browser\.\s+p\s+Open this within 2 minutes/);
  const second = await claim(linkOn(screen), "\u202Eevil\u001b[2J".replaceAll(/[^a-z]/g, ""));
  await screen.shows(`Its number: ${second.check}`);
  screen.press("n\r");
  assert.deepEqual(await second.collected, { state: "refused" });
  await screen.shows("Not let in.");
  screen.press("\x03");
  assert.equal(await screen.ended, 0, "Ctrl-C stays what it is");
});

test("nothing of a link goes to a pipe, and a hub in the background doesn't touch its terminal", {
  skip,
}, async (t) => {
  const stage = new Stage(t);
  const screen = stage.startBehind("serve", "--port", "0");
  await screen.shows("Ctrl-C stops the hub");
  assert.doesNotMatch(screen.text, /#pair=/);
  const { url, pid } = JSON.parse(readFileSync(join(stage.home, "run", "address"), "utf8"));
  try {
    screen.press("p\r");
    assert.equal((await fetch(`${url}/healthz`)).status, 200, "the kernel has not stopped it");
  } finally {
    // A group of its own: the shell's end isn't its end, but its end is the shell's.
    process.kill(pid);
    await screen.ended;
  }
});

test("pair and phone: a link in another terminal; a code to scan only where a phone can reach it", {
  skip,
}, async (t) => {
  const stage = new Stage(t);
  const hub = stage.start("serve", "--port", "0", "--host", "127.0.0.2", "--tls");
  await hub.shows("also at  https://127.0.0.2:");

  const pair = stage.start("pair");
  await pair.shows("#pair=");
  const first = await claim(linkOn(pair));
  await pair.shows(first.check);
  pair.press("yes\r");
  assert.equal((await first.collected).state, "paired");
  assert.equal(await pair.ended, 0);

  const phone = stage.start("phone");
  await phone.shows("#pair=");
  assert.match(phone.text, /https:\/\/127\.0\.0\.2:\d+\/ca\.crt on the phone/);
  assert.match(phone.text, /([0-9A-F]{2}:){31}[0-9A-F]{2}/);
  assert.match(phone.text, /█▀▀▀▀▀█/, "the corner of a code");
  phone.press("\x03");
  assert.notEqual(await phone.ended, 0);
});

test("phone tells how it could be reached, and keeps an address in config.json", { skip }, async (t) => {
  const stage = new Stage(t);
  const hub = stage.start("serve", "--port", "0");
  await hub.shows("#pair=");
  const phone = stage.start("phone");
  await phone.shows("tailscale serve --bg");
  assert.equal(await phone.ended, 1);
  const kept = stage.start("phone", "--address", "https://hub.tail1234.ts.net/");
  assert.equal(await kept.ended, 0);
  const plain = stage.start("phone", "--address", "http://hub.example");
  assert.equal(await plain.ended, 2);
  assert.deepEqual(JSON.parse(readFileSync(join(stage.home, "config.json"), "utf8")), {
    page: { origins: ["https://hub.tail1234.ts.net"] },
  });
});
