/** Caps of `classify`. Past one of them the command is opaque; what was read until then stays visible to deny entries. */

/** In UTF-16 code units, which is what the parser counts; at least as strict as 64 KiB of ASCII. */
export const MAX_COMMAND_LENGTH = 65_536;
/** Simple commands, at any depth. */
export const MAX_COMMANDS = 256;
/** Wrappers inside wrappers, `bash -c` inside `bash -c`. */
export const MAX_UNWRAP_DEPTH = 8;
/** Substitutions inside substitutions. Each level is parsed when it is entered, so depth times length is the cost. */
export const MAX_NESTING = 16;
/** `{` and `((`: the parser's time grows with the square of them, and 20,000 take seconds. */
export const MAX_OPENINGS = 1_000;
/** Steps of one walk, so that a wide script without any simple command ends too. */
export const MAX_STEPS = 20_000;
/** Words of one simple command that are looked at. */
export const MAX_WORDS = 1_024;
export const MAX_REASONS = 20;
/** Targets named for one command; more of them are one effect without a target. */
export const MAX_TARGETS = 32;
