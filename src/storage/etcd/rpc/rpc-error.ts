/** Codes of gRPC that are told apart here (its document "Status codes and their use in gRPC"). */
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
 * What became of a request that failed: `none` when it was certainly not carried out, `done` when it is over but may have been
 * carried out, `open` when it may have been, or still be.
 */
export type RequestEffect = 'none' | 'done' | 'open';

/** Whether a request may succeed when it is sent again: to the same member, only to another one, with a new token, or not at all. */
export type Remedy = 'again' | 'elsewhere' | 'token' | 'never';

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
}

interface Known {
  readonly code: number;
  /** What etcd's message has in it. */
  readonly part: string;
  readonly effect: RequestEffect;
  readonly remedy: Remedy;
}

/** Refusals of etcd whose meaning its code does not tell. */
const KNOWN: readonly Known[] = [
  { code: GrpcCode.Unavailable, part: 'no leader', effect: 'none', remedy: 'elsewhere' },
  { code: GrpcCode.Unavailable, part: 'for learner', effect: 'none', remedy: 'elsewhere' },
  { code: GrpcCode.ResourceExhausted, part: 'too many requests', effect: 'none', remedy: 'again' },
  // The write that goes past the limit is carried out and refused.
  { code: GrpcCode.ResourceExhausted, part: 'space exceeded', effect: 'done', remedy: 'never' },
  { code: GrpcCode.Unauthenticated, part: '', effect: 'none', remedy: 'token' },
  { code: GrpcCode.InvalidArgument, part: 'revision of auth store is old', effect: 'none', remedy: 'token' },
  { code: GrpcCode.InvalidArgument, part: 'user name is empty', effect: 'none', remedy: 'token' },
];

/** Codes by which a request is refused before it is carried out. */
const REFUSALS = new Set<number>([
  GrpcCode.InvalidArgument,
  GrpcCode.NotFound,
  GrpcCode.PermissionDenied,
  GrpcCode.FailedPrecondition,
  GrpcCode.OutOfRange,
  GrpcCode.Unimplemented,
]);

/** The error of a call that etcd answered with a code. */
export function refusedCall(code: number, message: string): RpcError {
  const known = KNOWN.find((each) => each.code === code && message.includes(each.part));
  if (known !== undefined) return new RpcError(code, message, known.effect, known.remedy);
  if (REFUSALS.has(code)) return new RpcError(code, message, 'none', 'never');
  return new RpcError(code, message, 'open', 'elsewhere');
}

/** The error of a call whose connection was lost. */
export function lostCall(message: string, effect: RequestEffect, cause?: unknown): RpcError {
  return new RpcError(GrpcCode.Unavailable, message, effect, 'elsewhere', cause);
}
