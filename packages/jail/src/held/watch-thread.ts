import { readSync } from "node:fs";
import { constants, getPriority } from "node:os";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { Failed, Numbered } from "@countersign/core/worker";
import { POLLIN, takeShortTurns, waitFor } from "@countersign/native";
import { HeldRuns } from "./held-runs.ts";
import { QUIT, type WatchAnswer, type WatchOrder } from "./hold-order.ts";

if (parentPort) watch(parentPort, workerData);

/** Waits in the kernel and not in the event loop, which knows no way to wait for a list of mounts. */
function watch(port: NonNullable<typeof parentPort>, { wake }: { readonly wake: number }): void {
  hurry();
  const held = new HeldRuns();
  const told = Buffer.alloc(64);
  for (;;) {
    const ready = waitFor([{ fd: wake, events: POLLIN }, ...held.polled]);
    held.look(ready);
    if (!ready.has(wake)) continue;
    if (told.subarray(0, readSync(wake, told)).includes(QUIT)) return held.close();
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
      port.postMessage(answered(held, next.message));
    }
  }
}

/**
 * Runs this thread before the jails that it watches, on a busy machine too: what is swapped runs until the thread does. Only root may
 * raise a priority; others get shorter turns, which come sooner (Linux 6.12).
 */
function hurry(): void {
  // Linux takes 0 for the thread that asks, not for its process.
  for (const nice of [constants.priority.PRIORITY_HIGHEST, getPriority(0)]) if (takeShortTurns(nice)) return;
}

function answered(held: HeldRuns, { id, what }: Numbered<WatchOrder>): Numbered<WatchAnswer> | Failed {
  try {
    return { id, what: held.answer(what) };
  } catch (cause) {
    return { id, message: (cause as Error).message, code: undefined };
  }
}
