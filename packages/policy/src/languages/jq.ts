import { JQ_KEYWORDS, JQ_PURE, JQ_REACHES, YQ_PURE } from "./jq-names.ts";
import { type JqToken, splitJq } from "./jq-tokens.ts";

/** Why a jq filter does more than turn its inputs into output. */
export function findJqProblem(text: string): string | undefined {
  return findProblem(text, "jq");
}

/** As for jq, for both programs of that name: one runs jq, the other has a language of its own that looks like it. */
export function findYqProblem(text: string): string | undefined {
  return findProblem(text, "yq");
}

function findProblem(text: string, language: "jq" | "yq"): string | undefined {
  const says = (what: string) => `Gives ${language} a filter that ${what}`;
  const unclear = says("can't be read with certainty");
  const tokens = splitJq(text, language);
  if (tokens === undefined) return unclear;
  const known = (name: string) =>
    JQ_PURE.has(name) || JQ_KEYWORDS.has(name) || (language === "yq" && YQ_PURE.has(name));
  const own = language === "jq" ? findDefined(tokens) : new Set<string>();
  for (const token of findUses(tokens, language)) {
    const reach = token.text
      .split(/[.-]/)
      .map((part) => JQ_REACHES.get(part))
      .find((one) => one !== undefined);
    if (reach !== undefined) return says(reach);
    if (/^\$__(?!loc__$)/.test(token.text)) return unclear;
    if (token.kind === "name" && !known(token.text) && !own.has(token.text)) return unclear;
  }
  return undefined;
}

/** They reach over commas, so that a name after one needn't be a key. */
const REACHING: readonly string[] = ["def", "label", "as"];

/** The names and variables that stand for something to compute; in yq fields too, where a dash may be a minus sign. */
function* findUses(tokens: readonly JqToken[], language: "jq" | "yq"): Iterable<JqToken> {
  const open: string[] = [];
  for (const [at, token] of tokens.entries()) {
    const { kind, text } = token;
    if (kind === "name" && language === "jq" && open.at(-1) === "{" && isKeyPlace(tokens, at)) continue;
    if (kind === "variable" || kind === "name" || (kind === "field" && text.includes("-"))) yield token;
    if (isOpening(token) || (kind === "name" && REACHING.includes(text))) open.push(text);
    else if (isClosing(token)) {
      while (REACHING.includes(open.at(-1) ?? "")) open.pop();
      open.pop();
    }
  }
}

function isKeyPlace(tokens: readonly JqToken[], at: number): boolean {
  const [before, after] = [tokens[at - 1]?.text ?? "", tokens[at + 1]?.text ?? ""];
  return (before === "{" || before === ",") && (after === ":" || after === "," || after === "}");
}

function isOpening({ kind, text }: JqToken): boolean {
  return kind === "string" ? text.endsWith("\\(") : text === "{" || text === "[" || text === "(" || text === "if";
}

function isClosing({ kind, text }: JqToken): boolean {
  return kind !== "string" && (text === "}" || text === "]" || text === ")" || text === "end");
}

/** The names of functions and of their parameters. */
function findDefined(tokens: readonly JqToken[]): ReadonlySet<string> {
  const found = new Set<string>();
  let inParameters = false;
  for (const [at, { kind, text }] of tokens.entries()) {
    const [before, two] = [tokens[at - 1]?.text, tokens[at - 2]?.text];
    if (kind === "name" && (before === "def" || inParameters)) found.add(text);
    if (text === "(" && two === "def") inParameters = true;
    else if (text === ")") inParameters = false;
  }
  return found;
}
