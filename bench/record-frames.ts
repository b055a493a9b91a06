import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_LIMITS, systemClock } from "@countersign/core/base";
import { openSqliteStore } from "@countersign/store";
import type { Frame } from "../packages/recorder/src/frames/frame.ts";
import { Recorder } from "../packages/recorder/src/frames/recorder.ts";

const EMITTERS = 64;
const PEER = { pid: 1, uid: 1_000, gid: 1_000, exePath: "/usr/bin/relay" };
const NO_QUOTA = {
  ...DEFAULT_LIMITS,
  emitterFrameBurst: Number.MAX_SAFE_INTEGER,
  emitterByteBurst: Number.MAX_SAFE_INTEGER,
};

function frameOf(number: number, { emitter, sandboxes }: { emitter: number; sandboxes: number }): Frame {
  return {
    v: "1",
    ts_emit: "2026-01-02T03:04:05.678Z",
    session_id: "5f0c5f43-6b0f-4d9b-8f0e-0f6f6f1d9a11",
    channel: "opensandbox_execd",
    tool: { name: "POST /command" },
    decision: "allowed",
    action_type: "system.command.execute",
    input: { command: "npm test -- --run", env: { CI: "1" } },
    output: { exit_code: 0 },
    // Grows with time, as a version 7 UUID does.
    idempotency_key: `0197a7a0-0000-7000-8000-${String(number).padStart(12, "0")}`,
    correlation_id: `c-${emitter}`,
    binding: { sandbox_id: `box-${emitter % sandboxes}`, endpoint: "/command", route: "POST /command" },
  };
}

export interface FrameBench {
  /** Each emitter sends its next frame when its last is durable. */
  record(count: number, sandboxes: number): Promise<void>;
  /** The ledger's file. */
  readonly path: string;
  close(): Promise<void>;
}

/** A recorder on a disk, and emitters in this process. */
export async function openFrameBench(): Promise<FrameBench> {
  const directory = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const path = join(directory, "countersign.db");
  const store = await openSqliteStore(path);
  const recorder = new Recorder({ store, clock: systemClock, limits: NO_QUOTA, rolesOf: () => ["relay"] });
  let sent = 0;
  return {
    path,
    async record(count, sandboxes) {
      const end = sent + count;
      const emit = async (emitter: number) => {
        while (sent < end) await recorder.record(frameOf(sent++, { emitter, sandboxes }), PEER, 512);
      };
      await Promise.all(Array.from({ length: EMITTERS }, (_, emitter) => emit(emitter)));
    },
    async close() {
      await store.close();
      rmSync(directory, { recursive: true });
    },
  };
}
