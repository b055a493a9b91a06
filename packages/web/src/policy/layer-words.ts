/** Where something of a policy comes from, as people call it. */
export const LAYER_WORDS = {
  default: "built in",
  organisation: "organisation",
  user: "profile",
  repository: "repository",
} as const;
