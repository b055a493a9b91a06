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
