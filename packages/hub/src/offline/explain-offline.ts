import { existsSync } from "node:fs";
import { systemClock } from "@countersign/core/base";
import { FileHashes } from "@countersign/core/host";
import { TrustedPath } from "@countersign/core/host/fs";
import type { Explanation } from "@countersign/policy";
import type { ExplainParams } from "@countersign/protocol/proposals";
import { openOffline, ownPaths } from "../policies/index.ts";
import { explainCommand, Judge } from "../proposals/index.ts";

/**
 * The same without a hub. A directory that can't be a workspace (`/`, a home) then lies outside of every one: where a hub
 * was started, nobody knows.
 */
export async function explainOffline(
  params: ExplainParams & { readonly cwd: string },
  homeDir: string,
): Promise<Explanation> {
  const offline = await openOffline(homeDir);
  try {
    const { home, config, policies, profileIds } = offline;
    const judge = new Judge({
      clock: systemClock,
      policies,
      protectedPaths: ownPaths(home, config),
      trustedPath: new TrustedPath(process.env.PATH, [...config.roots, home.dir]),
      hashes: new FileHashes(),
      // Whether one would hold is found out by building it, when a hub starts.
      hasJail: existsSync("/usr/bin/bwrap"),
      // What was allowed for a while, or denied, only a hub knows.
      rememberedAnswers: () => ({}),
    });
    const setting = { config, serveCwd: home.dir, nowMs: systemClock.wallMs() };
    return await explainCommand(params, judge, { ...setting, profileIds });
  } finally {
    await offline.close();
  }
}
