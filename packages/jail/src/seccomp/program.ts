import { type ArgumentRule, argumentRules, CALL_RULES, type Errno, type SeccompOptions, type Test } from "./rules.ts";
import { ARCHITECTURES, type Architecture, LAST_KNOWN_SYSCALL, SYSCALLS, type Syscall } from "./syscalls.ts";

/** Where `struct seccomp_data` holds what; of an argument, its low half. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number) => 16 + index * 8;

const KILL_PROCESS = 0x80000000;
const ALLOW = 0x7fff0000;
const ERRNO: Record<Errno, number> = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 };
const refuse = (errno: Errno) => answer(0x00050000 | ERRNO[errno]);

/**
 * The BPF program for this machine's architecture, as bwrap's `--seccomp` wants it; undefined where we have no table.
 * What no rule refuses is allowed, up to the last call that we know.
 */
export function seccompProgram(arch: NodeJS.Architecture, options: SeccompOptions): Buffer | undefined {
  if (!isKnown(arch)) return undefined;
  return assemble([
    load(ARCHITECTURE),
    // Another architecture's calls (32-bit programs) have numbers of their own.
    ifEqual(ARCHITECTURES[arch], { yes: 1 }),
    answer(KILL_PROCESS),
    load(NUMBER),
    // As on an older kernel: what is newer than the table, and the x32 ABI, whose numbers have bit 30 set.
    ifGreater(LAST_KNOWN_SYSCALL, { no: 1 }),
    refuse("ENOSYS"),
    ...judgeByArguments(arch, argumentRules(options)),
    ...CALL_RULES.flatMap(({ calls, errno }) => refuseCalls(numbersOf(calls, arch), errno)),
    answer(ALLOW),
  ]);
}

function isKnown(arch: NodeJS.Architecture): arch is Architecture {
  return Object.hasOwn(ARCHITECTURES, arch);
}

function numbersOf(calls: Iterable<Syscall>, arch: Architecture): number[] {
  return [...calls].map((call) => SYSCALLS[call][arch]).filter((number) => number !== undefined);
}

function refuseCalls(numbers: readonly number[], errno: Errno): Instruction[] {
  return numbers.flatMap((number) => [ifEqual(number, { no: 1 }), refuse(errno)]);
}

/** For each call that has them, all its rules, and then that it is allowed: the number isn't loaded any more. */
function judgeByArguments(arch: Architecture, rules: readonly ArgumentRule[]): Instruction[] {
  const calls = new Set(rules.flatMap((rule) => rule.calls));
  return [...calls].flatMap((call) => {
    const own = rules.filter((rule) => rule.calls.includes(call));
    const judged = [...own.flatMap(refuseWhen), answer(ALLOW)];
    return numbersOf([call], arch).flatMap((number) => [ifEqual(number, { no: judged.length }), ...judged]);
  });
}

/** Built from its end, so that each test knows how far it is to behind the refusal. */
function refuseWhen({ when, errno }: ArgumentRule): Instruction[] {
  return when.reduceRight((rest, test) => hold(test, rest.length).concat(rest), [refuse(errno)]);
}

/** Goes on with the next instruction where the test holds, and else leaps over as many as `rest`. */
function hold(test: Test, rest: number): Instruction[] {
  const value = load(argument(test.arg));
  if ("anyBitOf" in test) return [value, ifAnyBit(test.anyBitOf, { no: rest })];
  const masked = test.mask === undefined ? [value] : [value, and(test.mask)];
  if ("oneOf" in test) {
    const last = test.oneOf.length - 1;
    return [...masked, ...test.oneOf.map((one, at) => ifEqual(one, { yes: last - at, no: at === last ? rest : 0 }))];
  }
  const last = test.noneOf.length - 1;
  return [...masked, ...test.noneOf.map((one, at) => ifEqual(one, { yes: last - at + rest }))];
}

/**
 * The part of classic BPF that a seccomp filter needs. An instruction is Linux' `struct sock_filter`, 8 bytes in the
 * machine's byte order (little on both architectures that we know):
 *
 *     u16 code | u8 jumpTrue | u8 jumpFalse | u32 k
 *
 * Jumps count the instructions to leap over, forward only: a program always ends.
 */
interface Instruction {
  readonly code: number;
  readonly jumpTrue: number;
  readonly jumpFalse: number;
  readonly k: number;
}

const LOAD_WORD = 0x20; // BPF_LD | BPF_W | BPF_ABS
const AND = 0x54; // BPF_ALU | BPF_AND | BPF_K
const JUMP_EQUAL = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const JUMP_GREATER = 0x25; // BPF_JMP | BPF_JGT | BPF_K
const JUMP_ANY_BIT = 0x45; // BPF_JMP | BPF_JSET | BPF_K
const RETURN = 0x06; // BPF_RET | BPF_K

const INSTRUCTION_BYTES = 8;
const MAX_INSTRUCTIONS = 4096; // BPF_MAXINSNS

interface Jumps {
  readonly yes?: number;
  readonly no?: number;
}

/** Loads the 32 bits at this offset of `struct seccomp_data`. */
const load = (offset: number): Instruction => instruction(LOAD_WORD, offset);
const and = (mask: number): Instruction => instruction(AND, mask);
const ifEqual = (value: number, jumps: Jumps): Instruction => instruction(JUMP_EQUAL, value, jumps);
const ifGreater = (value: number, jumps: Jumps): Instruction => instruction(JUMP_GREATER, value, jumps);
const ifAnyBit = (mask: number, jumps: Jumps): Instruction => instruction(JUMP_ANY_BIT, mask, jumps);
const answer = (action: number): Instruction => instruction(RETURN, action);

function instruction(code: number, k: number, { yes = 0, no = 0 }: Jumps = {}): Instruction {
  return { code, jumpTrue: yes, jumpFalse: no, k };
}

/** Throws RangeError where a jump or a value doesn't fit its field. */
function assemble(instructions: readonly Instruction[]): Buffer {
  if (instructions.length > MAX_INSTRUCTIONS) throw new RangeError("the filter is too long for the kernel");
  const bytes = Buffer.alloc(instructions.length * INSTRUCTION_BYTES);
  instructions.forEach(({ code, jumpTrue, jumpFalse, k }, index) => {
    const at = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(jumpTrue, at + 2);
    bytes.writeUInt8(jumpFalse, at + 3);
    bytes.writeUInt32LE(k, at + 4);
  });
  return bytes;
}
