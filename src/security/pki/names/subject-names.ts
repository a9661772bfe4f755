/** A subject name to encode. A parsed {@link DistinguishedName} is accepted, too. */
export interface SubjectNames {
  readonly countries?: readonly string[] | undefined;
  readonly organizations?: readonly string[] | undefined;
  readonly organizationalUnits?: readonly string[] | undefined;
  readonly localities?: readonly string[] | undefined;
  readonly provinces?: readonly string[] | undefined;
  readonly streetAddresses?: readonly string[] | undefined;
  readonly postalCodes?: readonly string[] | undefined;
  readonly commonName?: string | undefined;
  readonly serialNumber?: string | undefined;
}
