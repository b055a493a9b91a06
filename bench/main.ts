// `npm run bench`: ratios in one run; machines are noisy, absolute times are not figures.
// Each bench has a process of its own, so that one's memory isn't the other's.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

for (const bench of ["start.ts", "run-true.ts", "many-approvals.ts", "approval-round-trip.ts", "idle-clients.ts"]) {
  const { status } = spawnSync(process.execPath, ["--expose-gc", fileURLToPath(new URL(bench, import.meta.url))], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}
