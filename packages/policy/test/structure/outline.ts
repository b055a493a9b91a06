import {
  type Command,
  type Coproc,
  type If,
  type ParsedScript,
  type Pipeline,
  parse,
  type Redirection,
  type SyntaxNode,
} from "unbash";
import { childrenOf, outlineParts } from "./outline-word.ts";

/** What was read, without positions and spelling: two texts with the same outline mean the same to us. */
export type Outline = readonly (string | Outline)[];

export interface Outliner {
  node(node: SyntaxNode): Outline;
  script(script: ParsedScript | undefined): Outline;
}

/** The outline of shell text, or undefined when it can't be read to its end. */
export function outlineOf(source: string): Outline | undefined {
  let failed = false;
  const outliner: Outliner = {
    node: (node) => outlineNode(node, outliner),
    script(script) {
      if (script === undefined || (script.errors?.length ?? 0) > 0) failed = true;
      return (script?.commands ?? []).map((statement) => outliner.node(statement));
    },
  };
  const outline = outliner.script(parse(source));
  return failed ? undefined : outline;
}

/** Node by node; what bash prints otherwise than it was written, but means alike, comes out alike. */
function outlineNode(node: SyntaxNode, outliner: Outliner): Outline {
  switch (node.type) {
    case "Statement":
      return [node.background ? "&" : ";", outliner.node(node.command)];
    case "AndOr":
      return ["AndOr", ...node.operators, ...node.commands.map(outliner.node)];
    case "Pipeline":
      return outlinePipeline(node, outliner);
    case "Command":
      return outlineCommand(node, outliner);
    case "Redirected":
      return [
        "Redirected",
        outliner.node(node.command),
        ...node.redirects.map((one) => outlineRedirect(one, outliner)),
      ];
    case "If":
      return outlineIf(node, outliner);
    case "For":
    case "Select":
      // Without a list it goes through the positional parameters, and bash prints them.
      return [
        node.type,
        node.name.value,
        ...(node.wordlist?.map(outliner.node) ?? [outliner.node(parseWord('"$@"'))]),
        outliner.node(node.body),
      ];
    case "While":
      return [node.kind, ...childrenOf(node, outliner)];
    case "Function":
      return ["Function", node.name.value, inBraces(outliner.node(node.body))];
    case "Coproc":
      return ["Coproc", node.name?.value ?? "COPROC", outlineCoprocess(node, outliner)];
    case "CaseItem":
      return ["CaseItem", node.terminator ?? ";;", ...childrenOf(node, outliner)];
    default:
      return outlineSmall(node, outliner);
  }
}

/** Words and what is in arithmetic and tests. */
function outlineSmall(node: SyntaxNode, outliner: Outliner): Outline {
  switch (node.type) {
    case "Word":
      return node.parts === undefined ? [node.value] : outlineParts(node.parts, outliner);
    case "Assignment":
      return ["Assignment", node.name, node.append ? "+=" : "=", ...childrenOf(node, outliner)];
    case "ArithmeticWord":
      return node.parts === undefined ? [joined(node.value)].filter(Boolean) : outlineParts(node.parts, outliner);
    case "ArithmeticCommandExpansion":
      return [node.type, outliner.script(node.script)];
    case "ArithmeticFor":
      // A part that is left out counts as true, and bash prints it as 1.
      return [
        node.type,
        ...[node.initialize, node.test, node.update].map((one) => (one === undefined ? ["1"] : outliner.node(one))),
        outliner.node(node.body),
      ];
    default: {
      const operator = "operator" in node ? [String(node.operator)] : [];
      return [node.type, ...operator, ...childrenOf(node, outliner)];
    }
  }
}

/** bash prints assignments first and redirects last; within each kind the order stays. */
function outlineCommand(node: Command, outliner: Outliner): Outline {
  const assignments = node.prefix.filter((one) => one.type === "Assignment");
  const words = [...(node.name === undefined ? [] : [node.name]), ...node.args];
  return [
    "Command",
    assignments.map(outliner.node),
    words.map(outliner.node),
    node.redirects.map((one) => outlineRedirect(one, outliner)),
  ];
}

