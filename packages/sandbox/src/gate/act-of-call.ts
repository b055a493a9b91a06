import type { WireSandboxAct } from "@countersign/protocol/records";
import { quoteWords } from "@countersign/protocol/text";
import type { Decoded } from "../proxy/decode/index.ts";
import type { Denial } from "../proxy/record/index.ts";

/** What isn't put to anybody: nobody could decide about it. */
export type Unaskable = Omit<Denial, "kind">;

const MOST_CHANGES = 1_024;

const CHANGES: Readonly<Record<string, Extract<WireSandboxAct, { kind: "files" }>["changes"][number]["change"]>> = {
  "filesystem.file.create": "create",
  "filesystem.file.modify": "modify",
  "filesystem.file.move": "move",
  "filesystem.file.delete": "delete",
  "filesystem.directory.create": "make-directory",
  "filesystem.directory.delete": "delete-directory",
};

/** What the hub is asked: all that was read of the call, so that what is permitted is what is passed on. */
export function actOf(
  decoded: Decoded,
  { terminalSeconds }: { readonly terminalSeconds: number },
): WireSandboxAct | Unaskable {
  switch (decoded.kind) {
    case "command":
      return commandAct(decoded);
    case "code": {
      const { code, input, named, context, cwd } = decoded;
      return {
        ...{ kind: "code", code, language: input.language },
        ...(named === input.language ? {} : { named }),
        ...(context === "" ? {} : { context }),
        ...fromOf(decoded.from),
        ...(cwd === "" ? {} : { cwd }),
      };
    }
    case "paths":
      return filesAct(decoded);
    case "pty-open": {
      const { input, cwd } = decoded;
      return { kind: "terminal", seconds: terminalSeconds, command: input.command, ...(cwd === "" ? {} : { cwd }) };
    }
    default: {
      const why = decoded.kind === "undecoded" ? `it can't be read (${decoded.input.undecoded})` : "it isn't known";
      return {
        status: 400,
        code: "GATE_UNREADABLE",
        message: `Countersign lets nothing through that nobody could decide about: ${why}`,
      };
    }
  }
}

/** A newer execd may do something by it that no card shows. */
export function unknownField(what: string): Unaskable {
  const message = `Countersign lets nothing through that nobody could decide about: it isn't known what execd does with ${JSON.stringify(what)}`;
  return { status: 400, code: "GATE_UNKNOWN_FIELD", message };
}

function commandAct(decoded: Extract<Decoded, { kind: "command" }>): WireSandboxAct | Unaskable {
  const { input, cwd, isBackground, session, isIsolated, uid, gid, timeoutMs } = decoded;
  const isArgv = (input.argv?.length ?? 0) > 0;
  // No reader of records at the hub keeps a variable of this name: it would pass unseen.
  if (input.env && Object.hasOwn(input.env, "__proto__")) return unknownField("envs.__proto__");
  return {
    kind: session === undefined ? "command" : "session",
    command: isArgv ? quoteWords(input.argv ?? []) : (input.command ?? ""),
    ...(isArgv ? { argv: true } : {}),
    ...(cwd === "" ? {} : { cwd }),
    ...(input.env ? { env: input.env } : {}),
    ...(session === undefined ? {} : isIsolated ? { isolated: session } : { session }),
    ...(session === undefined ? {} : fromOf(decoded.from)),
    ...(isIsolated ? madeOf(decoded.made) : {}),
    ...(isBackground ? { background: true } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  };
}

/** Where a session or context began. Of one that was made out of sight that is said. */
function fromOf(directory: string | undefined): { readonly from?: string } {
  return directory === "" ? {} : { from: directory ?? "unknown" };
}

/** What an isolated session was made with, by which its paths and its user are others; the same. */
function madeOf(made: string | undefined): { readonly made?: string } {
  return made === "" ? {} : { made: made ?? "unknown" };
}

function filesAct(decoded: Extract<Decoded, { kind: "paths" }>): WireSandboxAct | Unaskable {
  const { items, isolated, from, made, unhashed } = decoded;
  if (unhashed !== undefined) {
    const message = `what would be written isn't known by its hash (${unhashed}), so nobody can permit it: send it again`;
    return { status: 503, code: "GATE_UNHASHED", message };
  }
  if (items.length > MOST_CHANGES) {
    const message = `a call that needs a permit names at most ${MOST_CHANGES} paths`;
    return { status: 413, code: "GATE_TOO_MANY_PATHS", message };
  }
  const changes = items.map(({ actionType, input, bytes, details }) => {
    const { path, edit_hash, ...rest } = input;
    // Either is the whole edit.
    const edit = details?.old === undefined ? { edit_hash } : {};
    const all = { ...rest, ...edit, bytes, ...details };
    const said = Object.entries(all).flatMap(([name, value]) => {
      return typeof value === "string" || typeof value === "number" ? [[name, value] as const] : [];
    });
    return { change: CHANGES[actionType] ?? "modify", path: String(path ?? ""), details: Object.fromEntries(said) };
  });
  return { kind: "files", ...(isolated === undefined ? {} : { isolated, ...fromOf(from), ...madeOf(made) }), changes };
}
