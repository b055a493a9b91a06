import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFileAtomically } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import { findRepository } from "@countersign/core/host";
import { readLayer } from "@countersign/policy";
import { applyEdit, type ProfileEdit } from "./profile-edit.ts";
import { readPolicyFile } from "./read-policy-file.ts";
import { refuseSecrets } from "./refuse-secrets.ts";
import { repositoryFile } from "./repository-files.ts";

/** Whose policy a directory belongs to: the nearest that has a file, else the repository around it, else itself. */
export function repositoryFor(directory: string): string {
  for (let at = directory; at !== dirname(at); at = dirname(at)) if (existsSync(repositoryFile(at))) return at;
  return findRepository(directory, ["/"]) ?? directory;
}

/** Changes a repository's own policy. What it then denies applies at once; what it allows has to be trusted anew. */
export async function editRepository(directory: string, edit: ProfileEdit): Promise<string> {
  refuseSecrets([...(edit.allow ?? []), ...(edit.deny ?? [])]);
  const file = repositoryFile(directory);
  const content = readPolicyFile(file);
  if (content.kind === "broken") throw new HubError("CONFLICT", `It can't be changed: ${content.problem}`);
  const { execApproval = {}, ...rest } = Object(content.kind === "read" ? content.value : {}) as {
    execApproval?: object;
  };
  const block = applyEdit(execApproval, edit);
  if (
    edit.remove !== undefined &&
    JSON.stringify(block) === JSON.stringify(applyEdit(execApproval, { allow: [], deny: [] }))
  )
    throw new HubError("NOT_FOUND", `${file} has no entry ${JSON.stringify(edit.remove)}`);
  const next = { ...rest, execApproval: block };
  const reading = readLayer(next, directory);
  if (!reading.ok) throw new HubError("INVALID_PARAMS", `${file} would be invalid: ${reading.problems.join("; ")}`);
  await mkdir(join(file, ".."), { recursive: true });
  // Part of the repository: readable by whoever may read that.
  await writeFileAtomically(file, `${JSON.stringify(next, null, 2)}\n`, 0o644);
  return file;
}
