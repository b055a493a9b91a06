import type { EffectKind } from "@countersign/vocabulary";
import {
  ASSUMED_MACHINE,
  type Classification,
  type Effect,
  MAX_TARGETS,
  type Machine,
  makeEffect,
  type Part,
  reasons,
  type Span,
  worst,
} from "../model/index.ts";
import { scanCharacters } from "../parse/index.ts";
import type { ReadSandboxCall, SandboxCall, SandboxChange } from "../patterns/index.ts";
import { findLoose } from "../profile/index.ts";
import type { ClassifyShell } from "./tool-call.ts";

/**
 * Classifies a call into a sandbox from its text alone. A single command is parsed as bash would, on an assumed
 * machine, and may be safe. A command in a session never is, because the session may have redefined `ls`. Code isn't
 * parsed, and only a person can allow a terminal.
 */
export function classifySandboxCall(
  command: string,
  read: ReadSandboxCall,
  classifyShell: ClassifyShell,
): Classification {
  const { call, words, bodyAt } = read;
  const span = { pos: 0, end: command.length };
  const { own, loose, parts, opaque } = judge(call, { span, bodyAt, classifyShell });
  const outer: Part = { span, words, builtin: false, toolCall: true, effects: own };
  const effects = [...loose, ...own];
  return {
    ...{ command, effects, opaque, parts: [outer, ...parts] },
    riskLevel: worst(effects.map((effect) => effect.risk)),
    riskReasons: reasons(effects),
  };
}

interface Judged {
  readonly own: readonly Effect[];
  readonly loose: readonly Effect[];
  /** Parts that it runs, for deny entries. */
  readonly parts: readonly Part[];
  readonly opaque: boolean;
}

interface Setting {
  readonly span: Span;
  readonly bodyAt: number;
  readonly classifyShell: ClassifyShell;
}

function judge(call: SandboxCall, setting: Setting): Judged {
  const { span } = setting;
  switch (call.kind) {
    case "command":
    case "session":
      return judgeShell(call, setting);
    case "code": {
      const language = call.named === undefined ? call.language : `${call.language} (called ${call.named})`;
      const where = call.context === undefined ? "" : `the context ${call.context} of `;
      const sentence = `Runs ${language} code in ${where}the sandbox ${call.sandbox}, and what it does there isn't known`;
      return { ...plain(), own: [runs(span, { sandbox: call.sandbox, sentence, ruleId: "sandbox.code" })] };
    }
    case "terminal": {
      const sentence = `Opens a terminal in the sandbox ${call.sandbox} for ${duration(call.seconds)}: whatever is typed there runs unasked`;
      const given = runs(span, { sandbox: call.sandbox, sentence, ruleId: "sandbox.terminal" });
      return { ...plain(), own: [{ ...given, risk: "dangerous", floor: true }] };
    }
    case "files":
      return { ...plain(), own: judgeChanges(call, span), loose: unseen(call.changes, span) };
  }
}

function plain(): Judged {
  return { own: [], loose: [], parts: [], opaque: false };
}

function judgeShell(
  call: Extract<SandboxCall, { kind: "command" | "session" }>,
  { span, bodyAt, classifyShell }: Setting,
): Judged {
  const inner = classifyShell(call.command, contextOf(call));
  const shift = (effect: Effect): Effect => ({ ...effect, span: moved(effect.span, bodyAt) });
  const loose = findLoose(inner);
  const isLoose = new Set(loose);
  const own = inner.effects.filter((effect) => !isLoose.has(effect)).map((effect) => ({ ...shift(effect), own: true }));
  const parts = inner.parts.map(({ span: at, words, builtin, program, described }) => ({
    ...{ span: moved(at, bodyAt), words, builtin, elsewhere: true as const, effects: [] },
    ...(program === undefined ? {} : { program }),
    ...(described ? { described } : {}),
  }));
  const judged = { loose: loose.map(shift), parts, opaque: inner.opaque };
  const isSafe = inner.riskLevel === "safe" && !inner.opaque;
  // Another user may have more rights.
  const isAsAnother = call.uid !== undefined || call.gid !== undefined;
  if (call.kind === "command" && isSafe && !isAsAnother) return { ...judged, own };
  const where =
    call.kind === "session"
      ? `in ${call.isolated === undefined ? "a session" : "an isolated session"} of the sandbox ${call.sandbox}, whose earlier commands may have changed what its words mean`
      : `in the sandbox ${call.sandbox}, whose files and programs aren't looked at from here`;
  const ran = runs(span, {
    sandbox: call.sandbox,
    sentence: `Runs this${isAsAnother ? ` as user ${call.uid ?? "–"}, group ${call.gid ?? "–"},` : ""} ${where}`,
    ruleId: call.kind === "session" ? "sandbox.session" : "sandbox.command",
  });
  return { ...judged, own: [...own, ran] };
}

