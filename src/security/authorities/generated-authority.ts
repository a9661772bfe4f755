import type { ApiObject, Clock, Dialect, Entropy } from '../../foundation/index.js';
import { encodeAt, parseRecord } from '../../registry/index.js';
import {
  StorageError,
  type Revision,
  type Storage,
  type StorageEvent,
  type StorageRecord,
  type StorageWatch,
} from '../../storage/index.js';
import { CertificateAuthority, parseCertificateBundle } from '../pki/index.js';

/** Dependencies of {@link GeneratedAuthority}. */
export interface GeneratedAuthorityParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly dialect: Dialect;
  /** Default {@link signingPurpose}. */
  readonly purpose?: AuthorityPurpose | undefined;
}

/** The use of an authority, of which a store has one. */
export interface AuthorityPurpose {
  /** Storage key outside the API, so no request can read the private key. */
  readonly key: string;
  /** Common name of its certificates after the name of the product, before the time. */
  readonly name: string;
}

/** The authority of client certificates, which can issue a certificate for any user. */
const signingPurpose: AuthorityPurpose = { key: '/internal/certificate-authority', name: 'csr-signer' };

/**
 * The authority of the certificates with which a server calls the servers of other API groups. Whoever has one names any
 * user to them, so it is not the one of client certificates.
 */
export const frontProxyPurpose: AuthorityPurpose = { key: '/internal/front-proxy-authority', name: 'front-proxy-ca' };

/**
 * The authority of the serving certificates of the servers that share a store, so that whoever trusts it reaches each of
 * them.
 */
export const servingPurpose: AuthorityPurpose = { key: '/internal/serving-authority', name: 'serving-ca' };

const HOUR_MS = 3_600_000;
const LIFE_MS = 10 * 365 * 24 * HOUR_MS;
/** Backdating of `notBefore`, in milliseconds, because clients' clocks can be behind. */
const BACKDATE_MS = HOUR_MS;
/** Minimum remaining part of the lifetime for signing; below it the authority is replaced. */
const RENEW_BELOW = 0.2;

/** A parsed stored authority. */
interface StoredAuthority {
  readonly record: StorageRecord;
  /** Trusted authority certificates, PEM: the signing one first, then the replaced ones that have not expired. */
  readonly trusted: readonly string[];
  /** Expiry of the signing certificate, in milliseconds since the epoch. */
  readonly notAfter: number;
  readonly keyPem: string;
}

/**
 * The default signing authority. It is created for the first certificate, is valid for ten years, and is stored in the
 * storage, so it survives restarts and is the same on all servers of one storage.
 *
 * When two years are left, a new authority replaces it. Certificates that the old one has signed stay trusted until the
 * old one expires. The replacement is automatic; only copies of the authority's certificate in other programs must be
 * updated.
 */
export class GeneratedAuthority {
  readonly #parts: GeneratedAuthorityParts;
  readonly #purpose: AuthorityPurpose;
  #record: StorageRecord | undefined;
  #stored: StoredAuthority | undefined;
  #opened: { readonly record: StorageRecord; readonly authority: Promise<CertificateAuthority> } | undefined;
  #reading: Promise<void> | undefined;
  #creating: Promise<CertificateAuthority> | undefined;
  #watch: StorageWatch | undefined;

  constructor(parts: GeneratedAuthorityParts) {
    this.#parts = parts;
    this.#purpose = parts.purpose ?? signingPurpose;
  }

  /**
   * Returns the trusted authority certificates, PEM; empty before {@link GeneratedAuthority.ready} and when no authority
   * exists.
   *
   * @throws Error when the stored authority cannot be parsed
   */
  readonly certificates = (): string => this.#known()?.trusted.join('') ?? '';

