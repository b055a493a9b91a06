import { createRequire } from "node:module";
import { getSystemErrorName } from "node:util";
import type koffi from "koffi";

/**
 * The C library, by name. koffi is loaded by the first call, and each function is looked up by its own: so this package can be
 * imported where neither exists (man 3 dlsym).
 */
const library = once(() => {
  const loaded = createRequire(import.meta.url)("koffi") as typeof koffi;
  return { koffi: loaded, libc: loaded.load(null) };
});

/** A function of the C library, declared as in C. Arguments are numbers, bigints, strings and Buffers; a pointer may be null. */
export interface NativeFunction {
  (...args: unknown[]): number;
  /** Waits on a thread of the pool. */
  async(...args: unknown[]): Promise<number>;
}

export function native(declaration: string): NativeFunction {
  const lookedUp = once(() => library().libc.func(declaration));
  return Object.assign((...args: unknown[]) => Number(lookedUp()(...args)), {
    async: (...args: unknown[]) =>
      new Promise<number>((resolve, reject) => {
        lookedUp().async(...args, (cause: unknown, result: unknown) =>
          cause ? reject(cause) : resolve(Number(result)),
        );
      }),
  });
}

/** A call failed. `code` is the error's name: ENOSYS. */
export class SystemError extends Error {
  readonly code: string;
  constructor(call: string, code: string, message = `${call}: ${code}`) {
    super(message);
    this.name = "SystemError";
    this.code = code;
  }
}

/** The name of the error with which this thread's last call failed (man 3 errno). */
export function lastError(): string {
  return getSystemErrorName(-library().koffi.errno());
}

/** Returns what the call returned. Throws SystemError if that is negative. */
export function checked(call: string, result: number): number {
  if (result < 0) throw new SystemError(call, lastError());
  return result;
}

/** Closes a descriptor. man 2 close, any kernel. */
export const close = native("int close(int fd)");

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
