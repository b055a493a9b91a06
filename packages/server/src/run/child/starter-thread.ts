import { parentPort } from "node:worker_threads";
import { posixSpawn } from "./posix-spawn.ts";
import { StanceLost, StanceTaker } from "./stance.ts";
import type { StartOrder, StartReply } from "./starter.ts";

// Before anything else: the thread that can't says so by ending.
const taker = new StanceTaker();

parentPort?.on("message", ({ id, request, stance }: StartOrder) => {
  try {
    reply({ id, pid: taker.inStance(stance, () => posixSpawn(request)) });
  } catch (cause) {
    // Whatever it started dies with it.
    if (cause instanceof StanceLost) throw cause;
    const { message, code } = cause as NodeJS.ErrnoException;
    reply({ id, message, code });
  }
});

function reply(said: StartReply): void {
  parentPort?.postMessage(said);
}
