/**
 * The part of classic BPF that a seccomp filter needs. An instruction is Linux' `struct sock_filter`, 8 bytes in the
 * machine's byte order (little on both architectures that we know):
 *
 *     u16 code | u8 jumpTrue | u8 jumpFalse | u32 k
 *
 * Jumps count the instructions to leap over, forward only: a program always ends.
 */
export interface Instruction {
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
export const load = (offset: number): Instruction => instruction(LOAD_WORD, offset);
export const and = (mask: number): Instruction => instruction(AND, mask);
export const ifEqual = (value: number, jumps: Jumps): Instruction => instruction(JUMP_EQUAL, value, jumps);
export const ifGreater = (value: number, jumps: Jumps): Instruction => instruction(JUMP_GREATER, value, jumps);
export const ifAnyBit = (mask: number, jumps: Jumps): Instruction => instruction(JUMP_ANY_BIT, mask, jumps);
export const answer = (action: number): Instruction => instruction(RETURN, action);

function instruction(code: number, k: number, { yes = 0, no = 0 }: Jumps = {}): Instruction {
  return { code, jumpTrue: yes, jumpFalse: no, k };
}

/** Throws RangeError where a jump or a value doesn't fit its field. */
export function assemble(instructions: readonly Instruction[]): Buffer {
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
