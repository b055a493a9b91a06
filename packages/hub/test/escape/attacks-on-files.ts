import { join } from "node:path";
import { type Attack, NOT_OPEN, READ_ONLY } from "./attack.ts";
import { SECRET } from "./world.ts";

/** Writes where nothing of a jail may arrive. */
const WRITES: readonly Attack[] = [
  {
    name: "write to the home",
    script: `echo escaped > "$HOME_DIR/planted"`,
    marks: ({ home }) => join(home, "planted"),
  },
  {
    name: "add to a shell's startup file",
    script: `echo escaped >> "$HOME_DIR/.bashrc"`,
    marks: ({ home }) => join(home, ".bashrc"),
  },
  {
    name: "write to another directory of the user's in the temporary directory",
    script: `mkdir -p "$DIR/other" && echo escaped > "$DIR/other/planted"`,
    marks: ({ dir }) => join(dir, "other/planted"),
  },
  {
    name: "write beside the workspace through ..",
    script: `cd "$WORKSPACE/sub" && echo escaped > ../../planted`,
    marks: ({ dir }) => join(dir, "planted"),
  },
  {
    name: "write our own configuration",
    script: `mkdir -p "$OWN_HOME" && echo escaped > "$OWN_HOME/planted"`,
    marks: ({ ownHome }) => join(ownHome, "planted"),
  },
  {
    name: "write through a link in the workspace",
    script: `echo escaped > "$WORKSPACE/link-out"`,
    marks: ({ home }) => join(home, "notes.txt"),
  },
  {
    name: "write through any process's root or working directory",
    script: `for at in /proc/[0-9]*/root /proc/[0-9]*/cwd/../../../../../..; do
      echo escaped > "$at$DIR/through-proc" && exit 0; done; exit 1`,
    marks: ({ dir }) => join(dir, "through-proc"),
  },
  {
    name: "write through an open descriptor",
    script: `for fd in /proc/self/fd/*; do echo escaped > "$fd/through-fd" && exit 0; done; exit 1`,
    marks: ({ dir }) => join(dir, "through-fd"),
  },
  {
    name: "write to another part of the machine",
    script: `echo escaped > "\${ELSEWHERE:-/nowhere}/planted"`,
    marks: ({ elsewhere }) => elsewhere && join(elsewhere, "planted"),
    kinds: NOT_OPEN,
  },
  {
    name: "carry a file of the machine into the workspace as a second name, and write to it",
    script: `ln "\${ELSEWHERE:-/nowhere}/notes.txt" "$WORKSPACE/hard" && echo escaped > "$WORKSPACE/hard"`,
    marks: ({ elsewhere }) => elsewhere && join(elsewhere, "notes.txt"),
    unjailed: "nobody", // They may lie on different disks.
  },
  {
    name: "write to a directory of the system's",
    script: `for at in /etc /usr /usr/bin /var/lib /opt /boot /lib /sbin; do touch "$at/countersign-planted" &&
      rm "$at/countersign-planted" && exit 0; done; exit 1`,
    unjailed: "root",
  },
  {
    name: "write to the workspace",
    script: `echo escaped > "$WORKSPACE/written"`,
    marks: ({ workspace }) => join(workspace, "written"),
    kinds: READ_ONLY,
  },
  {
    name: "delete in the workspace",
    script: `mv "$WORKSPACE/README.md" "$WORKSPACE/README.away" && mv "$WORKSPACE/README.away" "$WORKSPACE/README.md"`,
    kinds: READ_ONLY,
  },
  {
    name: "leave a program that runs as its owner",
    script: `cp /bin/true "$WORKSPACE/suid" && chmod u+s "$WORKSPACE/suid" && [ -u "$WORKSPACE/suid" ]`,
  },
  {
    name: "make such a program at once",
    script: `install -m 6755 /bin/true "$WORKSPACE/suid-2" && [ -u "$WORKSPACE/suid-2" ]`,
  },
];

const READ = [
  ["a key in the home", `"$HOME_DIR/.ssh/id_ed25519"`],
  ["credentials in the home", `"$HOME_DIR/.aws/credentials" "$HOME_DIR/.netrc" "$HOME_DIR/.kube/config"`],
  ["any file in the home", `"$HOME_DIR/plans.txt"`],
  ["a secret of another project", `"$HOME_DIR/project/.env"`],
  ["another temporary file", `"$DIR/other/private.txt"`],
  ["a secret of the workspace", `"$WORKSPACE/.env"`],
  ["a secret deep in the workspace", `"$WORKSPACE/sub/deep/.env.production" "$WORKSPACE/sub/id_rsa"`],
  ["a secret by a link", `"$WORKSPACE/sub/link-to-secret" "$WORKSPACE/link-out"`],
  ["a secret by a process's working directory", `/proc/self/cwd/.env /proc/1/cwd/.env`],
  ["a secret by a process's root", `/proc/1/root/"$WORKSPACE"/.env /proc/self/root/"$WORKSPACE"/.env`],
  ["a secret by a descriptor's directory", `/proc/self/fd/*/home/plans.txt /proc/self/fd/*/home/.netrc`],
] as const;

const READS: readonly Attack[] = [
  ...READ.map(([what, paths]): Attack => ({ name: `read ${what}`, script: `cat ${paths} | grep -q ${SECRET}` })),
  {
    name: "read a secret of the workspace after its directory was moved",
    script: `cd "$WORKSPACE" && mv sub/deep sub/moved && { grep -q ${SECRET} sub/moved/.env.production; found=$?
      mv sub/moved sub/deep; exit $found; }`,
  },
  {
    name: "read a secret of the workspace under a second name",
    script: `cd "$WORKSPACE" && ln sub/id_rsa sub/second && { grep -q ${SECRET} sub/second; found=$?
      rm sub/second; exit $found; }`,
  },
  { name: "read the passwords of the system", script: `[ -s /etc/shadow ] && head -c 1 /etc/shadow`, unjailed: "root" },
  { name: "read our own token or database", script: `cat "$OWN_HOME"/keys/* || head -c 1 "$OWN_HOME/countersign.db"` },
  { name: "see that we have a home", script: `[ -e "$OWN_HOME/config.json" ]` },
  { name: "see what is in other directories", script: `[ -e "$DIR/other/private.txt" ]` },
];

export const FILE_ATTACKS: readonly Attack[] = [...WRITES, ...READS];
