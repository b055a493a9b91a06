import type { HereDoc, Redirection } from "unbash";
import type { ClassifyContext } from "./classification.ts";
import type { Frame } from "./draft.ts";
import { spanIn } from "./draft.ts";
import type { Effect } from "./effect.ts";
import { judgeRead, judgeWrite } from "./judge-path.ts";
import { makeEffect } from "./make-effect.ts";
import type { PathSite } from "./path-effect.ts";
import { readWord } from "./read-word.ts";

/** What a redirect opens. It is the shell's doing, so nothing here is ever the program's own. */
export function judgeRedirect(redirect: Redirection, frame: Frame, context: ClassifyContext): Effect[] {
  const span = spanIn(frame, redirect);
  const site: PathSite = { context, directory: frame.directory, span, own: false, layer: "shell-syntax" };
  const places = { home: context.home, cwd: frame.directory.path };
  if (redirect.descriptor?.type === "FileDescriptorVariable") return [unclear(site)];
  if (redirect.type === "HereDoc")
    return isClosed(redirect) ? judgeText(redirect.body.parts ?? [], site) : [unclear(site)];
  // `< 2>&1`: bash takes the digits for a descriptor and fails, the parser takes them for the target.
  if (
    redirect.target === undefined ||
    /^\d+[<>]/.test(frame.source.slice(redirect.target.pos, redirect.target.end + 1))
  ) {
    return [unclear(site)];
  }
  const target = readWord(redirect.target, span, places);
  if (redirect.type === "HereString") {
    if (target.shape === "other") return [unclear(site)];
    return target.literal === null ? [feedsOpen(target.text, site)] : [];
  }
  const { operator } = redirect;
  if (operator === "<") return judgeInput(target.literal, site) ?? judgeRead(target, CONTENTS, site);
  const duplicates = operator === ">&" || operator === "<&";
  if (duplicates && target.literal !== null && /^(\d+-?|-)$/.test(target.literal)) return [];
  if (operator === "<&") return [unclear(site)];
  return judgeWrite(target, site);
}

/** The literal text that a here-document or here-string feeds to the command, when it is literal. */
export function readStdin(redirect: Redirection, frame: Frame, context: ClassifyContext): string | undefined {
  if (redirect.type === "HereDoc") return redirect.body.text;
  if (redirect.type !== "HereString" || redirect.target === undefined) return undefined;
  const places = { home: context.home, cwd: frame.directory.path };
  return readWord(redirect.target, spanIn(frame, redirect), places).literal ?? undefined;
}

const CONTENTS = { namesOnly: false, recursive: false };

function judgeInput(path: string | null, site: PathSite): Effect[] | undefined {
  if (path === null || !/^\/dev\/(tcp|udp)\//.test(path)) return undefined;
  const sentence = `Opens a network connection: ${path}`;
  const about = { kind: "network-send", risk: "dangerous", ruleId: "path.socket", target: path } as const;
  return [makeEffect(site.span, { ...about, sentence })];
}

/** The parser takes a here-document without its end for a whole one, and odd delimiters; bash and it may part there. */
function isClosed({ closing, delimiter }: HereDoc): boolean {
  return closing !== undefined && /^(\\?\w+|'\w+'|"\w+")$/.test(delimiter?.text ?? "");
}

/** A here-document's expansions; its substitutions are walked by the caller. */
function judgeText(parts: readonly { readonly type: string }[], site: PathSite): Effect[] {
  const plain = ["Literal", "SimpleExpansion", "CommandExpansion"];
  if (!parts.every((part) => plain.includes(part.type))) return [unclear(site)];
  return parts.some((part) => part.type !== "Literal") ? [feedsOpen("a here-document", site)] : [];
}

/** What is fed may be shown, as with `echo "$x"`: a jail's environment holds no secret. */
function feedsOpen(what: string, site: PathSite): Effect {
  const sentence = `Feeds in what ${what} stands for`;
  const about = { kind: "reads", risk: "safe", ruleId: "redirect.open", reliesOnJail: true } as const;
  return makeEffect(site.span, { ...about, sentence });
}

function unclear(site: PathSite): Effect {
  const sentence = "Uses a redirect that can't be read with certainty";
  return makeEffect(site.span, { kind: "obfuscation", ruleId: "redirect.unclear", sentence });
}
