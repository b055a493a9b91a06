// `npm run bench`: ratios in one run; machines are noisy, absolute times are not figures.
import { benchManyApprovals } from "./many-approvals.ts";
import { benchRunTrue } from "./run-true.ts";

await benchRunTrue();
await benchManyApprovals();
process.exit(0);
