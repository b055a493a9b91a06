import { native } from "./libc.ts";

/** man 2 socket, any kernel. Negative if it fails: see `lastError`. */
export const socket = native("int socket(int domain, int type, int protocol)");

/** man 2 bind, any kernel. Negative if it fails. */
export const bind = native("int bind(int fd, const void *address, uint length)");

/** man 2 setsockopt, any kernel. Negative if it fails. */
export const setsockopt = native("int setsockopt(int fd, int level, int name, const void *value, uint length)");

/** man 2 sendto, any kernel. Returns the number of bytes; negative if it fails. */
export const sendto = native(
  "long sendto(int fd, const void *bytes, size_t length, int flags, const void *address, uint addressLength)",
);

/** man 2 recvfrom, any kernel. Returns the number of bytes; negative if it fails. */
export const recvfrom = native(
  "long recvfrom(int fd, _Out_ uint8_t *bytes, size_t length, int flags, _Out_ uint8_t *address, _Inout_ uint *addressLength)",
);
