import type { HereDoc, Redirection } from "unbash";
import type { ClassifyContext } from "./classification.ts";
import type { Frame } from "./draft.ts";
import { spanIn } from "./draft.ts";
import type { Effect } from "./effect.ts";
import { judgeRead, judgeWrite } from "./judge-path.ts";
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
  if (redirect.type === "HereString") return target.shape === "other" ? [unclear(site)] : [];
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
  const { span, layer } = site;
  return [
    { kind: "network-send", risk: "dangerous", span, layer, ruleId: "path.socket", sentence, target: path, own: false },
  ];
}

/** The parser takes a here-document without its end for a whole one, and odd delimiters; bash and it may part there. */
function isClosed({ closing, delimiter }: HereDoc): boolean {
  return closing !== undefined && /^(\\?\w+|'\w+'|"\w+")$/.test(delimiter?.text ?? "");
}

/** A here-document's expansions; its substitutions are walked by the caller. */
function judgeText(parts: readonly { readonly type: string }[], site: PathSite): Effect[] {
  const plain = ["Literal", "SimpleExpansion", "CommandExpansion"];
  return parts.every((part) => plain.includes(part.type)) ? [] : [unclear(site)];
}

function unclear(site: PathSite): Effect {
  const { span, layer } = site;
  const sentence = "Uses a redirect that can't be read with certainty";
  return { kind: "obfuscation", risk: "needs-review", span, layer, ruleId: "redirect.unclear", sentence, own: false };
}