/**
 * Returns an assumed machine for the sandbox: no links, every plain name is a program, and Countersign has no files
 * there.
 */
function contextOf({
  cwd,
  env = {},
}: {
  readonly cwd?: string | undefined;
  readonly env?: { readonly [name: string]: string } | undefined;
}): Machine {
  const place = cwd?.startsWith("/") ? cwd : "/";
  // execd starts bash if the sandbox has it, and sh if not.
  return { ...ASSUMED_MACHINE, cwd: place, home: "/root", roots: [place], env, protectedPaths: [], shell: "sh" };
}

function runs(
  span: Span,
  { sandbox, sentence, ruleId }: { readonly sandbox: string; readonly sentence: string; readonly ruleId: string },
): Effect {
  const target = `sandbox:${sandbox}`;
  return makeEffect(span, { kind: "executes", layer: "safe-binary", ruleId, sentence, target, own: true });
}

const CHANGES: Readonly<Record<SandboxChange["change"], { readonly verb: string; readonly kind: EffectKind }>> = {
  create: { verb: "Creates", kind: "writes" },
  modify: { verb: "Changes", kind: "writes" },
  move: { verb: "Moves", kind: "writes" },
  delete: { verb: "Deletes", kind: "deletes" },
  "make-directory": { verb: "Makes the directory", kind: "writes" },
  "delete-directory": { verb: "Deletes the directory", kind: "deletes" },
};

function judgeChanges(call: Extract<SandboxCall, { kind: "files" }>, span: Span): Effect[] {
  const { changes, sandbox, isolated } = call;
  const where = `inside ${isolated === undefined ? "" : "an isolated session of "}the sandbox ${sandbox}, not on this machine`;
  const own = (kind: EffectKind, ruleId: string, sentence: string) =>
    makeEffect(span, { kind, layer: "safe-binary", ruleId, sentence, own: true });
  const rights = changes.filter(({ details }) => grantsRights(details));
  const given = rights.slice(0, MAX_TARGETS).map(({ path, details }) => {
    return own(
      "privilege",
      "sandbox.rights",
      `Says whose ${path} is, or whose rights it runs with:${rightsOf(details)}`,
    );
  });
  if (changes.length > MAX_TARGETS) {
    const kind = changes.some(({ change }) => CHANGES[change].kind === "deletes") ? "deletes" : "writes";
    return [own(kind, "sandbox.files", `Changes ${changes.length} files ${where}`), ...given];
  }
  const tell = ({ change, path, details }: SandboxChange) => {
    const { verb, kind } = CHANGES[change];
    const to = details.dest === undefined ? "" : ` to ${details.dest}`;
    const rightsTo = rightsOf(details);
    return own(kind, `sandbox.${change}`, `${verb} ${path}${to}${rightsTo && `, with${rightsTo},`} ${where}`);
  };
  return [...changes.map(tell), ...given];
}

type Details = SandboxChange["details"];

/** Describes mode and owner, as in `mode 755, owner a`; empty if the call sets neither. */
function rightsOf(details: Details): string {
  const said = ["mode", "owner", "group"].filter((name) => details[name] !== undefined && details[name] !== "");
  return said.map((name, index) => `${index === 0 ? "" : ","} ${name} ${details[name]}`).join("");
}

/**
 * Reports whether the change sets an owner, a group, or more than the nine permission bits. execd writes a mode's octal
 * digits as a decimal number.
 */
function grantsRights({ mode, owner, group }: Details): boolean {
  const isPlain = mode === undefined || /^[0-7]{0,3}$/.test(String(mode));
  return !isPlain || ![owner, group].every((name) => name === undefined || name === "");
}

/** Returns an effect for names with invisible characters, which no entry covers. */
function unseen(changes: readonly SandboxChange[], span: Span): Effect[] {
  const [first] = changes.flatMap(({ path, details }) => scanCharacters(`${path}${details.dest ?? ""}`));
  return first ? [{ ...first, span, sentence: "A path in the call holds characters that can't be seen" }] : [];
}

function moved({ pos, end }: Span, by: number): Span {
  return { pos: pos + by, end: end + by };
}

function duration(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
