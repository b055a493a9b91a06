/**
 * Whether `/proc` may show a process fewer than there are: mounted with `hidepid`, or without the first one. Who is hidden can't be tried. What
 * `hidepid` leaves visible depends on rights and on the kernel, so any of it counts. `mounts` is `/proc/self/mountinfo`.
 */
export function hidesProcesses(mounts: string, seesFirst: boolean): boolean {
  const options = mounts.split("\n").flatMap((line) => (line.split(" ")[4] === "/proc" ? line.split(/[ ,]/) : []));
  const isShown = options.length > 0 && seesFirst;
  return !isShown || options.some((option) => /^hidepid=(?!0$|off$)/.test(option));
}
