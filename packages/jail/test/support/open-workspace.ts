import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { silentLog } from "@countersign/core/base";
import { JailError } from "../../src/base/jail-error.ts";
import { openWorkspaceJail, type WorkspaceJail } from "../../src/bubblewrap/workspace-jail.ts";

/** A jail around a directory that is there for one test, which is skipped where none can be built. */
export async function openWorkspace(
  t: TestContext,
  more: { readonly readOnly?: boolean } = {},
): Promise<WorkspaceJail | undefined> {
  const dir = realpathSync(mkdtempSync("/var/tmp/countersign-workspace-"));
  let jail: WorkspaceJail | undefined;
  t.after(async () => {
    await jail?.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const [workspace, homeDir] = [join(dir, "workspace"), join(dir, "home")];
  for (const path of [workspace, homeDir]) mkdirSync(path);
  try {
    jail = await openWorkspaceJail({ workspace, homeDir, network: false, log: silentLog, ...more });
  } catch (cause) {
    if (!(cause instanceof JailError)) throw cause;
    t.skip(cause.message);
  }
  return jail;
}
