import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually, scratch, startServing } from "../../packages/hub/test/support/serve-fixture.ts";
import { openBrowser, signIn } from "./open-page.ts";

test("the page reports a full disk while it lasts", async (t) => {
  if ((await openBrowser(t)) === undefined) return;
  const place = scratch(t);
  mkdirSync(place.homeDir, { mode: 0o700 });
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs", place.homeDir]);
  if (mounted.status !== 0) return t.skip("needs root to mount a small tmpfs: run as root");
  try {
    mkdirSync(join(place.homeDir, "profiles/default"), { recursive: true });
    const execApproval = { security: "full", ask: "off" };
    writeFileSync(join(place.homeDir, "profiles/default/config.json"), JSON.stringify({ execApproval }));
    const hub = await startServing(t, { at: place });
    const makeToken = async (role: string, name = role) => {
      const { body } = await hub.call("/api/v1/tokens", { method: "POST", body: { role, name } });
      return body as { id: string; token: string };
    };
    const { page } = await signIn(t, { url: hub.served.url, makeToken });
    await page.getByText("● live").waitFor();
    const report = page.getByText(/can.t be put on record: FULL/);

    const ballast = join(place.homeDir, "ballast");
    spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=4096"]);
    await eventually(async () => (await hub.propose(`true ${"x".repeat(20_000)}`)).body.error !== undefined);
    await report.waitFor();

    rmSync(ballast);
    await report.waitFor({ state: "detached" });
  } finally {
    spawnSync("umount", ["--lazy", place.homeDir]);
  }
});
