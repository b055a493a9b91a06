import { spawn } from "node:child_process";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { LOCAL_AGENT } from "@countersign/core/base";
import { median, timeAtOnce } from "./rounds.ts";
import { scratchServer } from "./scratch-server.ts";

const WIDTH = 32;
const COUNT = 320;
const ROUNDS = 7;

/** Propose → auto-allow → run → outcome, durable, against the same number of bare `bash -c true`. */
async function benchRunTrue(): Promise<void> {
  const server = await scratchServer();
  const params = { command: "true", cwd: server.workspace };
  const inProcess = async () => expectExit(await server.hub.proposals.propose(params, LOCAL_AGENT));
  const sockets = await Promise.all(Array.from({ length: WIDTH }, () => openSocket(server.home.socket)));
  const overSocket = async () => {
    const socket = sockets.pop();
    if (!socket) throw new Error("no free connection");
    expectExit(await socket({ method: "proposeExec", params }));
    sockets.push(socket);
  };
  const bare: number[] = [];
  const own: number[] = [];
  const door: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const times = [
      await timeAtOnce(COUNT, WIDTH, bareBash),
      await timeAtOnce(COUNT, WIDTH, inProcess),
      await timeAtOnce(COUNT, WIDTH, overSocket),
    ] as const;
    // The first round warms caches and the compiler.
    if (round === 0) continue;
    bare.push(times[0]);
    own.push(times[1]);
    door.push(times[2]);
  }
  await server.remove();
  const ratio = (times: number[]) => median(times.map((ms, index) => ms / (bare[index] ?? Number.NaN))).toFixed(2);
  console.log(`run \`true\`, ${WIDTH} at once, median of ${ROUNDS} rounds of ${COUNT}:`);
  console.log(`  bare bash -c true        ${(median(bare) / COUNT).toFixed(3)} ms each`);
  console.log(
    `  through the pipeline     ${(median(own) / COUNT).toFixed(3)} ms each, ${ratio(own)}× bare (to reach: ≤ 3×)`,
  );
  console.log(
    `  through the local socket ${(median(door) / COUNT).toFixed(3)} ms each, ${ratio(door)}× bare (to reach: ≤ 3×)`,
  );
}

function bareBash(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/bash", ["-c", "true"], { stdio: ["ignore", "pipe", "pipe"] });
    child.once("error", reject);
    child.stdout.resume();
    child.stderr.resume();
    child.once("close", () => resolve());
  });
}

function expectExit(outcome: unknown): void {
  const { kind, exitCode } = outcome as { kind: string; exitCode?: number };
  if (kind !== "exited" || exitCode !== 0) throw new Error(`expected exit 0, got ${JSON.stringify(outcome)}`);
}

type Ask = (request: object) => Promise<unknown>;

function openSocket(path: string): Promise<Ask> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("error", reject);
    const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
    socket.once("connect", () =>
      resolve(async (request) => {
        socket.write(`${JSON.stringify(request)}\n`);
        const { value } = await lines.next();
        return (JSON.parse(value as string) as { payload: unknown }).payload;
      }),
    );
  });
}
await benchRunTrue();
process.exit(0);
