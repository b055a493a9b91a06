import {
  DOWNLOADERS,
  INPUT_SENDERS,
  INPUT_SENDERS_WITH,
  NAME_TOOLS,
  PRINTS_ITS_WORDS,
  REMOTE_KEEPERS,
  SECRET_SEARCH,
  SECRET_VARIABLE,
  SHOWS_ENVIRONMENT,
  SHOWS_ITS_WORDS,
  TAKES_CREDENTIAL,
  TELLS_OF_MACHINE,
  VERSION_FILE,
} from "../catalog/index.ts";
import { THIS_MACHINE } from "../catalog/places/index.ts";
import {
  basename,
  compilePattern,
  type Effect,
  type EffectDetails,
  isInsideAny,
  type Machine,
  makeEffect,
  normalize,
  WILD,
  type Word,
} from "../model/index.ts";
import { isAboveSecrets, isSecret, meaningOfReading, READ_OPEN, SECRET_NAMES } from "../paths/index.ts";
import { matchDangers } from "../programs/index.ts";
import type { Call, Draft, DraftPart } from "../shell/index.ts";

const inputSenders = new Set(INPUT_SENDERS);
const senders = new Set([...DOWNLOADERS, ...NAME_TOOLS, ...INPUT_SENDERS]);
const secretVariable = compilePattern(SECRET_VARIABLE);
const thisMachine = new RegExp(THIS_MACHINE);
const versionFile = compilePattern(VERSION_FILE);

/** Rule id for showing a variable that contains a credential. */
const SHOWS_SECRET = "environment.secret";

/**
 * Returns effects for local data that a single command sends to another machine, or shows, by its own words and
 * redirects.
 */
export function judgeLeaks(name: string, words: readonly Word[], call: Call): Effect[] {
  const { span } = call;
  if (sendsFile(name, call)) return [sends(call, `sends a file to another machine with ${name}`)];
  if (senders.has(name) && !isToThisMachine(words.map((word) => word.mask))) {
    const teller = call.fedBy.find(tellsOfMachine);
    const program = basename(teller?.words[0] ?? "");
    if (teller !== undefined) return [sends(call, `tells another machine what ${program} prints`)];
    // In a header, the credential goes to the service that it is for.
    const shown = words.find((word, at) => namesSecret(word) && !isHeader(words[at - 1]?.mask ?? "", word.mask));
    if (shown !== undefined) return [sends(call, `sends what ${shown.text} holds to another machine`)];
  }
  const secret = showsVariable(name, words) && !call.foreign.some((effect) => effect.kind === "writes");
  if (!secret) return [];
  const sentence = "Matches dangerous pattern: shows a variable that holds a credential";
  const about = { kind: "credentials", risk: "dangerous", layer: "dangerous-pattern", ruleId: SHOWS_SECRET } as const;
  return [makeEffect(span, { ...about, sentence })];
}

function isToThisMachine(words: readonly (string | null)[]): boolean {
  return words.some((word) => word !== null && thisMachine.test(word));
}

/** `nc host 4444 < file`. */
function sendsFile(name: string, { foreign, words, stdin }: Call): boolean {
  const sender = inputSenders.has(name) || (name === "openssl" && words[1]?.literal === "s_client");
  if (!sender || isToThisMachine(words.map((word) => word.mask))) return false;
  const puts = /^(sftp|ftp|lftp)$/.test(name) && /(^|[;\n])\s{0,9}(m?put|send|mirror -R)\b/.test(stdin ?? "");
  return puts || foreign.some((effect) => effect.kind === "reads" && effect.ruleId.startsWith("path."));
}

function tellsOfMachine({ words }: DraftPart): boolean {
  const name = basename(words[0] ?? "");
  if (name === "git") return words[1] !== null && /^(config|log|show|diff|remote)$/.test(words[1] ?? "");
  if (!TELLS_OF_MACHINE.includes(name)) return false;
  return name !== "cat" || !words.slice(1).every((word) => word !== null && versionFile.test(word));
}

