// `npm run bench:page`: the page's script, and the inbox in a real browser, on loopback. A number as argument is how many wait.
import { spawnSync } from "node:child_process";
import { chromium, type Page } from "playwright-core";
import { reach } from "../../bench/reach.ts";
import { median, timeAtOnce } from "../../bench/rounds.ts";
import { scratchServer } from "../../bench/scratch-server.ts";
import { comeIn } from "./come-in.ts";
import { firstScripts, MOST_BYTES } from "./first-script.ts";

const WAITING = Number(process.argv[2] ?? 5_000);
/** As many as fit the screen: what is below it isn't drawn. */
const ROUNDS = 6;
const EACH = 50;
const MAKING = 16;
const SCREENS = 120;
const MOST_SIGHT_MS = 100;
/** What a browser calls long. */
const MOST_TASK_MS = 50;
/** A few screens' worth, however many wait. */
const MOST_NODES = 1_500;

const bytes = firstScripts().reduce((sum, [, size]) => sum + size, 0);
console.log(`script before lazy parts: ${bytes.toLocaleString("en")} bytes gzipped (${reach(bytes, MOST_BYTES)})`);

const executablePath = spawnSync("which", ["chromium"], { encoding: "utf8" }).stdout.trim();
const server = await scratchServer();
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--no-first-run"] });
try {
  await call("/api/v1/policy/edit", {
    profile: "default",
    change: { action: "set", settings: { timeoutMs: 3_600_000 } },
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await comeIn(page, server.url, { token: server.token, name: "bench" });
  await benchFirstSight(page);
  await benchScrolling(page);
} finally {
  await browser.close();
  await server.remove();
}

async function call(path: string, body: object): Promise<void> {
  const headers = {
    authorization: `Bearer ${server.token}`,
    "content-type": "application/json",
    prefer: "respond-async",
  };
  const response = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

function propose(index: number): Promise<void> {
  const session = `s${Math.floor(index / EACH)}`;
  return call("/api/v1/exec", { command: `make target-${index}`, cwd: server.workspace, session });
}

/** From just before a proposal is sent to the frame after its row is in the document. */
async function benchFirstSight(page: Page): Promise<void> {
  const tookMs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const seen = page.evaluate((text) => {
      return new Promise<number>((resolve) => {
        const look = () => {
          if (!document.querySelector(".inbox")?.textContent?.includes(text)) return;
          eyes.disconnect();
          requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now()));
        };
        const eyes = new MutationObserver(look);
        eyes.observe(document.body, { subtree: true, childList: true, characterData: true });
      });
    }, `target-${round}`);
    const sentAt = performance.timeOrigin + performance.now();
    await propose(round);
    tookMs.push((await seen) - sentAt);
  }
  const ms = median(tookMs);
  console.log(
    `a new approval is on screen ${ms.toFixed(0)} ms after its proposal was sent (median of ${tookMs.length}; ${reach(ms, MOST_SIGHT_MS)})`,
  );
}

async function benchScrolling(page: Page): Promise<void> {
  let next = ROUNDS;
  await timeAtOnce(WAITING - ROUNDS, MAKING, () => propose(next++));
  await page.reload();
  await page.getByText(`${WAITING.toLocaleString("en")} waiting`).waitFor({ timeout: 120_000 });
  const { nodes, longestMs, most } = await page.evaluate(async (screens) => {
    const list = document.querySelector(".virtual-list");
    if (list === null) throw new Error("there is no list");
    let longest = 0;
    new PerformanceObserver((seen) => {
      for (const { duration } of seen.getEntries()) longest = Math.max(longest, duration);
    }).observe({ type: "longtask" });
    let count = 0;
    for (let n = 0; n < screens; n += 1) {
      list.scrollTop = (list.scrollHeight / screens) * n;
      await new Promise(requestAnimationFrame);
      count = Math.max(count, document.querySelectorAll("*").length);
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { nodes: document.querySelectorAll("*").length, longestMs: longest, most: count };
  }, SCREENS);
  const longest = longestMs === 0 ? "no task over 50 ms" : `longest task ${longestMs.toFixed(0)} ms`;
  console.log(
    `${WAITING.toLocaleString("en")} waiting: ${nodes} DOM nodes, ${most} at the most while scrolling (${reach(most, MOST_NODES)}); ${longest} (${reach(longestMs, MOST_TASK_MS)})`,
  );
}
