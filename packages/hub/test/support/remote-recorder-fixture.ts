import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { homeAt } from "@countersign/core/config";
import { joinRecorder, pairHub } from "@countersign/recorder";
import { checkLedger, readReceipts } from "@countersign/store";
import { FrameBuffer } from "../../../recorder/src/frames/frame-buffer.ts";
import { childScript } from "../programs/child-script.ts";
import { type Scratch, scratch, TOKEN } from "./serve-fixture.ts";

export interface Paired extends Scratch {
  readonly recorderHome: string;
  /** The recorder's own, and the one that the hub connects to, where they aren't the same. */
  readonly recorderSocket: string;
  readonly secret: string;
  start(): Promise<ChildProcess>;
}

/** A hub's home and a recorder's, paired; `through`: the hub comes by another socket. */
export async function paired(t: TestContext, options: { profile?: object; through?: boolean } = {}): Promise<Paired> {
  const place = scratch(t, options.profile);
  const recorderHome = join(place.dir, "recorder");
  const invitation = await pairHub({ homeDir: recorderHome, hubUid: process.getuid?.() ?? 0 });
  const socket = options.through ? join(place.dir, "through.sock") : invitation.socket;
  await joinRecorder(place.homeDir, { ...invitation, socket });
  return {
    ...{ ...place, recorderHome, recorderSocket: invitation.socket, secret: invitation.secret },
    start: () => startRecorderProcess(t, recorderHome),
  };
}

export async function startRecorderProcess(t: TestContext, homeDir: string): Promise<ChildProcess> {
  const script = childScript("recorder");
  const child = spawn(process.execPath, [script, homeDir], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  const [line] = await once(createInterface(child.stdout), "line");
  assert.ok(JSON.parse(line).hubSocket, line);
  return child;
}

/** A hub in a process of its own. */
export async function hubProcess(
  t: TestContext,
  { homeDir, workspace }: Scratch,
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const script = childScript("serve");
  const env = { ...process.env, COUNTERSIGN_TOKEN: TOKEN };
  const child = spawn(process.execPath, [script, homeDir, workspace], { env, stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  const [line] = await once(createInterface(child.stdout), "line");
  const { url } = JSON.parse(line);
  assert.ok(url, line);
  return { child, url };
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}

export function rowsIn(homeDir: string, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(homeAt(homeDir).database, { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

/** Every receipt, after checking that the ledger is whole. */
export async function wholeLedger(homeDir: string): Promise<string[]> {
  const { database } = homeAt(homeDir);
  const check = await checkLedger(readReceipts(database));
  assert.equal(check.whole, true, JSON.stringify(check));
  const raws: string[] = [];
  for await (const { raw } of readReceipts(database)) raws.push(raw);
  return raws;
}

/** What was recorded, by type; of one proposal, or of all. */
export async function typesIn(homeDir: string, proposalKey?: string): Promise<string[]> {
  const receipts = (await wholeLedger(homeDir)).map((raw) => JSON.parse(raw));
  const own = receipts.filter(({ issuer }) => proposalKey === undefined || issuer.runtime.proposal === proposalKey);
  return own.map(({ issuer }) => issuer.runtime.entry);
}

export interface Relay {
  /** From the so manieth message of this kind on, what the recorder says is held back. */
  holdAfter(kind: string, count?: number): void;
  /** How often the hub has sent messages of this kind. */
  count(kind: string): number;
  letGo(): void;
}

/** Stands between a hub and its recorder, and passes on what they say, until it is told not to. */
export async function relay(t: TestContext, { dir, recorderSocket }: Paired): Promise<Relay> {
  const sockets = new Set<Socket>();
  const counts = new Map<string, number>();
  let held: { readonly kind: string; readonly from: number } | undefined;
  let isHolding = false;
  const waiting: (() => void)[] = [];
  const server = createServer((hub) => {
    const recorder = connect(recorderSocket);
    const seen = new FrameBuffer(4 * 1024 * 1024);
    for (const [socket, other] of [
      [hub, recorder],
      [recorder, hub],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    hub.on("data", (chunk: Buffer) => {
      seen.push(chunk);
      for (let bytes = seen.take(); bytes; bytes = seen.take()) {
        const { t: kind } = JSON.parse(bytes.toString()) as { t: string };
        const count = (counts.get(kind) ?? 0) + 1;
        counts.set(kind, count);
        if (kind === held?.kind && count >= held.from) isHolding = true;
      }
      recorder.write(chunk);
    });
    recorder.on("data", (chunk: Buffer) => {
      const pass = () => void hub.write(chunk);
      if (isHolding) waiting.push(pass);
      else pass();
    });
  });
  const path = join(dir, "through.sock");
  rmSync(path, { force: true });
  server.listen(path);
  await once(server, "listening");
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    holdAfter(kind, count = 1) {
      held = { kind, from: (counts.get(kind) ?? 0) + count };
    },
    count: (kind) => counts.get(kind) ?? 0,
    letGo() {
      held = undefined;
      isHolding = false;
      for (const pass of waiting.splice(0)) pass();
    },
  };
}
