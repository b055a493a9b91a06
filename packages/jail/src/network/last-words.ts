import type { Socket } from "node:net";

const LINGER_MS = 1_000;

/**
 * Says this and hangs up. What the client still sends is read and dropped for a moment: closing with unread bytes would
 * reset the connection, and the client might never see the answer.
 */
export function lastWords(client: Socket, words: string | Buffer): void {
  client.end(words);
  client.resume();
  const linger = setTimeout(() => client.destroy(), LINGER_MS);
  linger.unref();
  client.once("close", () => clearTimeout(linger));
}
