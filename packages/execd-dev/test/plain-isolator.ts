import type { Isolator } from "../src/isolated/isolator.ts";
import { unjailed } from "../src/processes/start-unjailed.ts";

/** Sessions of their own without a jail around them: for what an execd says about them. That they are apart is tested with the real one. */
export function plainIsolator(workspace: string): Isolator {
  return {
    ...{ name: "plain", hasNetwork: false, ids: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 } },
    open: async ({ workspace: { mode } }) => ({
      workspace,
      roots: [{ shown: workspace, directory: workspace, readOnly: mode === "ro" }],
      starter: unjailed,
      env: { PATH: process.env.PATH ?? "", HOME: workspace },
      close: async () => undefined,
    }),
  };
}
