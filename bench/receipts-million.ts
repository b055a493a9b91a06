// `npm run bench:receipts`: memory while a million receipts are recorded, and while they are verified by the command itself. A number as argument is how many.
// Both with the young generation that the command has (its first line).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Figures } from "./figures.ts";
import { openFrameBench } from "./record-frames.ts";

const COUNT = Number(process.argv[2] ?? 1_000_000);
const STEPS = 10;
/** A tenth of them is where every cache is full. */
const MOST_GROWTH_PERCENT = 10;
const LOOK_MS = 50;

const command = fileURLToPath(new URL("../packages/cli/bin/countersign.js", import.meta.url));

function residentMib(pid: number, field: "VmRSS" | "VmHWM"): number | undefined {
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return kib === undefined ? undefined : Number(kib) / 1024;
}

/** How much memory `receipts verify` takes at the most. */
async function peakOfVerifying(path: string, count: number): Promise<number> {
  const started = performance.now();
  const child = spawn(command, ["receipts", "verify", path], { stdio: ["ignore", "pipe", "inherit"] });
  let [peak, said] = [0, ""];
  child.stdout.on("data", (text) => {
    said += text;
  });
  const looking = setInterval(() => {
    // One that has ended has none.
    peak = residentMib(child.pid as number, "VmHWM") ?? peak;
  }, LOOK_MS);
  const [code] = await once(child, "close");
  clearInterval(looking);
  // 3: whole, and nobody vouches for a key that was made for this.
  if ((code !== 0 && code !== 3) || !said.includes("WHOLE")) throw new Error(`it isn't whole (${code}): ${said}`);
  const seconds = (performance.now() - started) / 1_000;
  console.log(`verified ${count} in ${seconds.toFixed(1)} s, at most ${peak.toFixed(0)} MiB`);
  return peak;
}

const frames = await openFrameBench();
const resident: number[] = [];
const peaks: number[] = [];
for (let step = 1; step <= STEPS; step += 1) {
  const started = performance.now();
  await frames.record(COUNT / STEPS, 1);
  const rate = COUNT / STEPS / ((performance.now() - started) / 1_000);
  // What V8 hasn't come to clear away yet isn't memory that recording needs.
  globalThis.gc?.();
  resident.push(residentMib(process.pid, "VmRSS") ?? Number.NaN);
  console.log(`recorded ${(COUNT / STEPS) * step}: ${Math.round(rate)}/s, ${resident.at(-1)?.toFixed(0)} MiB`);
  if (step === 1 || step === STEPS) peaks.push(await peakOfVerifying(frames.path, (COUNT / STEPS) * step));
}
await frames.close();

const growth = ([first = Number.NaN, ...rest]: readonly number[]) => (Math.max(...rest) / first - 1) * 100;
const figures = new Figures();
figures.atMost("memory while recording, beyond that after a tenth", growth(resident), MOST_GROWTH_PERCENT, "%");
figures.atMost("memory while verifying, beyond that of a tenth", growth(peaks), MOST_GROWTH_PERCENT, "%");
figures.close();
