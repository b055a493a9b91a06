import { LOCAL_AGENT } from "@countersign/server";
import { median, percentile } from "./rounds.ts";
import { scratchServer } from "./scratch-server.ts";

const SESSIONS = 1_000;
const EACH = 10;
const APPROVERS = 5;
const ANSWERS = 1_000;

/** Thousands of questions wait; five approvers list and answer over HTTP. How long until the proposer hears? */
export async function benchManyApprovals(): Promise<void> {
  const server = await scratchServer();
  const settledAt = new Map<string, number>();
  const waiting: Promise<void>[] = [];
  for (let session = 0; session < SESSIONS; session += 1) {
    for (let index = 0; index < EACH; index += 1) {
      const params = { command: `make target-${session}-${index}`, cwd: server.workspace, session: `s${session}` };
      const outcome = server.hub.proposals.propose(params, LOCAL_AGENT);
      waiting.push(
        outcome.then(({ approvalId }) => {
          settledAt.set(approvalId ?? "", performance.now());
        }),
      );
    }
  }
  while (server.hub.approvals.pending < SESSIONS * EACH) await new Promise((resolve) => setTimeout(resolve, 20));
  globalThis.gc?.();
  const resident = process.memoryUsage.rss() / 1e6;

  const ids = (await Promise.all(Array.from({ length: APPROVERS }, () => listAll(server)))).at(0) ?? [];
  if (ids.length !== SESSIONS * EACH) throw new Error(`listed ${ids.length} of ${SESSIONS * EACH}`);
  const asked = new Map<string, number>();
  const queue = ids.slice(0, ANSWERS);
  await Promise.all(
    Array.from({ length: APPROVERS }, async () => {
      for (let id = queue.shift(); id; id = queue.shift()) {
        asked.set(id, performance.now());
        await call(server, `/api/v1/approvals/${id}/decision`, { decision: "deny", reason: "bench" });
      }
    }),
  );
  const delivered = [...asked].map(([id, at]) => (settledAt.get(id) ?? Number.NaN) - at);
  const peak = process.memoryUsage.rss() / 1e6;
  await server.remove();
  await Promise.allSettled(waiting);
  console.log(`${SESSIONS} sessions × ${EACH} approvals waiting, ${APPROVERS} approvers, ${ANSWERS} answers:`);
  console.log(`  resident memory ${resident.toFixed(0)} MB waiting, ${peak.toFixed(0)} MB after answering (to reach: < 400 MB)`);
  const worst = Math.max(...delivered);
  console.log(
    `  answer delivered median ${median(delivered).toFixed(1)} ms, 99th ${percentile(delivered, 0.99).toFixed(1)} ms, worst ${worst.toFixed(1)} ms (to reach: ≤ 50 ms)`,
  );
}

type Server = Awaited<ReturnType<typeof scratchServer>>;

async function listAll(server: Server): Promise<string[]> {
  const ids: string[] = [];
  for (let path: string | undefined = "/api/v1/approvals"; path; ) {
    const response: Response = await fetch(server.url + path, { headers: { authorization: `Bearer ${server.token}` } });
    const page = (await response.json()) as { approvalId: string }[];
    ids.push(...page.map((approval) => approval.approvalId));
    path = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return ids;
}

async function call(server: Server, path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
  const response = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}
