import assert from "node:assert/strict";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { uuidv7 } from "uuidv7";
import { OPERATIONS, type Operation, type OperationName } from "../../src/identity/operations.ts";
import { Client, openServer, type TestServer } from "../support/open-server.ts";

/** 4-protocol's table, written again by hand: this is what the code's table is held against. */
const MAY: Record<string, readonly OperationName[]> = {
  agent: [
    "hook",
    "callTool",
    "propose",
    "proposalStatus",
    "followOutput",
    "unfollowOutput",
    "withdraw",
    "sendChat",
    "abortChat",
    "readChat",
    "listChats",
    "createSession",
    "listSessions",
    "getSession",
    "proposeSandboxCall",
    "reportSandboxCall",
    "hubInfo",
  ],
  observer: [
    "listRuns",
    "followRuns",
    "unfollowRuns",
    "followState",
    "unfollowState",
    "followOutput",
    "unfollowOutput",
    "readChat",
    "listChats",
    "listChatAgents",
    "listSessions",
    "getSession",
    "listApprovals",
    "getApproval",
    "listScopes",
    "searchHistory",
    "today",
    "suggest",
    "pastAnswers",
    "tryScope",
    "listExpired",
    "listGrants",
    "viewPolicy",
    "replayPolicy",
    "listNotifications",
    "explain",
    "hubInfo",
    "listAgents",
    "findAgents",
    "state",
    "verify",
    "listChains",
    "readChain",
    "listCheckpoints",
    "exportReceipts",
    "listSandboxes",
    "tellSandbox",
    "listReceipts",
    "getCheckpoint",
    "proveConsistency",
    "proveReceipt",
    "getReceipt",
    "tellStory",
    "report",
    "auditTail",
  ],
  approver: Object.keys(OPERATIONS) as OperationName[],
  hub: [],
};
const ROLES = Object.keys(MAY);

/** Whether a call was refused for its role. Anything else, also an error about its params, got past the check. */
type Try = (method: string) => Promise<boolean>;

async function envelopeTry(server: TestServer, token: string, role: string): Promise<Try | undefined> {
  const client = await Client.open(`${server.url}/ws`);
  const deviceId = uuidv7();
  const deviceType = role === "agent" || role === "hub" ? role : "client";
  client.send({ id: uuidv7(), from: deviceId, to: "gateway", action: "register", payload: { deviceType, token } });
  const { action, payload } = await client.next();
  if (action !== "registered") return undefined;
  return async (method) => {
    const requestId = uuidv7();
    const body = { requestId, method, params: { bad: true } };
    client.send({ id: uuidv7(), from: deviceId, to: payload?.hubDeviceId, action: "request", payload: body });
    const response = await client.next((frame) => frame.payload?.requestId === requestId);
    return (response.payload?.error as { code?: string } | undefined)?.code !== "UNAUTHORIZED";
  };
}

async function rpcTry(server: TestServer, token: string): Promise<Try | undefined> {
  const client = await Client.open(`${server.url}/`);
  client.send({ type: "auth", token });
  const first = await Promise.race([client.next(), client.closed]);
  if ("code" in first) return undefined;
  return async (method) => {
    const id = uuidv7();
    client.send({ id, method, params: { bad: true } });
    const response = await client.next((frame) => frame.id === id);
    return (response.error as { code?: number } | undefined)?.code !== -32001;
  };
}

function httpTry(server: TestServer, token: string): Try {
  return async (method) => {
    const [verb = "", path = ""] = method.split(" ");
    const { status, body } = await server.api(
      verb,
      path.replace(/:\w+/, "unknown"),
      verb === "POST" ? { bad: true } : undefined,
      token,
    );
    // A hook is answered with 200 whatever goes wrong, and says it in words.
    return status !== 403 && status !== 401 && !JSON.stringify(body).includes("may not do this");
  };
}

for (const role of ROLES) {
  test(`${role}: may do exactly what the protocol says, at every door`, async (t) => {
    const server = await openServer(t);
    const { token } = await server.makeToken(role);
    const doors = {
      envelope: await envelopeTry(server, token, role),
      rpc: await rpcTry(server, token),
      http: httpTry(server, token),
    };
    for (const [name, operation] of Object.entries(OPERATIONS) as [OperationName, Operation][]) {
      for (const door of ["envelope", "rpc", "http"] as const) {
        for (const method of [operation[door] ?? []].flat()) {
          const allowed = (await doors[door]?.(method)) ?? false;
          assert.equal(allowed, MAY[role]?.includes(name), `${role} ${door} ${method}`);
        }
      }
    }
    // pause was among an approver's calls
    await server.api("POST", "/api/v1/resume", {});
  });
}

test("the local socket has the agent's role: what it doesn't name isn't there", async (t) => {
  const server = await openServer(t);
  const named = Object.values(OPERATIONS as Record<string, Operation>).flatMap(({ socket }) => socket ?? []);
  assert.deepEqual(named.sort(), [
    "callTool",
    "cancelExec",
    "enrolDevice",
    "hook",
    "pinTools",
    "proposeExec",
    "proposeToolCall",
    "reportToolCall",
    "runPermit",
  ]);
  for (const operation of Object.values(OPERATIONS as Record<string, Operation>)) {
    // A device's key is the one thing that a token goes with, an approver's.
    assert.ok(!operation.socket || operation.roles.includes("agent") || operation === OPERATIONS.enrolDevice);
  }
  const socket = connect(server.home.socket);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  for (const method of ["resolveExecApproval", "pause", "listExecApprovals", "getHubInfo"]) {
    socket.write(`${JSON.stringify({ method, params: {} })}\n`);
    const answer = JSON.parse((await lines.next()).value as string);
    assert.equal(answer.error.code, "METHOD_NOT_FOUND", method);
  }
  socket.destroy();
});
