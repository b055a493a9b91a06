import type { HereDoc, Redirection, RedirectOperator } from "unbash";
import { type Effect, makeEffect, type Span, type Word } from "../model/index.ts";
import { isKeptBySystem, judgeRead, judgeWrite, type PathSite } from "../paths/index.ts";
import {
  type Draft,
  type Frame,
  type Knowledge,
  knowledgeOf,
  readAssigned,
  readFields,
  readText,
  spanIn,
  UNKNOWN,
} from "../shell/index.ts";
import { setVariable } from "./assignment.ts";

/** Judges what a redirect opens. The shell opens it, so no effect is the program's own. */
export function judgeRedirect(draft: Draft, redirect: Redirection, frame: Frame): Effect[] {
  const span = spanIn(frame, redirect);
  const site: PathSite = {
    machine: draft.machine,
    directory: frame.directory,
    span,
    own: false,
    layer: "shell-syntax",
  };
  const knowledge = knowledgeOf(draft, frame);
  const named = redirect.descriptor?.type === "FileDescriptorVariable" ? redirect.descriptor.name : undefined;
  const number =
    named === undefined ? [] : [...setVariable(draft, frame, { name: named, value: UNKNOWN, span }), unclear(site)];
  if (redirect.type === "HereDoc") return [...number, ...judgeHereDoc(redirect, knowledge, site)];
  const { target } = redirect;
  if (target === undefined) return [unclear(site)];
  if (redirect.type === "HereString") {
    const word = readAssigned(target, span, knowledge);
    if (word.shape === "other") return [...number, unclear(site)];
    return word.literal === null ? [...number, feedsOpen(word.text, site)] : number;
  }
  // Bash rejects a target of several words or none.
  const [word, second] = readFields(target, span, knowledge);
  const feeds = target.parts?.some((part) => part.type === "ProcessSubstitution" && part.operator === ">");
  if (word === undefined || second !== undefined || feeds) return [...number, unclear(site)];
  return [...number, ...judgeTarget(redirect.operator, word, site)];
}

function judgeTarget(operator: RedirectOperator, target: Word, site: PathSite): Effect[] {
  if (operator === "<") return judgeInput(target.literal, site) ?? judgeRead(target, CONTENTS, site);
  const duplicates = operator === ">&" || operator === "<&";
  if (duplicates && target.literal !== null && /^(\d+-?|-)$/.test(target.literal)) return [];
  if (operator === "<&") return [unclear(site)];
  const effects = judgeWrite(target, site);
  return operator === ">>" || operator === "&>>" ? effects : effects.map((effect) => overwrites(effect, site));
}

/** Raises an overwrite of files that the system keeps, such as logs: truncating loses them. */
function overwrites(effect: Effect, { machine }: PathSite): Effect {
  if (effect.risk === "dangerous" || effect.target === undefined || !isKeptBySystem(effect.target, machine))
    return effect;
  const sentence = `Overwrites what the machine keeps: ${effect.target}`;
  return { ...effect, risk: "dangerous", ruleId: "redirect.overwrites-kept", sentence };
}

/** Returns the text of a here-document or here-string, if it is literal. */
export function readStdin(redirect: Redirection, span: Span, knowledge: Knowledge): string | undefined {
  if (redirect.type === "HereDoc") return bodyOf(redirect);
  if (redirect.type !== "HereString" || redirect.target === undefined) return undefined;
  return readAssigned(redirect.target, span, knowledge).literal ?? undefined;
}

/** Returns the body. `<<-` removes leading tabs, except on a continued line. */
function bodyOf({ operator, body, delimiter }: HereDoc): string {
  if (operator !== "<<-") return body.text;
  return body.text.replace(delimiter?.quoted ? /^\t+/gm : /(?<!\\\n)^\t+/gm, "");
}

const CONTENTS = { namesOnly: false, recursive: false };

function judgeInput(path: string | null, site: PathSite): Effect[] | undefined {
  if (path === null || !/^\/dev\/(tcp|udp)\//.test(path)) return undefined;
  const sentence = `Opens a network connection: ${path}`;
  const about = { kind: "network-send", risk: "dangerous", ruleId: "path.socket", target: path } as const;
  return [makeEffect(site.span, { ...about, sentence })];
}

/**
 * Reports whether the here-document has its end and a plain delimiter: otherwise bash may read it differently than the
 * parser.
 */
function isClosed({ closing, delimiter }: HereDoc): boolean {
  return closing !== undefined && /^(\\?\w+|'\w+'|"\w+")$/.test(delimiter?.text ?? "");
}

/** Judges a here-document's expansions; the caller walks its substitutions. */
function judgeHereDoc(redirect: HereDoc, knowledge: Knowledge, site: PathSite): Effect[] {
  const { parts } = redirect.body;
  if (!isClosed(redirect)) return [unclear(site)];
  if (parts === undefined) return [];
  const { shape, literal } = readText(parts, knowledge);
  if (shape === "other") return [unclear(site)];
  return literal === null ? [feedsOpen("a here-document", site)] : [];
}

/**
 * Returns the effect of input that isn't known. It may be shown, as by `echo "$x"`; a jail's environment contains no
 * secret.
 */
function feedsOpen(what: string, site: PathSite): Effect {
  const sentence = `Passes the value of ${what} as input`;
  const about = { kind: "reads", risk: "safe", ruleId: "redirect.open", reliesOnJail: true } as const;
  return makeEffect(site.span, { ...about, sentence });
}

function unclear(site: PathSite): Effect {
  const sentence = "Uses a redirect that can't be read with certainty";
  return makeEffect(site.span, { kind: "obfuscation", ruleId: "redirect.unclear", sentence });
}