function isHeader(before: string, word: string): boolean {
  return (
    /^(-[a-zA-Z]*[Hu]|--(header|user|oauth2-bearer|proxy-user))$/.test(before) ||
    /^(-H|-u|--header=|--user=)/.test(word)
  );
}

function showsVariable(name: string, words: readonly Word[]): boolean {
  if (name === "printenv") return words.some((word) => word.literal !== null && secretVariable.test(word.literal));
  return SHOWS_ITS_WORDS.includes(name) && words.some(namesSecret);
}

/** Reports whether the word expands `$TOKEN` or `${TOKEN}`, not its length or whether it is set. */
function namesSecret({ literal, text }: Word): boolean {
  if (literal !== null) return false;
  for (const [, plain, braced, rest = ""] of text.matchAll(/\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)([^}]*)\})/g)) {
    if (secretVariable.test(plain ?? braced ?? "") && !/^:?\+/.test(rest)) return true;
  }
  return false;
}

function sends({ span }: Call, what: string): Effect {
  const sentence = `Matches dangerous pattern: ${what}`;
  const about = { kind: "network-send", risk: "dangerous", layer: "dangerous-pattern", ruleId: "leak" } as const;
  return makeEffect(span, { ...about, sentence });
}

const sendersWith = INPUT_SENDERS_WITH.map(({ names, form }) => ({ names, form: new RegExp(form) }));
const secretSearch = compilePattern(SECRET_SEARCH);
const takesCredential = new RegExp(TAKES_CREDENTIAL);

/** Adds effects for a stage that sends, searches or executes the output of the stages before it. */
export function judgePipedData(draft: Draft, starts: readonly number[]): void {
  for (let stage = 1; stage < starts.length; stage += 1) {
    const before = draft.parts.slice(starts[0], starts[stage]);
    for (const part of draft.parts.slice(starts[stage], starts[stage + 1])) {
      for (const details of judgeStage(part, before, draft)) part.effects.push(makeEffect(part.span, details));
      if (part.words.some((word) => word !== null && takesCredential.test(word))) dropShownSecret(before);
    }
  }
}

function judgeStage(part: DraftPart, before: readonly DraftPart[], draft: Draft): EffectDetails[] {
  const name = basename(part.words[0] ?? "");
  const words = part.words.slice(1);
  if (sendsInput(name, words) && !isToThisMachine(words) && !before.every(printsItsWords))
    return [grave("network-send", "leak.piped", `sends what it is piped to another machine with ${name}`)];
  if (REMOTE_KEEPERS.includes(name) && before.some((one) => readsAround(one, draft)))
    return [grave("network-send", "leak.piped", `sends files from outside the workspace with ${name}`)];
  if (before.some(showsEnvironment) && words.some((word) => word !== null && secretSearch.test(word)))
    return [grave("credentials", SHOWS_SECRET, "looks for credentials in the environment")];
  return judgeStatements(name, part, before.at(-1));
}

function grave(kind: EffectDetails["kind"], ruleId: string, what: string): EffectDetails {
  const sentence = `Matches dangerous pattern: ${what}`;
  return { kind, risk: "dangerous", layer: "dangerous-pattern", ruleId, sentence };
}

function sendsInput(name: string, words: readonly (string | null)[]): boolean {
  if (INPUT_SENDERS.includes(name)) return true;
  return sendersWith.some(
    ({ names, form }) => names.includes(name) && words.some((word) => word !== null && form.test(word)),
  );
}

function printsItsWords({ words }: DraftPart): boolean {
  const name = basename(words[0] ?? "");
  if (name === "jq") return words.includes("-n") || words.includes("--null-input");
  return PRINTS_ITS_WORDS.includes(name) && words.every((word) => word !== null);
}

/** Reports whether the part reads or names something outside the workspace. */
function readsAround({ effects }: DraftPart, { machine }: Draft): boolean {
  return effects.some(
    ({ target }) => target?.startsWith("/") && !isInsideAny(target, machine.roots) && !/^\/(usr|bin)\//.test(target),
  );
}

