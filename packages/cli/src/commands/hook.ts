import { createPrivateKey, createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";

interface HookOptions {
  readonly home?: string;
  readonly key?: string;
  readonly deadlineMs?: string;
}

interface HookFile {
  runHook(args: readonly string[]): Promise<number>;
}

const { runHook } = createRequire(import.meta.url)("../../hook/countersign-hook.cjs") as HookFile;

/** The file that `install` puts into an agent's settings, for whoever wants to see what it says. */
export async function hook(agent: string, options: HookOptions): Promise<number> {
  const home = resolve(options.home ?? join(userInfo().homedir, ".countersign"));
  const key = options.key ?? keyIn(home);
  const { deadlineMs } = options;
  const given = { "--home": home, "--key": key, "--deadline-ms": deadlineMs };
  const args = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  const exitCode = await runHook([agent, ...args]);
  // What it still listens to, or waits for, is of no use any more.
  process.exit(exitCode);
}

/** Of the hub that has its things there; undefined where none ever had. */
function keyIn(home: string): string | undefined {
  try {
    return createPublicKey(createPrivateKey(readFileSync(join(home, "keys", "hub.key")))).export({ format: "jwk" }).x;
  } catch {
    // The hook says that there's none, in the agent's form.
    return undefined;
  }
}
