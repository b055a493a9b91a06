/**
 * The hash that binds a decision to what was displayed: SHA-256 over the RFC 8785 form of command, directory and
 * environment. A client recomputes it from its own screen, so that a card that lies can't get a signature.
 */
export async function proposalHashOf(shown: {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}): Promise<string> {
  const env = Object.keys(shown.env)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(shown.env[name])}`);
  const text = `{"command":${JSON.stringify(shown.command)},"cwd":${JSON.stringify(shown.cwd)},"env":{${env.join(",")}}}`;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256:${[...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
