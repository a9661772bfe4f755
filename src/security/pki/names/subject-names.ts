/** A subject name to encode. A parsed {@link DistinguishedName} is accepted, too. */
export interface SubjectNames {
  readonly countries?: readonly string[];
  readonly organizations?: readonly string[];
  readonly organizationalUnits?: readonly string[];
  readonly localities?: readonly string[];
  readonly provinces?: readonly string[];
  readonly streetAddresses?: readonly string[];
  readonly postalCodes?: readonly string[];
  readonly commonName?: string;
  readonly serialNumber?: string;
}
