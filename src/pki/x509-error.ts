/** What is wrong with a certificate. */
export type X509Problem =
  /** It cannot be read. */
  | 'Malformed'
  /** It is not valid at this time. */
  | 'Expired'
  /** No chain leads to an authority. */
  | 'UnknownAuthority'
  /** A certificate that is none of an authority has signed another. */
  | 'NotAuthorizedToSign'
  /** There are more certificates between than one of them allows. */
  | 'TooManyIntermediates'
  /** It is for other purposes. */
  | 'IncompatibleUsage'
  /** An authority may not sign for one of its names. */
  | 'NameConstraint'
  /** It says something that must be understood, and is not. */
  | 'UnhandledCriticalExtension'
  /** A signature is wrong, or made by an algorithm that is not taken. */
  | 'InvalidSignature'
  /** Looking into it would cost more than is allowed. */
  | 'Limit';

/** Longest message: it shows names that strangers have written into certificates. */
const LONGEST_MESSAGE = 1024;

/** A certificate that cannot be read or is not to be trusted. The message begins with `x509: ` and is production's where production has one. */
export class X509Error extends Error {
  readonly problem: X509Problem;

  constructor(problem: X509Problem, message: string) {
    super(message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message);
    this.name = 'X509Error';
    this.problem = problem;
  }
}

/** A certificate that cannot be read. */
export function malformed(message: string): X509Error {
  return new X509Error('Malformed', message);
}
