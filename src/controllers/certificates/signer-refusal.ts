/** Thrown by a signer's rules: there will be no certificate for this request, and trying again changes nothing. */
export class SigningRefusal extends Error {
  /** One word for programs, like `SubjectNotPermitted`; the condition's reason. */
  readonly reason: string;

  /** @param message for who asked; the condition's message */
  constructor(reason: string, message: string) {
    super(message);
    this.name = 'SigningRefusal';
    this.reason = reason;
  }
}
