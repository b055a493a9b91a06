export { ActiveConfig } from "./active-config.ts";
export { ActiveOrganisation } from "./active-organisation.ts";
export { ActiveProfiles } from "./active-profiles.ts";
export { ASSISTANT_PROFILE, builtInFor, builtInIds, isBuiltIn } from "./built-in-profiles.ts";
export { whyUnused } from "./entry-faults.ts";
export { type OfflinePolicies, openOffline } from "./offline-policies.ts";
export { organisationPolicy, ownPaths } from "./organisation.ts";
export { PAUSED, Pause, type PausedBy } from "./pause.ts";
export { type CurrentPolicy, Policies, policyVersion } from "./policies.ts";
export { named, PolicyEdits, toEdit } from "./policy-edits.ts";
export type { HeldChange } from "./policy-question.ts";
export { applyEdit, findEntries, nameForRecord, narrowed, type ProfileEdit } from "./profile-edit.ts";
export { brokenProfiles, editProfileFile, profileIds, profilePath, readProfileFile } from "./profile-file.ts";
export type { Question, Resolution, Settlement } from "./question.ts";
export {
  editRepository,
  everTrusted,
  type RepositoryFile,
  RepositoryFiles,
  readRepositoryFile,
  repositoryFile,
  repositoryFor,
  type Trust,
  trustIn,
} from "./repositories.ts";
export { viewPolicy } from "./view-policy.ts";
