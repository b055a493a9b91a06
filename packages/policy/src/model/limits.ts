/** Limits of `classify`. A command over one of them is opaque; deny entries still see the part that was read. */

/** In UTF-16 code units, as the parser counts; never more than 64 KiB of ASCII. */
export const MAX_COMMAND_LENGTH = 65_536;
/** Simple commands, at any depth. */
export const MAX_COMMANDS = 256;
/** Wrappers inside wrappers, `bash -c` inside `bash -c`. */
export const MAX_UNWRAP_DEPTH = 8;
/** Nested substitutions. Each level is parsed when the walk enters it, so the cost is depth times length. */
export const MAX_NESTING = 16;
/** `{`, `((` and substitutions. The parser's time is quadratic in their number: 20,000 take seconds. */
export const MAX_OPENINGS = 1_000;
/** Steps of one walk. Also stops wide scripts that contain no simple command. */
export const MAX_STEPS = 10_000;
/** Words of one simple command. */
export const MAX_WORDS = 1_024;
export const MAX_REASONS = 20;
/** Targets of one command; if there are more, one effect without a target reports them. */
export const MAX_TARGETS = 32;
/** Possible values of one variable. */
export const MAX_GUESSES = 8;
/** Longer values aren't kept, because each line of a script may double one. */
export const MAX_VALUE_LENGTH = 4_096;
/** Words that the braces of one word expand to. */
export const MAX_BRACE_WORDS = 64;
/** Followed assignments; each copies all variables. */
export const MAX_ASSIGNMENTS = 1_024;
/** Rounds of loops over literal words that are walked one by one, and the length of their text together. */
export const MAX_COPIES = 16;
export const MAX_UNROLLED_LENGTH = 2_000;
/** Texts that are searched for substitutions, in case something evaluates them. */
export const MAX_HIDDEN = 16;
