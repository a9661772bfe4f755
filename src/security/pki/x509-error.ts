/** The kinds of certificate errors. */
export type X509Problem =
  /** The encoding is malformed. */
  | 'Malformed'
  /** The certificate is not valid at the given time. */
  | 'Expired'
  /** No chain leads to a trusted authority. */
  | 'UnknownAuthority'
  /** A certificate that is not a CA has signed another certificate. */
  | 'NotAuthorizedToSign'
  /** The chain exceeds a path length constraint. */
  | 'TooManyIntermediates'
  /** The certificate does not permit the requested usage. */
  | 'IncompatibleUsage'
  /** A name violates the name constraints of an authority. */
  | 'NameConstraint'
  /** A critical extension is not supported. */
  | 'UnhandledCriticalExtension'
  /** A signature is wrong or its algorithm is not accepted. */
  | 'InvalidSignature'
  /** The input exceeds a limit of size or cost. */
  | 'Limit';

/** Maximum length of a message, which may contain untrusted names from certificates. */
const MAX_MESSAGE_LENGTH = 1024;

/**
 * Thrown for a malformed or untrusted certificate. The message starts with `x509: ` and is that of Go when Go has one.
 */
export class X509Error extends Error {
  readonly problem: X509Problem;

  constructor(problem: X509Problem, message: string) {
    super(message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message);
    this.name = 'X509Error';
    this.problem = problem;
  }
}

/** Returns the error for a malformed value. */
export function malformed(message: string): X509Error {
  return new X509Error('Malformed', message);
}
