import { realpathSync } from "node:fs";
import { type RepositoryFile, readRepositoryFile, repositoryFor, type Trust, trustIn } from "@countersign/hub";
import { describeLayerChange, type LayerBlock } from "@countersign/policy";
import { ceilingWords } from "@countersign/protocol/describe";
import { visible } from "@countersign/protocol/text";
import { CliError, EXIT, type GlobalOptions } from "../base/index.ts";
import { sendTrust } from "../offline/index.ts";
import { day } from "../show/index.ts";
import { askYes, printJson, printLines } from "../terminal/index.ts";
import { withOffline } from "./offline.ts";

export interface TrustOptions extends GlobalOptions {
  readonly yes?: boolean;
  readonly remove?: boolean;
}

/** Shows what a repository's policy would allow, and after a yes lets it. */
export async function trustRepository(directory: string | undefined, options: TrustOptions): Promise<number> {
  const at = repositoryFor(realpathSync(directory ?? "."));
  if (options.remove) {
    await sendTrust({ directory: at, sha256: null }, options);
    tell(
      { directory: at, trusted: false },
      `No longer trusted: ${visible(at)}. What its policy denies still applies.`,
      options,
    );
    return EXIT.ok;
  }
  const { block, sha256, file } = readable(at);
  const before = await withOffline(options, async ({ store }) => (store ? await trustIn(at, store) : undefined));
  if (before?.sha256 === sha256) {
    tell({ directory: at, sha256, trusted: true }, `${visible(file)} is trusted already, as it is.`, options);
    return EXIT.ok;
  }
  if (!options.yes) {
    const lines = [visible(file), ...trustLines(at, block, before)];
    const unasked = "Nobody can be asked here: look at the file, then give --yes.";
    await askYes(lines, { question: "Trust it?", unasked, refused: "Not trusted; nothing was changed." }, options);
  }
  await sendTrust({ directory: at, sha256 }, options);
  tell({ directory: at, sha256, trusted: true }, `Trusted, as long as it stays as it is: ${visible(file)}`, options);
  return EXIT.ok;
}

function tell(json: object, sentence: string, options: TrustOptions): void {
  if (options.json) printJson(json);
  else printLines([sentence]);
}

function readable(directory: string): { block: LayerBlock; sha256: string; file: string } {
  const found: RepositoryFile | undefined = readRepositoryFile(directory);
  if (!found) throw new CliError("NOT_FOUND", `${directory} has no .countersign/policy.json.`);
  if (!found.reading.ok)
    throw new CliError(
      "FAILED",
      `${found.reading.problem}. Fix it first. Until then every command in this repository is denied.`,
    );
  return { ...found.reading, file: found.file };
}

function trustLines(directory: string, { allowlist, denylist }: LayerBlock, before: Trust | undefined): string[] {
  const entry = (sign: string) => (one: LayerBlock["allowlist"][number]) =>
    `  ${sign} ${visible(one.command ?? one.pattern)}${one.ceiling ? ` (${ceilingWords(one.ceiling)})` : ""}`;
  const gone = (before?.block.allowlist ?? []).filter(
    ({ pattern }) => !allowlist.some((one) => one.pattern === pattern),
  );
  const news = before ? describeLayerChange(before.block, { allowlist, denylist }, ceilingWords) : [];
  return [
    ...(denylist.length === 0 ? [] : ["It denies, which applies already:", ...denylist.map(entry("-"))]),
    `It would allow, inside ${visible(directory)} alone:`,
    ...(allowlist.length === 0 ? ["  nothing"] : allowlist.map(entry("+"))),
    ...(before ? [`Since ${visible(before.by)} trusted it on ${day(before.atMs)}:`] : []),
    ...news.map((text) => `  ${visible(text)}`),
    ...gone.map(({ pattern }) => `  no longer allows ${visible(JSON.stringify(pattern))}`),
  ];
}
