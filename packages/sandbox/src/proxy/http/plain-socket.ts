const OFFER = "sec-websocket-extensions:";

/**
 * A terminal's socket without extensions. What some compression makes of a message the record can't read, so none is agreed on: the client's offer doesn't
 * get to execd, and a server that takes none up answers no differently (RFC 6455, section 9.1). A stock execd takes none up.
 */
export function withoutExtensions(head: Buffer): Buffer {
  const lines = head.toString("latin1").split("\r\n");
  const others = lines.filter((line) => !line.toLowerCase().startsWith(OFFER));
  return others.length === lines.length ? head : Buffer.from(others.join("\r\n"), "latin1");
}
