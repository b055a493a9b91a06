import { basename } from "node:path";

/** Programs that run another, which is then what the server is called by. */
const RUNNERS = new Set([
  "npx",
  "npm",
  "pnpm",
  "pnpx",
  "yarn",
  "bunx",
  "bun",
  "uvx",
  "uv",
  "pipx",
  "node",
  "deno",
  "python",
  "python3",
  "docker",
  "podman",
  "env",
]);
const VERBS = new Set(["run", "exec", "dlx", "x", "tool"]);
const MAX_NAME = 64;

/**
 * What entries and cards call a server that nobody has given a name: after its program or package. Never after what the server
 * says of itself, since it could say another's name.
 */
export function serverName(words: readonly string[]): string {
  const [program = "", ...rest] = words;
  const own = RUNNERS.has(basename(program))
    ? rest.find((word) => !word.startsWith("-") && !VERBS.has(word))
    : undefined;
  const name = basename((own ?? program).replace(/(?<=.)@[^/]*$/, "")).replace(/\.(?:[cm]?[jt]s|py)$/, "");
  const plain = name.replace(/[^\w.-]/g, "-").slice(0, MAX_NAME);
  return plain === "" ? "server" : plain;
}
