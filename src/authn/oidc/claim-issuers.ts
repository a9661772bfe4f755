import { isHttpsUrl } from './document.js';
import { IssuerVerifier, type IssuerVerifierOptions } from './issuer-verifier.js';

/** The verifiers of those who issue distributed claims. They are few; each is made on first use, and kept. */
export class ClaimIssuers {
  private readonly verifiers = new Map<string, IssuerVerifier>();

  /** @param own verifier of the provider itself, which may issue them too */
  constructor(
    private readonly own: IssuerVerifier,
    private readonly terms: Omit<IssuerVerifierOptions, 'issuer'>,
  ) {}

  /** @throws Error for an issuer that is no https URL, or one too many */
  verifierOf(issuer: string): IssuerVerifier {
    if (issuer === this.own.issuer) return this.own;
    const known = this.verifiers.get(issuer);
    if (known !== undefined) return known;
    if (!isHttpsUrl(issuer)) throw new Error('the issuer is no https URL');
    if (this.verifiers.size >= this.terms.limits.maxClaimIssuers)
      throw new Error(`there are more than ${this.terms.limits.maxClaimIssuers} issuers of distributed claims`);
    const verifier = new IssuerVerifier({ ...this.terms, issuer });
    this.verifiers.set(issuer, verifier);
    return verifier;
  }

  close(): void {
    for (const verifier of this.verifiers.values()) verifier.close();
  }
}
