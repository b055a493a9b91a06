import type { Syscall } from "./syscalls.ts";

/** What a refused call answers; the numbers are the same on every architecture that we know. */
export type Errno = "EPERM" | "ENOSYS" | "EAFNOSUPPORT";

/** Calls that are refused whatever their arguments. */
export interface CallRule {
  readonly calls: readonly Syscall[];
  readonly errno: Errno;
}

/**
 * A look at one argument, at its low 32 bits: every argument below is 32 bits wide or narrower in the kernel, or a set
 * of flags whose high bits mean nothing, so what is put above them changes nothing there either.
 */
export type Test = { readonly arg: number } & (
  | { readonly anyBitOf: number }
  | { readonly oneOf: readonly number[]; readonly mask?: number }
  | { readonly noneOf: readonly number[]; readonly mask?: number }
);

/** These calls are refused when every test holds. */
export interface ArgumentRule extends CallRule {
  readonly when: readonly Test[];
}

export interface SeccompOptions {
  /** Off: no new sockets of this kind. A read-only mount doesn't keep anyone from connecting to a socket on it. */
  readonly unixSockets: boolean;
}

/** Programs in a jail need none of these: what other processes or the whole machine are, and what breaks kernels. */
export const CALL_RULES: readonly CallRule[] = [
  // Does files, sockets and more behind this filter's back.
  { errno: "EPERM", calls: ["io_uring_setup", "io_uring_enter", "io_uring_register"] },
  // The kernel's keyrings belong to the user, not to the jail.
  { errno: "EPERM", calls: ["keyctl", "add_key", "request_key"] },
  // Other processes: their memory, their descriptors, their pages.
  { errno: "EPERM", calls: ["ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp"] },
  { errno: "EPERM", calls: ["move_pages", "migrate_pages"] },
  // The kernel's own machinery, known for holes.
  { errno: "EPERM", calls: ["bpf", "perf_event_open", "userfaultfd", "fanotify_init", "lookup_dcookie", "syslog"] },
  // Mounts and roots; a handle opens a file without a path.
  { errno: "EPERM", calls: ["mount", "umount2", "pivot_root", "chroot", "mount_setattr", "open_by_handle_at"] },
  { errno: "EPERM", calls: ["open_tree", "open_tree_attr", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick"] },
  { errno: "EPERM", calls: ["setns"] },
  // The machine: its kernel, modules, clock, name, swap, accounting, ports.
  { errno: "EPERM", calls: ["kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff", "acct", "vhangup"] },
  { errno: "EPERM", calls: ["init_module", "finit_module", "delete_module"] },
  { errno: "EPERM", calls: ["settimeofday", "clock_settime", "clock_adjtime", "adjtimex"] },
  { errno: "EPERM", calls: ["sethostname", "setdomainname", "quotactl", "quotactl_fd"] },
  { errno: "EPERM", calls: ["iopl", "ioperm", "modify_ldt"] },
  { errno: "EPERM", calls: ["create_module", "get_kernel_syms", "query_module", "nfsservctl", "uselib", "_sysctl"] },
  // Their flags are in memory, where a filter can't look. Everyone falls back to clone and openat, which it can judge.
  { errno: "ENOSYS", calls: ["clone3", "openat2"] },
];

const NEW_NAMESPACE = 0x7e020000; // CLONE_NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET
const NEW_TIME_NAMESPACE = 0x80; // for clone these bits are a signal
const PERSONALITIES = { linux: 0, sameAddresses: 0x0040000, justAsking: 0xffffffff };
const TERMINAL = { typeForTheUser: 0x5412, console: 0x541c, lineDiscipline: 0x5423 }; // TIOCSTI, TIOCLINUX, TIOCSETD
const AF = { unix: 1, inet: 2, inet6: 10, netlink: 16 };
const NETLINK_ROUTE = 0;
const SOCKET_TYPE = { mask: 0xf, stream: 1, seqpacket: 5 };
const SET_ID = 0o6000; // S_ISUID | S_ISGID
const CREATES = 0x400040; // O_CREAT | __O_TMPFILE

export function argumentRules({ unixSockets }: SeccompOptions): readonly ArgumentRule[] {
  return [
    ...SET_ID_RULES,
    { errno: "EPERM", calls: ["clone"], when: [{ arg: 0, anyBitOf: NEW_NAMESPACE }] },
    { errno: "EPERM", calls: ["unshare"], when: [{ arg: 0, anyBitOf: NEW_NAMESPACE | NEW_TIME_NAMESPACE }] },
    { errno: "EPERM", calls: ["ioctl"], when: [{ arg: 1, oneOf: Object.values(TERMINAL) }] },
    { errno: "EPERM", calls: ["personality"], when: [{ arg: 0, noneOf: Object.values(PERSONALITIES) }] },
    { errno: "EAFNOSUPPORT", calls: ["socket"], when: [{ arg: 0, noneOf: Object.values(AF) }] },
    // Interfaces and routes, which name look-ups ask for, and no other part of the kernel.
    {
      errno: "EAFNOSUPPORT",
      calls: ["socket"],
      when: [
        { arg: 0, oneOf: [AF.netlink] },
        { arg: 2, noneOf: [NETLINK_ROUTE] },
      ],
    },
    { errno: "EAFNOSUPPORT", calls: ["socketpair"], when: [{ arg: 0, noneOf: [AF.unix] }] },
    ...(unixSockets ? [] : NO_UNIX_SOCKETS),
  ];
}

const NO_UNIX_SOCKETS: readonly ArgumentRule[] = [
  { errno: "EPERM", calls: ["socket"], when: [{ arg: 0, oneOf: [AF.unix] }] },
  // A pair is a pipe, and node's children hang on one. But a datagram socket of a pair can still send to any path.
  {
    errno: "EPERM",
    calls: ["socketpair"],
    when: [{ arg: 1, mask: SOCKET_TYPE.mask, noneOf: [SOCKET_TYPE.stream, SOCKET_TYPE.seqpacket] }],
  },
];

/** What a run leaves in the workspace belongs to the hub's user, often to root: nothing of it may run as its owner. */
const SET_ID_RULES: readonly ArgumentRule[] = [
  { errno: "EPERM", calls: ["chmod", "fchmod", "creat", "mknod"], when: [{ arg: 1, anyBitOf: SET_ID }] },
  { errno: "EPERM", calls: ["fchmodat", "fchmodat2", "mknodat"], when: [{ arg: 2, anyBitOf: SET_ID }] },
  {
    errno: "EPERM",
    calls: ["open"],
    when: [
      { arg: 1, anyBitOf: CREATES },
      { arg: 2, anyBitOf: SET_ID },
    ],
  },
  {
    errno: "EPERM",
    calls: ["openat"],
    when: [
      { arg: 2, anyBitOf: CREATES },
      { arg: 3, anyBitOf: SET_ID },
    ],
  },
];
