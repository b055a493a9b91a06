export { type HiddenFromGit, hiddenFromGit } from "./hidden-from-git.ts";
export { linkedRepositories } from "./linked-repositories.ts";
