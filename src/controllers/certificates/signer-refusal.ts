/** Thrown when a signer refuses a request permanently: the request fails and is not retried. */
export class SigningRefusal extends Error {
  /** Reason of the condition: a CamelCase word such as `SubjectNotPermitted`. */
  readonly reason: string;

  /** @param message message of the condition, for the requester */
  constructor(reason: string, message: string) {
    super(message);
    this.name = 'SigningRefusal';
    this.reason = reason;
  }
}
