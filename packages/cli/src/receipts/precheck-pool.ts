import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { type BytesRule, type Precheck, type Prechecker, precheckReceipts } from "@countersign/receipts";
import { nodeCrypto } from "@countersign/receipts/node";

/** Receipts behind each other in one buffer, which is handed over instead of copied. */
export interface PrecheckTask {
  readonly bytes: Uint8Array;
  readonly lengths: readonly number[];
  readonly publicKey: Uint8Array;
  readonly rule: BytesRule;
}

/** Before threads are started, so many batches are done here: most ledgers end before a thread would have begun. */
const BATCHES_HERE = 4;

/** The costly part of verifying on threads of its own: one for each core, because whoever reads has little to do. */
export class PrecheckPool implements Prechecker {
  readonly width = availableParallelism();
  readonly #crypto = nodeCrypto();
  readonly #threads: Thread[] = [];
  #asked = 0;

  ask(raws: readonly Uint8Array[], publicKey: Uint8Array, rule: BytesRule): Promise<Precheck[]> {
    this.#asked += 1;
    if (this.#asked <= BATCHES_HERE) return precheckReceipts(raws, this.#crypto, { publicKey, bytes: rule });
    if (this.#threads.length < this.width) this.#threads.push(new Thread());
    const thread = this.#threads.reduce((idlest, each) => (each.waiting < idlest.waiting ? each : idlest));
    return thread.ask(taskOf(raws, publicKey, rule));
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

function taskOf(raws: readonly Uint8Array[], publicKey: Uint8Array, rule: BytesRule): PrecheckTask {
  const lengths = raws.map(({ length }) => length);
  // A buffer of its own: one from the pool of small buffers can't be handed over.
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const raw of raws) {
    bytes.set(raw, at);
    at += raw.length;
  }
  return { bytes, lengths, publicKey, rule };
}

/** Answers come in the order of the questions. */
class Thread {
  readonly #worker = new Worker(new URL("./precheck-worker.ts", import.meta.url));
  readonly #questions: PromiseWithResolvers<Precheck[]>[] = [];

  constructor() {
    this.#worker.on("message", (answers: Precheck[]) => this.#questions.shift()?.resolve(answers));
    this.#worker.on("error", (cause) => {
      for (const { reject } of this.#questions.splice(0)) reject(cause);
    });
  }

  get waiting(): number {
    return this.#questions.length;
  }

  ask(task: PrecheckTask): Promise<Precheck[]> {
    const question = Promise.withResolvers<Precheck[]>();
    // It may fail while an earlier one is waited for; whoever waits for this one is told all the same.
    question.promise.catch(() => undefined);
    this.#questions.push(question);
    this.#worker.postMessage(task, [task.bytes.buffer as ArrayBuffer]);
    return question.promise;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
