/** Subject alternative names to encode. The parsed names of a certificate or request are accepted, too. */
export interface AlternativeNamesInput {
  readonly dnsNames?: readonly string[] | undefined;
  readonly emailAddresses?: readonly string[] | undefined;
  /** Strings, or 4 or 16 octets. */
  readonly ipAddresses?: readonly (string | Uint8Array)[] | undefined;
  readonly uris?: readonly string[] | undefined;
}
