import { checked, lastError, native } from "./libc.ts";

export const POLLIN = 1;
export const POLLPRI = 2;

const poll = native("int poll(void *fds, ulong count, int timeoutMs)");
const pollAside = native("int poll(_Inout_ uint8_t *fds, ulong count, int timeoutMs)");

/** struct pollfd: fd (32 bits), events (16), what happened (16). */
const POLLFD_BYTES = 8;
const FOREVER = -1;

export interface Polled {
  readonly fd: number;
  readonly events: number;
}

/** Blocks this thread until one of the descriptors has an event, and returns those that have. man 2 poll, any kernel. */
export function waitFor(polled: readonly Polled[]): Set<number> {
  const fds = pollfds(polled);
  if (poll(fds, polled.length, FOREVER) < 0 && lastError() !== "EINTR") checked("poll", -1);
  return new Set(polled.flatMap(({ fd }, at) => (fds.readInt16LE(at * POLLFD_BYTES + 6) === 0 ? [] : [fd])));
}

/** Resolves when one of the descriptors has input, or the time is up. Waits on a thread of the pool. man 2 poll, any kernel. */
export async function waitForInput(fds: readonly number[], timeoutMs: number): Promise<void> {
  await pollAside.async(pollfds(fds.map((fd) => ({ fd, events: POLLIN }))), fds.length, timeoutMs);
}

function pollfds(polled: readonly Polled[]): Buffer {
  const fds = Buffer.alloc(POLLFD_BYTES * polled.length);
  for (const [at, { fd, events }] of polled.entries()) {
    fds.writeInt32LE(fd, at * POLLFD_BYTES);
    fds.writeInt16LE(events, at * POLLFD_BYTES + 4);
  }
  return fds;
}
