import type { Isolator } from "../src/index.ts";
import { unjailed } from "../src/local/processes/start-unjailed.ts";

/** Sessions of their own without a jail around them: for what an execd says about them. That they are apart is tested with the real one. */
export function plainIsolator(workspace: string): Isolator {
  return {
    ...{ name: "plain", workspace, hasNetwork: false },
    open: async ({ readOnly }) => ({
      roots: [{ shown: workspace, directory: workspace, readOnly }],
      starter: unjailed,
      env: { PATH: process.env.PATH ?? "", HOME: workspace },
      close: async () => undefined,
    }),
  };
}