  /**
   * Reads the stored authority and starts following it. After a failure the next call retries.
   *
   * @returns undefined when it is ready
   * @throws StorageError when the storage fails
   */
  ready(): Promise<void> | undefined {
    if (this.#watch !== undefined) return undefined;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /**
   * Returns the signing authority, after creating or replacing it if necessary.
   *
   * @throws StorageError when the storage fails; Error when the stored authority cannot be parsed
   */
  async current(): Promise<CertificateAuthority> {
    await this.ready();
    const stored = this.#known();
    if (stored !== undefined && stored.notAfter - this.#parts.clock.now() > LIFE_MS * RENEW_BELOW)
      return this.#open(stored);
    this.#creating ??= this.#create(stored).finally(() => (this.#creating = undefined));
    return this.#creating;
  }

  /** Stops following. */
  close(): void {
    this.#watch?.stop();
  }

  async #read(): Promise<void> {
    const { record, revision } = await this.#parts.storage.get(this.#purpose.key);
    this.#record = record;
    // After the watch ends, the next call of ready starts a new one.
    const end = (): void => void (this.#watch = undefined);
    this.#watch = this.#parts.storage.watch(this.#purpose.key, revision, {
      events: (events) => events.forEach((event) => this.#learn(event)),
      progress: () => undefined,
      end,
    });
  }

  /** Applies an event, unless it is older than the known record. */
  #learn({ type, key, revision, record }: StorageEvent): void {
    if (key === this.#purpose.key && revision > (this.#record?.modRevision ?? 0))
      this.#record = type === 'delete' ? undefined : record;
  }

  #known(): StoredAuthority | undefined {
    if (this.#record?.modRevision !== this.#stored?.record.modRevision)
      this.#stored = this.#record && readStored(this.#record);
    return this.#stored;
  }

  #open({ record, trusted: [certificatePem = ''], keyPem }: StoredAuthority): Promise<CertificateAuthority> {
    if (this.#opened?.record !== record)
      this.#opened = { record, authority: CertificateAuthority.open(certificatePem, keyPem, this.#parts.entropy) };
    return this.#opened.authority;
  }

  async #create(before: StoredAuthority | undefined): Promise<CertificateAuthority> {
    const { storage, clock, entropy, dialect } = this.#parts;
    const now = clock.now();
    const commonName = `${dialect.product}-${this.#purpose.name}@${Math.floor(now / 1000)}`;
    const created = await CertificateAuthority.create({
      commonName,
      notBefore: now - BACKDATE_MS,
      notAfter: now + LIFE_MS,
      entropy,
    });
    const replaced = before?.trusted.filter((pem) => endOf(pem) > now) ?? [];
    const object: ApiObject = {
      kind: 'CertificateAuthority',
      apiVersion: 'internal/v1',
      metadata: {},
      certificate: created.certificatePem,
      key: await created.privateKeyPem(),
      replaced,
    };
    const encode = (revision: Revision): string => encodeAt(object, revision);
    try {
      this.#record = await (before === undefined
        ? storage.create(this.#purpose.key, encode, { growthWhenFull: Infinity })
        : storage.update(this.#purpose.key, encode, before.record.modRevision, { growthWhenFull: Infinity }));
      return created;
    } catch (error) {
      if (!(error instanceof StorageError) || error.current === undefined) throw error;
      // Another server on the same storage wrote it first.
      this.#record = error.current;
      return this.#open(readStored(error.current));
    }
  }
}

/** Parses a stored authority. @throws TypeError for a record that this server would not write */
function readStored(record: StorageRecord): StoredAuthority {
  const { certificate, key: keyPem, replaced } = parseRecord(record);
  if (typeof certificate !== 'string' || typeof keyPem !== 'string' || !Array.isArray(replaced))
    throw new TypeError('the stored certificate authority cannot be read');
  return { record, keyPem, trusted: [certificate, ...replaced.map(String)], notAfter: endOf(certificate) };
}

/** Returns the expiry of a certificate, in milliseconds since the epoch. */
function endOf(pem: string): number {
  return parseCertificateBundle(pem)[0]?.notAfter ?? -Infinity;
}
