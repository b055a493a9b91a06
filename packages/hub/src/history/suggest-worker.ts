import { parentPort } from "node:worker_threads";
import type { Failed, Numbered } from "@countersign/core/worker";
import { openOffline } from "../policies/index.ts";
import { type SuggestWish, suggestForAll } from "./review/index.ts";

export interface SuggestOrder {
  readonly homeDir: string;
  readonly wish: Omit<SuggestWish, "profileId">;
}

export type Suggested = Awaited<ReturnType<typeof suggestForAll>>[number];

parentPort?.on("message", ({ id, what }: Numbered<SuggestOrder>) => {
  suggestFor(what).then(
    (found) => parentPort?.postMessage({ id, what: found } satisfies Numbered<readonly Suggested[]>),
    ({ message, code }: NodeJS.ErrnoException) => parentPort?.postMessage({ id, message, code } satisfies Failed),
  );
});

async function suggestFor({ homeDir, wish }: SuggestOrder): Promise<readonly Suggested[]> {
  const offline = await openOffline(homeDir);
  try {
    return await suggestForAll(offline, wish);
  } finally {
    await offline.close();
  }
}
