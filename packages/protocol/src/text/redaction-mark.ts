/** What every mark of a hidden text begins with: `[REDACTED]`, and in a command `[REDACTED: 42 characters]`. */
export const REDACTION_MARK = "[REDACTED";
