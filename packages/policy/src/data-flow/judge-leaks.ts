import {
  DOWNLOADERS,
  INPUT_SENDERS,
  NAME_TOOLS,
  SECRET_VARIABLE,
  SHOWS_ITS_WORDS,
  TELLS_OF_MACHINE,
  VERSION_FILE,
} from "../catalog/index.ts";
import { THIS_MACHINE } from "../catalog/places/index.ts";
import { basename, type Effect, makeEffect, type WordReading } from "../model/index.ts";
import type { Call, DraftPart } from "../shell/index.ts";

const inputSenders = new Set(INPUT_SENDERS);
const senders = new Set([...DOWNLOADERS, ...NAME_TOOLS, ...INPUT_SENDERS]);
const secretVariable = new RegExp(SECRET_VARIABLE);
const thisMachine = new RegExp(THIS_MACHINE);
const versionFile = new RegExp(VERSION_FILE);

/** The rule of a command that shows a variable which holds a credential. */
export const SHOWS_SECRET = "environment.secret";

/** Data of this machine that one command gives to another machine, or shows, by its own words and redirects. */
export function judgeLeaks(name: string, words: readonly WordReading[], call: Call): Effect[] {
  const { span } = call;
  if (sendsFile(name, call)) return [sends(call, `sends a file to another machine with ${name}`)];
  if (senders.has(name) && !isToThisMachine(words.map((word) => word.mask))) {
    const teller = call.fedBy.find(tellsOfMachine);
    const program = basename(teller?.words[0] ?? "");
    if (teller !== undefined) return [sends(call, `tells another machine what ${program} prints`)];
    // In a header it goes to where it belongs.
    const shown = words.find((word, at) => namesSecret(word) && !isHeader(words[at - 1]?.mask ?? "", word.mask));
    if (shown !== undefined) return [sends(call, `sends what ${shown.text} holds to another machine`)];
  }
  const secret = showsVariable(name, words) && !call.foreign.some((effect) => effect.kind === "writes");
  if (!secret) return [];
  const sentence = "Matches dangerous pattern: shows a variable that holds a credential";
  const about = { kind: "credentials", risk: "dangerous", layer: "dangerous-pattern", ruleId: SHOWS_SECRET } as const;
  return [makeEffect(span, { ...about, sentence })];
}

export function isToThisMachine(words: readonly (string | null)[]): boolean {
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

function showsVariable(name: string, words: readonly WordReading[]): boolean {
  if (name === "printenv") return words.some((word) => word.literal !== null && secretVariable.test(word.literal));
  return SHOWS_ITS_WORDS.includes(name) && words.some(namesSecret);
}

/** `$TOKEN` and `${TOKEN}`; not its length, and not whether it is set. */
function namesSecret({ literal, text }: WordReading): boolean {
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
