import { EXIT } from "../base/index.ts";
import { exitCodeOf, type VerifyCommandOptions } from "../receipts/index.ts";
import { printJson, printLines } from "../terminal/index.ts";
import { countReport } from "./count-report.ts";
import { dailyUsage, placeSection } from "./daily-usage.ts";
import { agentSection } from "./people-sections.ts";
import { reportSections } from "./sections.ts";
import { blockLines } from "./text.ts";

/** Since midnight, for each agent and each place, in a few lines. */
export async function today(options: VerifyCommandOptions): Promise<number> {
  const nowMs = Date.now();
  const fromMs = new Date(nowMs).setHours(0, 0, 0, 0);
  const { report, verdict } = await countReport(options, () => ({ fromMs, toMs: nowMs + 1 }), nowMs);
  const places = await dailyUsage(verdict, fromMs);
  if (options.json) {
    printJson({ ...report, places });
    return exitCodeOf(verdict);
  }
  const { agents, running, decided, waiting } = report.figures;
  const asked = agents.reduce((sum, agent) => sum + agent.asked, 0);
  const refused = waiting.left - decided.allowed;
  const { words } = reportSections(report).verdict;
  printLines([
    ...(verdict.whole ? [] : [words]),
    `Today: ${running.left} ran · ${asked} asked · ${refused} refused · ${report.unanswered ?? 0} waiting`,
    ...(agents.length === 0 ? [] : agentSection(agents).blocks.flatMap(blockLines)),
    ...(places.length === 0 ? [] : placeSection(places).blocks.flatMap(blockLines)),
    "More: countersign report --from 24h, countersign policy suggest",
  ]);
  return verdict.whole ? EXIT.ok : EXIT.failed;
}
