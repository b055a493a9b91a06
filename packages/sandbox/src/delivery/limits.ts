/** Every bound of a delivery. What goes over one is counted as dropped. */
export interface DeliveryLimits {
  /** Frames that wait, and their bytes: in memory, and on disk. */
  readonly queueFrames: number;
  readonly queueBytes: number;
  /** So much of the queue is only for what is of high or critical risk. */
  readonly reservedShare: number;
  /** One frame. The relay takes a little more. */
  readonly frameBytes: number;
  /** What goes in one request. */
  readonly batchFrames: number;
  readonly batchBytes: number;
  readonly connectMs: number;
  readonly answerMs: number;
  readonly answerBytes: number;
  /** Between attempts. */
  readonly backoffMinMs: number;
  readonly backoffMaxMs: number;
  /** However long a relay asks to be left alone. */
  readonly retryAfterMaxMs: number;
}

const MIB = 1024 * 1024;

export const DELIVERY_LIMITS: DeliveryLimits = {
  queueFrames: 10_000,
  queueBytes: 32 * MIB,
  reservedShare: 0.25,
  frameBytes: MIB - 8 * 1024,
  batchFrames: 256,
  batchBytes: 2 * MIB,
  connectMs: 10_000,
  answerMs: 40_000,
  answerBytes: MIB,
  backoffMinMs: 100,
  backoffMaxMs: 5_000,
  retryAfterMaxMs: 60_000,
};
