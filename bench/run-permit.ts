import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { LOCAL_AGENT } from "@countersign/core/base";
import { median } from "./rounds.ts";
import { scratchServer } from "./scratch-server.ts";

const ROUNDS = 40;
const RUNNER = fileURLToPath(new URL("../packages/cli/hook/countersign-sh.cjs", import.meta.url));

/** What an agent's rewritten command adds: to a start of Node, and to the run itself. One after the other, as an agent does. */
async function benchRunPermit(): Promise<void> {
  const server = await scratchServer();
  const proposal = { command: "true", cwd: server.workspace };
  const { proposals } = server.hub;
  const times = { node: [] as number[], run: [] as number[], claimed: [] as number[] };
  for (let round = -3; round < ROUNDS; round += 1) {
    const node = await timed(() => program(["-e", "0"]));
    const run = await timed(async () => expectExit(await proposals.propose(proposal, LOCAL_AGENT)));
    const passed = await proposals.proposeClaimed(proposal, LOCAL_AGENT, new AbortController());
    if (!("permit" in passed)) throw new Error(`not permitted: ${JSON.stringify(passed)}`);
    const claimed = await timed(() => program([RUNNER, "--home", server.home.dir, passed.permit.id]));
    // The first rounds warm caches and the compiler.
    if (round < 0) continue;
    times.node.push(node);
    times.run.push(run);
    times.claimed.push(claimed);
  }
  await server.remove();
  const [node, run, claimed] = [median(times.node), median(times.run), median(times.claimed)];
  const ratio = median(times.claimed.map((ms, at) => ms / ((times.node[at] ?? 0) + (times.run[at] ?? 0)))).toFixed(2);
  console.log(`a rewritten \`true\`, median of ${ROUNDS} one after the other:`);
  console.log(`  node -e 0                     ${node.toFixed(1)} ms`);
  console.log(`  proposed and run, in the hub  ${run.toFixed(1)} ms`);
  console.log(`  claimed by countersign-sh     ${claimed.toFixed(1)} ms, ${ratio}× the two together`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function program(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.resume();
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`it ended with ${code}`))));
  });
}

function expectExit({ kind, exitCode }: { kind: string; exitCode?: number | undefined }): void {
  if (kind !== "exited" || exitCode !== 0) throw new Error(`it ended as ${kind}, ${exitCode}`);
}

await benchRunPermit();
