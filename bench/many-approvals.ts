import { median, percentile, timeAtOnce } from "./rounds.ts";
import { residentMb, type Server, startServer, stopServer } from "./server-of-its-own.ts";

const SESSIONS = 1_000;
const EACH = 10;
const APPROVERS = 5;
const ANSWERS = 1_000;
const MAKING = 64;

/** Thousands of questions wait; five approvers list and answer over HTTP. How long until the proposer hears? */
async function benchManyApprovals(): Promise<void> {
  const server = await startServer();
  let next = 0;
  await timeAtOnce(SESSIONS * EACH, MAKING, async () => {
    const index = next++;
    const session = `s${index % SESSIONS}`;
    const body = { command: `make target-${index}`, cwd: server.workspace, session, proposalId: `p${index}` };
    await call(server, "POST", "/api/v1/exec", { body, prefer: "respond-async" });
  });
  const waiting = residentMb(server);
  const listed = await Promise.all(Array.from({ length: APPROVERS }, () => listAll(server)));
  const asked = listed[0] ?? [];
  if (asked.length !== SESSIONS * EACH) throw new Error(`listed ${asked.length} of ${SESSIONS * EACH}`);
  const queue = asked.slice(0, ANSWERS);
  const delivered: number[] = [];
  await timeAtOnce(ANSWERS, APPROVERS, async () => {
    const { approvalId, command } = queue.shift() as Card;
    const proposalId = command.replace("make target-", "p");
    const heard = call(server, "GET", `/api/v1/exec/${proposalId}`, { prefer: "wait=30" });
    const answeredAt = performance.now();
    await call(server, "POST", `/api/v1/approvals/${approvalId}/decision`, {
      body: { decision: "deny", reason: "bench" },
    });
    await heard;
    delivered.push(performance.now() - answeredAt);
  });
  const after = residentMb(server);
  await stopServer(server);
  console.log(`${SESSIONS} sessions × ${EACH} approvals waiting, ${APPROVERS} approvers, ${ANSWERS} answers:`);
  console.log(`  the server's resident memory ${waiting} MB waiting, ${after} MB after answering (to reach: < 400 MB)`);
  const times = `median ${median(delivered).toFixed(1)} ms, 99th ${percentile(delivered, 0.99).toFixed(1)} ms`;
  console.log(`  answer delivered ${times}, worst ${Math.max(...delivered).toFixed(1)} ms (to reach: ≤ 50 ms)`);
}

interface Card {
  readonly approvalId: string;
  readonly command: string;
}

async function listAll(server: Server): Promise<Card[]> {
  const cards: Card[] = [];
  for (let path: string | undefined = "/api/v1/approvals"; path; ) {
    const response: Response = await call(server, "GET", path, {});
    cards.push(...((await response.json()) as Card[]));
    path = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return cards;
}

async function call(
  server: Server,
  method: string,
  path: string,
  what: { body?: object; prefer?: string },
): Promise<Response> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${server.token}`,
    "content-type": "application/json",
  };
  if (what.prefer) headers.prefer = what.prefer;
  const init = { method, headers, ...(what.body ? { body: JSON.stringify(what.body) } : {}) };
  const response = await fetch(server.url + path, init);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

await benchManyApprovals();
