/** The gRPC codes that the engine distinguishes (gRPC document "Status codes and their use in gRPC"). */
export const GrpcCode = {
  Ok: 0,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  OutOfRange: 11,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
  Unauthenticated: 16,
} as const;

/**
 * The effect of a failed request: `none` when it has certainly not taken effect, `done` when it has ended but may have
 * taken effect, `open` when it may have taken effect or still may.
 */
export type RequestEffect = 'none' | 'done' | 'open';

/**
 * Conditions under which a retry may succeed: on the same member (`again`), on another one (`elsewhere`), with a new token,
 * or never.
 */
export type Remedy = 'again' | 'elsewhere' | 'token' | 'never';

/** Part of the message of a write that exceeds the quota of etcd's file. */
const NO_SPACE = 'space exceeded';

/** A call to etcd that failed. */
export class RpcError extends Error {
  readonly code: number;
  readonly effect: RequestEffect;
  readonly remedy: Remedy;

  constructor(code: number, message: string, effect: RequestEffect, remedy: Remedy, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'RpcError';
    this.code = code;
    this.effect = effect;
    this.remedy = remedy;
  }

  /** Whether etcd has no space for writes. */
  get isDiskFull(): boolean {
    return this.code === GrpcCode.ResourceExhausted && this.message.includes(NO_SPACE);
  }
}

interface KnownRefusal {
  readonly code: number;
  /** A part of etcd's message. */
  readonly part: string;
  readonly effect: RequestEffect;
  readonly remedy: Remedy;
}

/** Refusals whose code alone does not tell their meaning. */
const KNOWN: readonly KnownRefusal[] = [
  { code: GrpcCode.Unavailable, part: 'no leader', effect: 'none', remedy: 'elsewhere' },
  { code: GrpcCode.Unavailable, part: 'for learner', effect: 'none', remedy: 'elsewhere' },
  { code: GrpcCode.ResourceExhausted, part: 'too many requests', effect: 'none', remedy: 'again' },
  // etcd applies the write that exceeds the limit and still refuses it.
  { code: GrpcCode.ResourceExhausted, part: NO_SPACE, effect: 'done', remedy: 'never' },
  { code: GrpcCode.Unauthenticated, part: '', effect: 'none', remedy: 'token' },
  { code: GrpcCode.InvalidArgument, part: 'revision of auth store is old', effect: 'none', remedy: 'token' },
  { code: GrpcCode.InvalidArgument, part: 'user name is empty', effect: 'none', remedy: 'token' },
];

/** Codes that refuse a request before it takes effect. */
const REFUSALS = new Set<number>([
  GrpcCode.InvalidArgument,
  GrpcCode.NotFound,
  GrpcCode.PermissionDenied,
  GrpcCode.FailedPrecondition,
  GrpcCode.OutOfRange,
  GrpcCode.Unimplemented,
]);

/** Returns the error of a call that etcd refused with a code. */
export function refusedCall(code: number, message: string): RpcError {
  const known = KNOWN.find((each) => each.code === code && message.includes(each.part));
  if (known !== undefined) return new RpcError(code, message, known.effect, known.remedy);
  if (REFUSALS.has(code)) return new RpcError(code, message, 'none', 'never');
  return new RpcError(code, message, 'open', 'elsewhere');
}

/** Returns the error of a call whose connection was lost. */
export function lostCall(message: string, effect: RequestEffect, cause?: unknown): RpcError {
  return new RpcError(GrpcCode.Unavailable, message, effect, 'elsewhere', cause);
}