function showsEnvironment({ words }: DraftPart): boolean {
  const rest = words.slice(1);
  return SHOWS_ENVIRONMENT.includes(basename(words[0] ?? "")) && rest.every((word) => word?.startsWith("-"));
}

/** Reads `echo 'DROP TABLE x' | psql`: the printed text is SQL. */
function judgeStatements(name: string, { words, effects }: DraftPart, source: DraftPart | undefined): EffectDetails[] {
  if (source === undefined || !printsItsWords(source)) return [];
  const stdin = source.words.slice(1).join(" ");
  const input = {
    words: [...words.slice(1).map((word) => word ?? ""), stdin],
    stdin,
    subcommand: undefined,
    mayAbbreviate: () => true,
  };
  return matchDangers(name, input)
    .filter(({ text, id }) => text !== undefined || id.startsWith("database."))
    .filter(({ id }) => !effects.some((effect) => effect.ruleId === id))
    .map(({ kind, id, sentences }) => ({
      kind,
      risk: "dangerous",
      layer: "dangerous-pattern",
      ruleId: id,
      sentence: sentences[0] ?? "",
    }));
}

/** Drops the "shown" effect of a credential that is passed to the service it is for. */
function dropShownSecret(parts: readonly DraftPart[]): void {
  for (const { effects } of parts) {
    const at = effects.findIndex((effect) => effect.ruleId === SHOWS_SECRET);
    if (at !== -1) effects.splice(at, 1);
  }
}

/**
 * Judges reads of unknown paths by the words of the same command, as in `find / -name id_rsa | xargs cat`. A jail would
 * refuse such a read too, but a person should know of it.
 */
export function judgeFedReads(draft: Draft): void {
  const lists = [draft.loose, ...draft.parts.map((part) => part.effects)];
  if (!lists.some((effects) => effects.some(isOpenRead))) return;
  const worse = findWorse(draft);
  if (worse === undefined) return;
  for (const effects of lists) {
    for (const [index, effect] of effects.entries()) if (isOpenRead(effect)) effects[index] = worse(effect);
  }
}

function isOpenRead(effect: Effect): boolean {
  return effect.ruleId === READ_OPEN && effect.risk === "safe";
}

function findWorse({ parts, machine }: Draft): ((effect: Effect) => Effect) | undefined {
  const paths = parts.flatMap((part) => namedPaths(part, machine));
  const listed = parts.some((part) => part.effects.some((effect) => effect.ruleId === SECRET_NAMES));
  const secret = paths.find((path) => isSecret(path, machine));
  if (secret !== undefined || listed) {
    const sentence = `Reads what other words name: ${secret?.replaceAll(WILD, "*") ?? "secrets"}`;
    return (effect) => ({ ...effect, kind: "credentials", risk: "dangerous", ruleId: "path.secret-fed", sentence });
  }
  const wide = paths.find(
    (path) =>
      !isInsideAny(path, machine.roots) &&
      (isAboveSecrets(path, machine) || meaningOfReading(path, machine) === "private"),
  );
  if (wide === undefined) return undefined;
  const sentence = `Reads what is found in ${wide.replaceAll(WILD, "*")}`;
  return (effect) => ({ ...effect, risk: "needs-review", ruleId: "path.read-fed", sentence });
}

/** Returns the paths that words may name, with quoted globs expanded. Words that exclude names are skipped. */
function namedPaths({ words, directory }: DraftPart, { home, cwd }: Machine): string[] {
  if (words.some((word) => word !== null && /^(-[a-zA-Z]*v|--invert-match|-not|!|--exclude.*|-prune)$/.test(word)))
    return [];
  return words.slice(1).flatMap((word) => {
    if (word === null || word === "" || /^-|[\s|;]/.test(word) || word.length > 4_096) return [];
    const text = word.replace(/[*?]/g, WILD);
    const full = /^~(\/|$)/.test(text) ? home + text.slice(1) : text;
    return [normalize(full.startsWith("/") ? full : `${directory ?? cwd}/${full}`)];
  });
}
