import { readFileSync } from "node:fs";
import { median } from "./rounds.ts";
import { COMMANDS, residentMb, type Server, startServer, stopServer } from "./server-of-its-own.ts";

const ROUNDS = 5;
/** A kernel counts a process's time in these. */
const TICKS_PER_SECOND = 100;

interface Start {
  readonly ms: number;
  readonly cpuMs: number;
  readonly mb: number;
}

/** How long a hub takes until it listens, and what it has taken by then: as it is published, against a clone's sources. */
async function benchStart(): Promise<void> {
  const published: Start[] = [];
  const source: Start[] = [];
  // In turn, so that whatever else the machine does is done to both.
  for (let round = -1; round < ROUNDS; round += 1) {
    const one = await start(COMMANDS.published);
    const other = await start(COMMANDS.source);
    if (round >= 0) {
      published.push(one);
      source.push(other);
    }
  }
  const ratio = median(published.map(({ ms }) => ms)) / median(source.map(({ ms }) => ms));
  console.log(`a hub's start, published against from source: ${ratio.toFixed(2)}x the time`);
  console.log(`  published ${figures(published)}`);
  console.log(`  from source ${figures(source)}`);
}

async function start(command: string): Promise<Start> {
  const from = performance.now();
  const server = await startServer(command);
  const started = { ms: performance.now() - from, cpuMs: cpuMs(server), mb: residentMb(server) };
  await stopServer(server);
  return started;
}

/** Its own, without what it has started: user and system time are the 14th and 15th field, counted behind the name in brackets. */
function cpuMs({ child }: Server): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

function figures(starts: readonly Start[]): string {
  const of = (pick: (start: Start) => number) => Math.round(median(starts.map(pick)));
  return `${of(({ ms }) => ms)} ms, of them ${of(({ cpuMs: cpu }) => cpu)} ms of a core, ${of(({ mb }) => mb)} MB resident`;
}

await benchStart();
