import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { localAgent } from "../src/identity.ts";
import type { Permit } from "../src/permit/permit.ts";
import { claimCommand } from "../src/run/claim-command.ts";
import { openServer, type TestServer } from "./open-server.ts";

const CLAUDE = localAgent("claude-code");

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** As an agent would run it. */
function startClaim(
  server: TestServer,
  permit: Pick<Permit, "id">,
  agent = "claude-code",
  shell = "bash",
): ChildProcess {
  const command = claimCommand(permit, { agent, homeDir: server.home.dir });
  return spawn(shell, ["-c", command], { cwd: server.workspace, stdio: ["ignore", "pipe", "pipe"] });
}

async function ended(child: ChildProcess): Promise<Ended> {
  const over = new Promise<[number | null, string | null]>((resolve) =>
    child.once("close", (code, signal) => resolve([code, signal])),
  );
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream & AsyncIterable<Buffer>),
    text(child.stderr as NodeJS.ReadableStream & AsyncIterable<Buffer>),
    over,
  ]);
  return { code, signal, stdout, stderr };
}

async function permitFor(server: TestServer, command: string, more: object = {}): Promise<Permit> {
  const raw = { command, cwd: server.workspace, session: "claude-code:one", ...more };
  const passed = await server.hub.proposals.proposeClaimed(raw, CLAUDE, new AbortController());
  assert("permit" in passed, JSON.stringify(passed));
  return passed.permit;
}

test("a permit is claimed once, by whom it was given to", async (t) => {
  const server = await openServer(t);
  const permit = await permitFor(server, "echo out; echo err >&2; exit 3");
  const foreign = await ended(startClaim(server, permit, "codex"));
  assert.deepEqual([foreign.code, foreign.stdout], [126, ""]);
  assert.match(foreign.stderr, /no such permit, or it isn't this agent's/);
  assert.deepEqual(await ended(startClaim(server, permit)), {
    code: 3,
    signal: null,
    stdout: "out\n",
    stderr: "err\n",
  });
  const twice = await ended(startClaim(server, permit));
  assert.deepEqual([twice.code, twice.stdout], [126, ""]);
  assert.match(twice.stderr, /^countersign: This permit was used already; nothing was run/);
  const types = (await server.readLedger()).filter(({ proposalKey }) => proposalKey !== null).map(({ type }) => type);
  assert.deepEqual(types, ["decided", "started", "ended"]);
});
