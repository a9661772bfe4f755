/** A serving certificate and its certificate authority, in PEM. */
export interface ServingCertificate {
  /** Certificate authority, for clients. */
  readonly caPem: string;
  readonly certPem: string;
  /** Private key in PKCS #8. */
  readonly keyPem: string;
}
