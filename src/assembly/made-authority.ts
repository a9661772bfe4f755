import type { Clock, Entropy } from '../meta/clock.js';
import type { ApiObject } from '../meta/object.js';
import type { Dialect } from '../names/dialect.js';
import { CertificateAuthority, parseCertificateBundle } from '../pki/index.js';
import { parseRecord, encodeAt } from '../registry/record-codec.js';
import {
  StorageError,
  type Revision,
  type Storage,
  type StorageEvent,
  type StorageRecord,
  type StorageWatch,
} from '../storage/index.js';

/** Dependencies of {@link MadeAuthority}. */
export interface MadeAuthorityParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly dialect: Dialect;
}

/** Beside what the API serves, so that no request can read the key: who has it can be anybody. */
const KEY = '/internal/certificate-authority';

const HOUR_MS = 3_600_000;
const LIFE_MS = 10 * 365 * 24 * HOUR_MS;
/** Clients' clocks can be behind. */
const BACKDATE_MS = HOUR_MS;
/** Part of its life that an authority must have left to go on signing. */
const RENEW_BELOW = 0.2;

/** A stored authority, read. */
interface Kept {
  readonly record: StorageRecord;
  /** Certificates of authorities whose own are trusted, PEM: that which signs, and those that it has replaced as long as they last. */
  readonly trusted: readonly string[];
  /** End of the one that signs, in milliseconds since the epoch. */
  readonly notAfter: number;
  readonly keyPem: string;
}

/**
 * The authority that signs certificates where nobody gives one: made for ten years when the first certificate is to be signed, and kept in
 * the storage, so that it outlives the process and is the same on all servers of one storage.
 *
 * When two years are left it is replaced by another, which signs from then on. What the one before has signed stays trusted until
 * that ends. Nobody has to do anything, unless its certificate was copied to where other programs check certificates by it.
 */
export class MadeAuthority {
  readonly #parts: MadeAuthorityParts;
  #record: StorageRecord | undefined;
  #kept: Kept | undefined;
  #opened: { readonly record: StorageRecord; readonly authority: Promise<CertificateAuthority> } | undefined;
  #reading: Promise<void> | undefined;
  #making: Promise<CertificateAuthority> | undefined;
  #watch: StorageWatch | undefined;

  constructor(parts: MadeAuthorityParts) {
    this.#parts = parts;
  }

  /**
   * Whose certificates are trusted, as far as {@link MadeAuthority.ready} has read; PEM, empty when nothing was ever signed.
   *
   * @throws Error when what is kept cannot be read
   */
  readonly certificates = (): string => this.#known()?.trusted.join('') ?? '';

  /**
   * Reads what is kept, and follows it from then on.
   *
   * @returns undefined when that is done
   * @throws StorageError when the storage fails; the next who asks tries again
   */
  ready(): Promise<void> | undefined {
    if (this.#watch !== undefined) return undefined;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /**
   * The authority that signs now, made or replaced if need be.
   *
   * @throws StorageError when the storage fails; Error when what is kept cannot be read
   */
  async current(): Promise<CertificateAuthority> {
    await this.ready();
    const kept = this.#known();
    if (kept !== undefined && kept.notAfter - this.#parts.clock.now() > LIFE_MS * RENEW_BELOW) return this.#open(kept);
    this.#making ??= this.#make(kept).finally(() => (this.#making = undefined));
    return this.#making;
  }

  /** Stops following. */
  close(): void {
    this.#watch?.stop();
  }

  async #read(): Promise<void> {
    const { record, revision } = await this.#parts.storage.get(KEY);
    this.#record = record;
    // A watch that ends is not taken up again before somebody asks.
    const end = (): void => void (this.#watch = undefined);
    this.#watch = this.#parts.storage.watch(KEY, revision, {
      events: (events) => events.forEach((event) => this.#learn(event)),
      progress: () => undefined,
      end,
    });
  }

  /** What is older than what is known already comes late. */
  #learn({ type, key, revision, record }: StorageEvent): void {
    if (key === KEY && revision > (this.#record?.modRevision ?? 0))
      this.#record = type === 'delete' ? undefined : record;
  }

  #known(): Kept | undefined {
    if (this.#record?.modRevision !== this.#kept?.record.modRevision)
      this.#kept = this.#record && readKept(this.#record);
    return this.#kept;
  }

  #open({ record, trusted: [certificatePem = ''], keyPem }: Kept): Promise<CertificateAuthority> {
    if (this.#opened?.record !== record)
      this.#opened = { record, authority: CertificateAuthority.open(certificatePem, keyPem, this.#parts.entropy) };
    return this.#opened.authority;
  }

  async #make(before: Kept | undefined): Promise<CertificateAuthority> {
    const { storage, clock, entropy, dialect } = this.#parts;
    const now = clock.now();
    const commonName = `${dialect.product}-csr-signer@${Math.floor(now / 1000)}`;
    const made = await CertificateAuthority.create({
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
      certificate: made.certificatePem,
      key: await made.privateKeyPem(),
      replaced,
    };
    const encode = (revision: Revision): string => encodeAt(object, revision);
    try {
      this.#record = await (before === undefined
        ? storage.create(KEY, encode)
        : storage.update(KEY, encode, before.record.modRevision));
      return made;
    } catch (error) {
      if (!(error instanceof StorageError) || error.current === undefined) throw error;
      // Another server on the same storage was faster.
      this.#record = error.current;
      return this.#open(readKept(error.current));
    }
  }
}

/** @throws TypeError when it is not what this server writes */
function readKept(record: StorageRecord): Kept {
  const { certificate, key: keyPem, replaced } = parseRecord(record);
  if (typeof certificate !== 'string' || typeof keyPem !== 'string' || !Array.isArray(replaced))
    throw new TypeError('the kept certificate authority cannot be read');
  return { record, keyPem, trusted: [certificate, ...replaced.map(String)], notAfter: endOf(certificate) };
}

/** Returns the expiry of a certificate. */
function endOf(pem: string): number {
  return parseCertificateBundle(pem)[0]?.notAfter ?? -Infinity;
}
