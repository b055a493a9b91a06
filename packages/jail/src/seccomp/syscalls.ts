/** The architectures that we have numbers for, with what the kernel calls them (`AUDIT_ARCH_*`). */
export const ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
export type Architecture = keyof typeof ARCHITECTURES;

/**
 * The highest number that we know what it does (file_setattr, Linux 6.17). Since 424 new calls have the same number
 * everywhere. Raising it means looking at each call in between.
 */
export const LAST_KNOWN_SYSCALL = 469;

interface Numbers {
  readonly x64: number;
  /** Undefined where arm64 never had the call. */
  readonly arm64: number | undefined;
}

/** From the kernel's asm/unistd_64.h and asm-generic/unistd.h. */
export const SYSCALLS = {
  open: { x64: 2, arm64: undefined },
  ioctl: { x64: 16, arm64: 29 },
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
  clone: { x64: 56, arm64: 220 },
  creat: { x64: 85, arm64: undefined },
  chmod: { x64: 90, arm64: undefined },
  fchmod: { x64: 91, arm64: 52 },
  ptrace: { x64: 101, arm64: 117 },
  syslog: { x64: 103, arm64: 116 },
  mknod: { x64: 133, arm64: undefined },
  uselib: { x64: 134, arm64: undefined },
  personality: { x64: 135, arm64: 92 },
  vhangup: { x64: 153, arm64: 58 },
  modify_ldt: { x64: 154, arm64: undefined },
  pivot_root: { x64: 155, arm64: 41 },
  _sysctl: { x64: 156, arm64: undefined },
  adjtimex: { x64: 159, arm64: 171 },
  chroot: { x64: 161, arm64: 51 },
  acct: { x64: 163, arm64: 89 },
  settimeofday: { x64: 164, arm64: 170 },
  mount: { x64: 165, arm64: 40 },
  umount2: { x64: 166, arm64: 39 },
  swapon: { x64: 167, arm64: 224 },
  swapoff: { x64: 168, arm64: 225 },
  reboot: { x64: 169, arm64: 142 },
  sethostname: { x64: 170, arm64: 161 },
  setdomainname: { x64: 171, arm64: 162 },
  iopl: { x64: 172, arm64: undefined },
  ioperm: { x64: 173, arm64: undefined },
  create_module: { x64: 174, arm64: undefined },
  init_module: { x64: 175, arm64: 105 },
  delete_module: { x64: 176, arm64: 106 },
  get_kernel_syms: { x64: 177, arm64: undefined },
  query_module: { x64: 178, arm64: undefined },
  quotactl: { x64: 179, arm64: 60 },
  nfsservctl: { x64: 180, arm64: 42 },
  lookup_dcookie: { x64: 212, arm64: 18 },
  clock_settime: { x64: 227, arm64: 112 },
  kexec_load: { x64: 246, arm64: 104 },
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  keyctl: { x64: 250, arm64: 219 },
  migrate_pages: { x64: 256, arm64: 238 },
  openat: { x64: 257, arm64: 56 },
  mknodat: { x64: 259, arm64: 33 },
  fchmodat: { x64: 268, arm64: 53 },
  unshare: { x64: 272, arm64: 97 },
  move_pages: { x64: 279, arm64: 239 },
  perf_event_open: { x64: 298, arm64: 241 },
  fanotify_init: { x64: 300, arm64: 262 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  clock_adjtime: { x64: 305, arm64: 266 },
  setns: { x64: 308, arm64: 268 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  kcmp: { x64: 312, arm64: 272 },
  finit_module: { x64: 313, arm64: 273 },
  kexec_file_load: { x64: 320, arm64: 294 },
  bpf: { x64: 321, arm64: 280 },
  userfaultfd: { x64: 323, arm64: 282 },
  io_uring_setup: { x64: 425, arm64: 425 },
  io_uring_enter: { x64: 426, arm64: 426 },
  io_uring_register: { x64: 427, arm64: 427 },
  open_tree: { x64: 428, arm64: 428 },
  move_mount: { x64: 429, arm64: 429 },
  fsopen: { x64: 430, arm64: 430 },
  fsconfig: { x64: 431, arm64: 431 },
  fsmount: { x64: 432, arm64: 432 },
  fspick: { x64: 433, arm64: 433 },
  clone3: { x64: 435, arm64: 435 },
  openat2: { x64: 437, arm64: 437 },
  pidfd_getfd: { x64: 438, arm64: 438 },
  mount_setattr: { x64: 442, arm64: 442 },
  quotactl_fd: { x64: 443, arm64: 443 },
  fchmodat2: { x64: 452, arm64: 452 },
  open_tree_attr: { x64: 467, arm64: 467 },
} as const satisfies Record<string, Numbers>;
export type Syscall = keyof typeof SYSCALLS;
