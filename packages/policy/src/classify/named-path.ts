import {
  type Effect,
  type EffectDetails,
  isInside,
  type Machine,
  makeEffect,
  normalize,
  type Span,
} from "../model/index.ts";
import { armedTool, isSecret, meaningOfWriting } from "../paths/index.ts";

const MAX_PATH = 4_096;

/**
 * Returns the effects of an argument that names a path. The tool may read or change it, so both are assumed. An entry
 * made from this call is then limited to the paths seen.
 */
export function judgeNamedPath(text: string, span: Span, machine: Machine): Effect[] {
  const path = readPath(text, machine);
  if (path === undefined) return judgeName(text, span, machine);
  const real = machine.realpath(path) ?? path;
  const make = (details: EffectDetails) =>
    makeEffect(span, { ...details, layer: "dangerous-pattern", own: true, target: path });
  if ([path, real].some((one) => machine.protectedPaths.some((kept) => isInside(one, kept)))) {
    const sentence = `Names Countersign's own files: ${path}`;
    return [make({ kind: "credentials", risk: "dangerous", floor: true, ruleId: "tool-call.countersign", sentence })];
  }
  if ([path, real].some((one) => isSecret(one, machine))) {
    const sentence = `Names a file that holds credentials: ${path}`;
    return [make({ kind: "credentials", risk: "dangerous", ruleId: "tool-call.secret", sentence })];
  }
  if ([path, real].some((one) => meaningOfWriting(one, machine) === "starts-code")) {
    const sentence = `Names a place from which code starts: ${path}`;
    return [make({ kind: "persistence", ruleId: "tool-call.starts-code", sentence })];
  }
  const armed = [path, real].find((one) => meaningOfWriting(one, machine) === "arms");
  if (armed !== undefined) return [make(arms(path, armed, machine))];
  if (!isAbsolute(text)) return [];
  const sentence = `Names ${path}, which the tool may read or change`;
  return [{ ...make({ kind: "writes", ruleId: "tool-call.path", sentence }), layer: "safe-binary" }];
}

/** Treats a plain name as a path only if a tool reads a file of that name, like `mise.toml`. */
function judgeName(text: string, span: Span, machine: Machine): Effect[] {
  const path = /^[\w.-]{1,255}$/.test(text) ? normalize(`${machine.cwd}/${text}`) : undefined;
  if (path === undefined || meaningOfWriting(path, machine) !== "arms") return [];
  return [makeEffect(span, { ...arms(path, path, machine), layer: "dangerous-pattern", own: true, target: path })];
}

function arms(path: string, armed: string, machine: Machine): EffectDetails {
  const sentence = `Names ${path}, which configures ${armedTool(armed, machine)}`;
  return { kind: "persistence", ruleId: "tool-call.arms", sentence };
}

/** Returns the path that a text names, if it plainly is one: most texts with a slash aren't paths. */
function readPath(text: string, { home, cwd }: Machine): string | undefined {
  if (text.length > MAX_PATH || /[\n\0]/.test(text)) return undefined;
  const plain = text.startsWith("file://") ? fromUrl(text) : text;
  if (plain === undefined) return undefined;
  if (plain.startsWith("/") && !plain.startsWith("//")) return normalize(plain);
  const below = /^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/.exec(plain)?.[0];
  if (below !== undefined) return normalize(`${home}${plain.slice(below.length)}`);
  return /^[^\s:]+$/.test(plain) && /^\.|\//.test(plain) ? normalize(`${cwd}/${plain}`) : undefined;
}

function isAbsolute(text: string): boolean {
  return /^(?:file:\/\/)?(?:\/(?!\/)|~(?:\/|$)|\$HOME|\$\{HOME\})/.test(text);
}

/** Decodes a `file:` URL; undefined if it isn't one. */
function fromUrl(text: string): string | undefined {
  const path = /^file:\/\/[^/]*(\/.*)$/.exec(text)?.[1];
  try {
    return path === undefined ? undefined : decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
