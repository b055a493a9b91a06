/** Throws on bytes that aren't UTF-8: replacing them would change the command that was sent into another. */
export function readJson(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}
