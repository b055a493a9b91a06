/** An outcome's reason without the limits that this machine doesn't enforce in full: those of ordinary users are told in each. */
export function besidesLimits(reason: string | undefined): string | undefined {
  return reason?.replace(/ ?This machine doesn't enforce every limit in full \(.*\)\.$/s, "") || undefined;
}
