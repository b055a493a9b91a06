import { getSystemErrorName } from "node:util";
import koffi from "koffi";

const libc = koffi.load(null);

export const socket = libc.func("int socket(int domain, int type, int protocol)");
export const bind = libc.func("int bind(int fd, const void *address, uint length)");
export const setsockopt = libc.func("int setsockopt(int fd, int level, int name, const void *value, uint length)");
export const sendto = libc.func(
  "long sendto(int fd, const void *bytes, size_t length, int flags, const void *address, uint addressLength)",
);
export const recvfrom = libc.func(
  "long recvfrom(int fd, _Out_ uint8_t *bytes, size_t length, int flags, _Out_ uint8_t *address, _Inout_ uint *addressLength)",
);
export const close = libc.func("int close(int fd)");
const poll = libc.func("int poll(_Inout_ uint8_t *fds, ulong count, int timeoutMs)");

/** The name of what the last call failed with. */
export function lastErrno(): string {
  return getSystemErrorName(-koffi.errno());
}

/** struct pollfd: fd (32 bits), events (16), what happened (16). */
const POLLFD_BYTES = 8;
const POLLIN = 1;

/** Resolves once one of them has something, or the time is up. It waits on a thread of the pool, and holds up nothing else. */
export function waitForInput(fds: readonly number[], timeoutMs: number): Promise<void> {
  const list = Buffer.alloc(POLLFD_BYTES * fds.length);
  for (const [at, fd] of fds.entries()) {
    list.writeInt32LE(fd, at * POLLFD_BYTES);
    list.writeInt16LE(POLLIN, at * POLLFD_BYTES + 4);
  }
  return new Promise((resolve) => poll.async(list, fds.length, timeoutMs, () => resolve()));
}
