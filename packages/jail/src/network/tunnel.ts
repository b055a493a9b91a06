import type { Socket } from "node:net";

/** Bytes both ways, until both have ended or one of them breaks. Each side may end before the other. */
export function tunnel(client: Socket, upstream: Socket): void {
  tie(client, upstream);
  tie(upstream, client);
  client.pipe(upstream);
  upstream.pipe(client);
}

/** When one side is gone, the other gets what was already sent to it and no more. */
function tie(one: Socket, other: Socket): void {
  if (one.destroyed) other.destroy();
  one.once("close", (hadError) => {
    if (hadError || !other.writableEnded) other.destroySoon();
  });
}

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
