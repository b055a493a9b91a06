import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { localAgent } from "@countersign/core/base";
import { readLedger } from "@countersign/store";
import { claimCommand } from "../../src/permits/claim-command.ts";
import type { Permit } from "../../src/permits/permit.ts";
import { type Serving, scratch, startServing } from "./serve-fixture.ts";

export const CLAUDE = localAgent("claude-code");

export interface ShellEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Where = Pick<Serving, "homeDir" | "workspace">;

interface ShellOptions {
  /** bash by default. */
  readonly shell?: readonly string[];
  readonly node?: string;
  readonly agent?: string;
  /** What the agent's shell does before and after the command. */
  readonly before?: string;
  readonly after?: string;
  readonly input?: boolean;
}

/** A hub that allows this agent everything that isn't on the floor. */
export async function serveClaims(t: TestContext, options: Parameters<typeof startServing>[1] = {}): Promise<Serving> {
  const at = scratch(t);
  const directory = join(at.homeDir, "profiles", CLAUDE.name);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, "config.json"), JSON.stringify({ execApproval: { security: "full", ask: "off" } }));
  return await startServing(t, { ...options, at });
}

/** What is on record about proposals: what happened, and how it ended. */
export async function recorded({ served }: Serving): Promise<{ type: string; kind?: unknown }[]> {
  const found = [];
  for await (const { type, body, proposalKey } of readLedger(served.home.database)) {
    if (proposalKey === null) continue;
    const { kind, reason, input } = type === "decided" ? {} : body;
    const told = Object.entries({ kind, reason, input }).filter(([, value]) => value !== undefined);
    found.push({ type, ...Object.fromEntries(told) });
  }
  return found;
}

/** A permit for a command of the agent's, as its hook gets it. */
export async function permitFor(server: Serving, command: string, more: object = {}): Promise<Permit> {
  const raw = { command, cwd: server.workspace, session: "claude-code:one", ...more };
  const passed = await server.served.hub.proposals.proposeClaimed(raw, CLAUDE, new AbortController());
  assert("permit" in passed, JSON.stringify(passed));
  return passed.permit;
}

/** Runs the rewritten command as an agent would: in a shell of its own, in a process group of its own. */
export function startClaim(server: Where, permit: Pick<Permit, "id">, options: ShellOptions = {}): ChildProcess {
  const { shell = ["bash"], node = process.execPath, agent = CLAUDE.name, input = false } = options;
  const { before = "", after = "" } = options;
  const command = claimCommand(permit, { agent, homeDir: server.homeDir }).replace(process.execPath, node);
  const [file = "", ...words] = shell;
  return spawn(file, [...words, "-c", before + command + after], {
    ...{ cwd: server.workspace, detached: true },
    stdio: [input ? "pipe" : "ignore", "pipe", "pipe"],
  });
}

export async function shellEnd(child: ChildProcess): Promise<ShellEnd> {
  const closed = new Promise<[number | null, string | null]>((resolve) => {
    child.once("close", (code, signal) => resolve([code, signal]));
  });
  assert(child.stdout && child.stderr);
  const [stdout, stderr, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, signal, stdout, stderr };
}

export async function runClaim(server: Where, permit: Pick<Permit, "id">, options?: ShellOptions): Promise<ShellEnd> {
  return await shellEnd(startClaim(server, permit, options));
}
