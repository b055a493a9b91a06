import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "@countersign/core/base";
import { type Served, serve } from "@countersign/hub";

/** A real server on a scratch home, on a free port. */
export async function scratchServer(): Promise<Served & { workspace: string; token: string; remove(): Promise<void> }> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "countersign-bench-")));
  const workspace = join(scratch, "workspace");
  mkdirSync(workspace);
  const served = await serve({
    homeDir: join(scratch, "home"),
    cwd: workspace,
    port: 0,
    log: silentLog,
    token: undefined,
  });
  const token = readFileSync(served.home.token, "utf8").trim();
  const remove = async () => {
    await served.close();
    rmSync(scratch, { recursive: true, force: true });
  };
  return { ...served, workspace, token, remove };
}
