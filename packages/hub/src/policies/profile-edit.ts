import { sha256Hex } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { holdsSecret } from "@countersign/core/redaction";
import {
  type Entry,
  entrySchema,
  type Grant,
  grantSchema,
  isNarrower,
  type Profile,
  type Settings,
} from "@countersign/policy";
import { canonicalize, type Json } from "@countersign/receipts";

/** A change of a profile, said so that it can be made to the accepted profile and to the file alike. */
export interface ProfileEdit {
  readonly allow?: readonly Entry[];
  readonly deny?: readonly Entry[];
  readonly grant?: readonly Grant[];
  /** The id or the very pattern of entries, or the root of grants, to take away; from all lists. */
  readonly remove?: string;
  /** Whether what is added must be narrower than the entry that it takes the place of. */
  readonly narrows?: true;
  readonly set?: Partial<Settings>;
}

type Lists = Readonly<Record<"allowlist" | "denylist" | "grants", readonly unknown[] | undefined>>;

/** Works on a profile as it was read, and on a file's own block, whose entries may hold anything. */
export function applyEdit<Block extends Partial<Lists>>(block: Block, edit: ProfileEdit): Block {
  const { allow, deny, grant, remove, set, narrows } = edit;
  const change = (list: readonly unknown[] = [], added: readonly (Entry | Grant)[] = []) => [
    ...list.filter((entry) => remove === undefined || !isNamed(entry, remove)),
    ...added,
  ];
  // What narrows takes the place of what allows; a denial of the same pattern stays.
  if (narrows) return { ...block, allowlist: change(block.allowlist, allow) };
  const lists: Record<string, unknown[]> = {};
  if (allow !== undefined || remove !== undefined) lists.allowlist = change(block.allowlist, allow);
  if (deny !== undefined || remove !== undefined) lists.denylist = change(block.denylist, deny);
  const granted = change(block.grants, grant);
  if (grant !== undefined || granted.length < (block.grants?.length ?? 0)) lists.grants = granted;
  return { ...block, ...set, ...lists };
}

function isNamed(entry: unknown, name: string): boolean {
  const grant = grantSchema.safeParse(entry);
  if (grant.success) return grant.data.root === name || grant.data.id === name;
  const reading = entrySchema.safeParse(entry);
  return reading.success && (reading.data.pattern === name || (reading.data.id ?? idOf(reading.data, "user")) === name);
}

/** The entries of this name in the first profile that has any; NOT_FOUND where none has. */
export function findEntries(profiles: readonly Profile[], name: string): Pick<Entry, "id" | "pattern">[] {
  const found = profiles.map(({ allowlist, denylist, grants }) => [
    ...[...allowlist, ...denylist].filter((entry) => isNamed(entry, name)),
    ...grants.filter((grant) => isNamed(grant, name)).map(({ id, root }) => ({ id, pattern: root })),
  ]);
  const entries = found.find((some) => some.length > 0);
  if (entries) return entries;
  throw new HubError("NOT_FOUND", `The profile has no entry ${JSON.stringify(name)}`);
}

/**
 * An edit that narrows, with each entry as old as what it takes the place of: a newer one would outrank what was denied since, and so allow
 * more. Refuses whatever would allow more than that.
 */
export function narrowed({ allowlist }: Profile, edit: ProfileEdit): ProfileEdit {
  const { allow = [], remove = "" } = edit;
  const old = allowlist.filter((entry) => isNamed(entry, remove));
  if (old.length === 0)
    throw new HubError("NOT_FOUND", `The profile has no entry ${JSON.stringify(remove)} that allows`);
  const dated = allow.map((entry) => {
    const wider = old.find((one) => isNarrower(entry, one));
    if (wider) return datedAs(entry, wider);
    throw new HubError("INVALID_PARAMS", `${JSON.stringify(entry.pattern)} isn't narrower than what it replaces`);
  });
  return { ...edit, allow: dated };
}

function datedAs({ atMs: _, ...entry }: Entry, { atMs }: Entry): Entry {
  return { ...entry, ...(atMs === undefined ? {} : { atMs }) } as Entry;
}

/** For an entry without an id of its own: by what it says, so that it stays the same when others come before it. */
export function idOf(entry: Entry, layer: string): string {
  return `${layer}-${sha256Hex(canonicalize(entry as unknown as Json)).slice(0, 16)}`;
}

/** As it stands in the ledger, where a whole command's text never comes. */
export function nameForRecord({ command, pattern }: Pick<Entry, "command" | "pattern">): string {
  return command === undefined ? pattern : `exactly sha256:${sha256Hex(command)}`;
}

/** A policy is a file that is read, shown and recorded: no place for a secret. */
export function refuseSecrets(entries: readonly unknown[] = []): void {
  if (!holdsSecret(entries)) return;
  throw new HubError("INVALID_PARAMS", "An entry holds a secret, which isn't kept: write ** where it stands");
}
