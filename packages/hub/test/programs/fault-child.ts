// A scripted run of a hub, for tests that break its writes. Arguments: home, workspace, a name for this round. Says what it was told.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LOCAL_AGENT, silentLog } from "@countersign/core/base";
import { prepareHome, readConfig } from "@countersign/core/config";
import { openSqliteStore } from "@countersign/store";
import { openHub } from "../../src/hub/compose.ts";

const [homeDir = "", workspace = "", round = ""] = process.argv.slice(2);
const home = prepareHome(homeDir);
mkdirSync(join(home.profiles, "default"), { recursive: true });
const profile = { security: "full", ask: "off", sandbox: "off", denylist: [{ pattern: "rm **" }] };
writeFileSync(join(home.profiles, "default/config.json"), JSON.stringify({ execApproval: profile }));

const store = await openSqliteStore(home.database);
const hub = await openHub({ home, store, config: readConfig(home.config), serveCwd: workspace, log: silentLog });
for (const [step, command] of ["touch", "touch", "rm", "touch"].entries()) {
  const proposalId = `${round}-${step}`;
  try {
    const outcome = await hub.proposals.propose(
      { command: `${command} ${proposalId}`, cwd: workspace, proposalId },
      LOCAL_AGENT,
    );
    console.log(`ack ${proposalId} ${outcome.kind} ${outcome.receipt}`);
  } catch (cause) {
    console.log(`failed ${proposalId} ${(cause as { code?: string }).code}`);
  }
}
await hub.close().catch((cause) => console.log(`failed close ${(cause as { code?: string }).code}`));
await store.close();
console.log("done");
