import { visible } from "../text/index.ts";

/** Of an entry, as far as it was stated. */
interface ShownCeiling {
  readonly kinds?: readonly string[] | undefined;
  readonly risk?: string | undefined;
  readonly roots?: readonly string[] | undefined;
  readonly options?: readonly string[] | undefined;
  readonly subcommand?: string | undefined;
  readonly hosts?: readonly string[] | undefined;
}

/** How far an entry goes at the most, in one line. */
export function ceilingWords({ kinds = [], risk, roots, options, subcommand, hosts }: ShownCeiling): string {
  const parts = [
    `${kinds.join(", ") || "nothing"} up to ${risk ?? "safe"}`,
    ...(subcommand === undefined ? [] : [subcommand === "" ? "no subcommand" : `only ${subcommand}`]),
    ...(options === undefined ? [] : [options.length === 0 ? "no options" : `options ${options.join(" ")}`]),
    ...(roots === undefined ? [] : [`in ${roots.join(", ")}`]),
    ...(hosts === undefined ? [] : [`hosts ${hosts.join(", ") || "none"}`]),
  ];
  return visible(parts.join("; "));
}
