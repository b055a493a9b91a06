import { trustedUrl } from "../../ui/index.ts";
import type { Answer, Order, Progress } from "./messages.ts";
import workerUrl from "./worker.ts?worker&url";

export interface Asked {
  readonly answer: Promise<Exclude<Answer, { readonly kind: "progress" }>>;
  /** Stops the worker without an answer. */
  stop(): void;
}

/** Runs one order in a worker of its own, so that it doesn't block the page and can be stopped. */
export function ask(order: Order, onProgress?: (progress: Progress) => void): Asked {
  const worker = new Worker(trustedUrl(workerUrl), { type: "module" });
  const { promise, resolve } = Promise.withResolvers<Awaited<Asked["answer"]>>();
  worker.onmessage = ({ data }: MessageEvent<Answer>) => {
    if (data.kind === "progress") return onProgress?.(data.progress);
    worker.terminate();
    resolve(data);
  };
  worker.onerror = () => {
    worker.terminate();
    resolve({ kind: "failed", message: "This browser could not do it: its crypto may be too old." });
  };
  worker.postMessage(order);
  return { answer: promise, stop: () => worker.terminate() };
}
