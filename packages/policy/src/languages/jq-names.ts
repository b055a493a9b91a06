function names(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/));
}

export const JQ_KEYWORDS = names("def if then elif else end as reduce foreach try catch label break and or __loc__");

/** Builtins of jq 1.5 to 1.8, gojq and jaq that see nothing but the given inputs, the clock and the time zone. */
export const JQ_PURE = names(`
  IN INDEX JOIN abs acos acosh add all any arrays ascii ascii_downcase ascii_upcase asin asinh atan atan2 atanh booleans
  bsearch builtins capture cbrt ceil combinations contains copysign cos cosh date dateadd datesub debug del delpaths drem
  empty endswith erf erfc error exp exp10 exp2 explode expm1 fabs false fdim finites first flatten floor fma fmax fmin
  fmod format frexp from_entries fromdate fromdateiso8601 fromjson fromstream gamma getpath gmtime group_by gsub halt
  halt_error has have_decnum have_literal_numbers hypot implode in index indices infinite input input_filename
  input_line_number inputs inside isempty isfinite isinfinite isnan isnormal isvalid iterables j0 j1 jn join keys
  keys_unsorted last ldexp leaf_paths length lgamma lgamma_r limit localtime log log10 log1p log2 logb ltrim ltrimstr map
  map_values match max max_by min min_by mktime modf nan nearbyint nextafter nexttoward normals not now nth null nulls
  numbers objects path paths pick pow pow10 range recurse recurse_down remainder repeat reverse rindex rint round rtrim
  rtrimstr scalars scalb scalbln scan select setpath significand sin sinh skip sort sort_by split splits sqrt startswith
  stderr strflocaltime strftime strings strptime sub tan tanh test tgamma to_entries toarray toboolean todate
  todateiso8601 tojson tonumber tostream tostring transpose trim trimstr true trunc truncate_stream type unique unique_by
  until utf8bytelength values walk while with_entries y0 y1 yn`);

/** Operators of mikefarah's yq besides those that jq has too. */
export const YQ_PURE = names(`
  alias all_c anchor any_c collect column comments di documentIndex document_index downcase fi fileIndex file_index filename
  filter footComment foot_comment format_datetime from_csv from_json from_props from_tsv from_unix from_xml from_yaml
  headComment head_comment ireduce is_key key kind line lineComment line_comment omit parent parents pivot ref shuffle
  sortKeys sort_keys splitDoc split_doc style tag to_csv to_json to_number to_props to_string to_tsv to_unix to_xml to_yaml
  tz upcase with with_dtf`);

export type JqReach = "shows the environment" | "loads other code" | "reads other files" | "runs programs";

/** Names that reach beyond the inputs, whatever stands around them. */
export const JQ_REACHES: ReadonlyMap<string, JqReach> = new Map([
  ["env", "shows the environment"],
  ["$ENV", "shows the environment"],
  ["strenv", "shows the environment"],
  ["envsubst", "shows the environment"],
  ["include", "loads other code"],
  ["import", "loads other code"],
  ["modulemeta", "loads other code"],
  ["eval", "loads other code"],
  ["load", "reads other files"],
  ["load_str", "reads other files"],
  ["load_xml", "reads other files"],
  ["load_props", "reads other files"],
  ["load_base64", "reads other files"],
  ["system", "runs programs"],
]);
