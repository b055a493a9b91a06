/** Threads that fail, each in its own way. */
const thread = (program: string): URL =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from "node:worker_threads";${program}`)}`);

const REAL = JSON.stringify(new URL("../src/proxy/digest/hash-worker.ts", import.meta.url).href);

export const threads = {
  missing: new URL("../src/proxy/digest/no-such-worker.ts", import.meta.url),
  broken: thread("throw new Error('not today')"),
  /** Says that it has begun, and takes what it is given. */
  silent: thread("parentPort.on('message', () => undefined); parentPort.postMessage(null)"),
  /** Hashes as the real one does, until it has been given so many blocks. */
  dyingAt: (blocks: number): URL =>
    thread(
      `let left = ${blocks}; parentPort.on("message", () => { if (--left === 0) process.exit(1); }); await import(${REAL});`,
    ),
};
