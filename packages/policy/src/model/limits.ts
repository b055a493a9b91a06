/** Caps of `classify`. Past one of them the command is opaque; what was read until then stays visible to deny entries. */

/** In UTF-16 code units, which is what the parser counts; at least as strict as 64 KiB of ASCII. */
export const MAX_COMMAND_LENGTH = 65_536;
/** Simple commands, at any depth. */
export const MAX_COMMANDS = 256;
/** Wrappers inside wrappers, `bash -c` inside `bash -c`. */
export const MAX_UNWRAP_DEPTH = 8;
/** Substitutions inside substitutions. Each level is parsed when it is entered, so depth times length is the cost. */
export const MAX_NESTING = 16;
/** `{`, `((` and substitutions: the parser's time grows with the square of them, and 20,000 take seconds. */
export const MAX_OPENINGS = 1_000;
/** Steps of one walk, so that a wide script without any simple command ends too. */
export const MAX_STEPS = 10_000;
/** Words of one simple command that are looked at. */
export const MAX_WORDS = 1_024;
export const MAX_REASONS = 20;
/** Targets named for one command; more of them are one effect without a target. */
export const MAX_TARGETS = 32;
/** Texts that are remembered of a variable whose value isn't certain. */
export const MAX_GUESSES = 8;
/** Longer values aren't remembered: a script may double one in every line. */
export const MAX_VALUE_LENGTH = 4_096;
/** Words that the braces of one word may stand for. */
export const MAX_BRACE_WORDS = 64;
/** Assignments that are followed; each costs as much as there are variables. */
export const MAX_ASSIGNMENTS = 1_024;
/** Rounds of loops over literal words that are walked one by one, and the text that they may hold together. */
export const MAX_COPIES = 16;
export const MAX_UNROLLED_LENGTH = 2_000;
/** Texts that are looked at in case that something evaluates them. */
export const MAX_HIDDEN = 16;