/** `a |& b` is `a 2>&1 | b`, and two negations are none. */
function outlinePipeline(node: Pipeline, outliner: Outliner): Outline {
  const negations = node.prefixes.filter((one) => one.type === "Negation").length;
  const times = node.prefixes.filter((one) => one.type === "Time");
  const posix = times.some((one) => one.posix !== undefined || one.endOfOptions !== undefined);
  const prefixes = [...(times.length === 0 ? [] : [posix ? "time -p" : "time"]), ...(negations % 2 === 1 ? ["!"] : [])];
  const stages = node.commands.map((command, index) => {
    const stage = outliner.node(command);
    return node.operators[index] === "|&" ? addRedirect(stage, ["Redirect", ">&", "2", ["1"]]) : stage;
  });
  if (stages.length === 1 && prefixes.length === 0) return stages[0] as Outline;
  return ["Pipeline", ...prefixes, ...stages];
}

function addRedirect(stage: Outline, redirect: Outline): Outline {
  if (stage[0] === "Function" || stage[0] === "Coproc")
    return [...stage.slice(0, -1), addRedirect(stage.at(-1) as Outline, redirect)];
  if (stage[0] === "Command") return [...stage.slice(0, -1), [...(stage.at(-1) as Outline), redirect]];
  return stage[0] === "Redirected" ? [...stage, redirect] : ["Redirected", stage, redirect];
}

/** bash prints `elif` as an `if` inside `else`. */
function outlineIf(node: If, outliner: Outliner): Outline {
  let rest: Outline[] = node.else === undefined ? [] : [outliner.node(node.else)];
  for (const one of [...node.elif].reverse()) {
    rest = [["CompoundList", [";", ["If", outliner.node(one.clause), outliner.node(one.then), ...rest]]]];
  }
  return ["If", outliner.node(node.clause), outliner.node(node.then), ...rest];
}

function outlineRedirect(node: Redirection, outliner: Outliner): Outline {
  const { descriptor } = node;
  const given =
    descriptor === undefined ? "" : descriptor.type === "FileDescriptor" ? String(descriptor.value) : descriptor.name;
  if (node.type === "HereDoc") return ["HereDoc", given, String(node.delimiter?.quoted), bodyOf(node, outliner)];
  const target = node.target === undefined ? [] : outliner.node(node.target);
  const { operator } = node;
  // `>&2` is `1>&2`; `>& file`, with or without the 1, is `&> file`.
  const literal = target.length === 1 ? String(target[0]) : undefined;
  const isFile =
    operator === ">&" && (given === "" || given === "1") && literal !== undefined && !/^(\d+-?|-)$/.test(literal);
  if (isFile) return ["Redirect", "&>", "", target];
  const implied = operator.startsWith(">") || operator === "<>" ? "1" : operator.startsWith("<") ? "0" : "";
  // Closing is the same in both directions.
  const closes = operator === "<&" && node.target?.value === "-";
  return [
    "Redirect",
    closes ? ">&" : operator,
    given === "" || (operator === "<>" && given === "0") ? implied : given,
    target,
  ];
}

/** bash has taken the tabs of `<<-` away, and ends a last line that the text doesn't end. */
function bodyOf(node: Extract<Redirection, { type: "HereDoc" }>, outliner: Outliner): Outline {
  const { body, operator } = node;
  const pieces = body.parts === undefined ? [body.text] : outlineParts(body.parts, outliner);
  const plain = pieces.map((piece) => {
    if (typeof piece !== "string") return piece;
    const text = node.delimiter?.quoted ? piece : joined(piece);
    return operator === "<<-" ? text.replace(/^\t+/gm, "") : text;
  });
  const last = plain.at(-1);
  return typeof last === "string" ? [...plain.slice(0, -1), last.replace(/([^\n])$/, "$1\n")] : plain;
}

/** Lines that a backslash joins, joined. */
export function joined(text: string): string {
  return text.replace(/(\\[^\n])|\\\n/g, "$1");
}

/** bash puts braces around the body of every function. */
function inBraces(body: Outline): Outline {
  const inner = body[0] === "Redirected" ? (body[1] as Outline) : body;
  return inner[0] === "BraceGroup" ? body : ["BraceGroup", ["CompoundList", [";", body]]];
}

/** bash prints the name that a coprocess has when it has none, where we read it as the command. */
function outlineCoprocess(node: Coproc, outliner: Outliner): Outline {
  const body = outliner.node(node.body);
  const [kind, assignments, words, redirects] = body;
  if (kind !== "Command" || JSON.stringify((words as Outline)[0]) !== '["COPROC"]') return body;
  return [kind, assignments as Outline, (words as Outline).slice(1), redirects as Outline];
}

function parseWord(text: string): SyntaxNode {
  const command = parse(text).commands[0]?.command;
  if (command?.type !== "Command" || command.name === undefined) throw new Error(`${text} isn't a word`);
  return command.name;
}
