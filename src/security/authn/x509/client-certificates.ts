/**
 * Verifies client certificates against authorities, and caches the result for the life of a connection.
 *
 * @module
 */
import { sha256 } from '@noble/hashes/sha2.js';
import {
  encodeBase64Url,
  greatest,
  hostCrypto,
  least,
  LruMap,
  messageOf,
  type Clock,
} from '../../../foundation/index.js';
import {
  parseCertificate,
  verifyCertificate,
  type Certificate,
  type CertificatePool,
  type Chain,
} from '../../pki/index.js';
import type { AuthCertificate } from '../authenticator.js';
import { Authorities, type AuthoritiesOptions } from './authorities.js';

/** Options of {@link ClientCertificates}. */
export interface ClientCertificatesOptions<Conclusion> extends AuthoritiesOptions {
  readonly clock: Clock;
  /** Maximum number of cached chains. Default 1,024. */
  readonly cacheSize?: number | undefined;
  /** Returns the result for the verified chains, at least one. Called once per presented chain. */
  readonly conclude: (chains: readonly Chain[]) => Conclusion;
  /**
   * Returns the result for an invalid certificate.
   *
   * @param leaf undefined when it cannot be parsed
   */
  readonly refuse: (error: Error, leaf: Certificate | undefined) => Conclusion;
  /**
   * Called for each evaluation of a certificate that can be parsed, valid or not.
   *
   * @param remainingMs time until the leaf expires, in milliseconds; negative once it has
   */
  readonly measureLifetime?: ((remainingMs: number) => void) | undefined;
}

/** Maximum number of certificates that a client can present. */
const MAX_CERTIFICATES = 32;
/** Maximum total bytes of the presented certificates. */
const MAX_BYTES = 256 * 1024;
const CACHE_SIZE = 1024;

/** A result and its validity. */
interface Verdict<Conclusion> {
  readonly conclusion: Conclusion;
  /** The leaf's own end; undefined when it cannot be parsed. */
  readonly leafNotAfter: number | undefined;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The cache for one set of authorities. */
interface VerdictCache<Conclusion> {
  readonly pool: CertificatePool;
  /** The transport hands out one record per connection. */
  readonly byConnection: WeakMap<AuthCertificate, Verdict<Conclusion>>;
  readonly byDigest: LruMap<string, Verdict<Conclusion>>;
  readonly pending: Map<string, Promise<Verdict<Conclusion>>>;
}

/**
 * Verifies certificates for client authentication. The result of the TLS layer is ignored: it can trust other
 * authorities.
 */
export class ClientCertificates<Conclusion> {
  readonly #options: ClientCertificatesOptions<Conclusion>;
  readonly #authorities: Authorities;
  #cache: VerdictCache<Conclusion> | undefined;

  /** @throws Error when the authorities are invalid */
  constructor(options: ClientCertificatesOptions<Conclusion>) {
    this.#options = options;
    this.#authorities = new Authorities(options);
  }

  /**
   * Returns the current result for a certificate; undefined while there are no authorities. Synchronous for cached
   * chains.
   */
  evaluate(certificate: AuthCertificate): Conclusion | undefined | Promise<Conclusion> {
    const pool = this.#authorities.current();
    if (pool === undefined) return undefined;
    if (this.#cache?.pool !== pool)
      this.#cache = {
        pool,
        byConnection: new WeakMap(),
        byDigest: new LruMap(this.#options.cacheSize ?? CACHE_SIZE),
        pending: new Map(),
      };
    const cache = this.#cache;
    const now = this.#options.clock.now();
    const known = cache.byConnection.get(certificate);
    if (known !== undefined && holds(known, now)) return this.#conclusionOf(known, now);
    return this.#findOrVerify(certificate, cache, now);
  }

  #findOrVerify(
    certificate: AuthCertificate,
    cache: VerdictCache<Conclusion>,
    now: number,
  ): Conclusion | Promise<Conclusion> {
    const { chain } = certificate;
    const bytes = chain.reduce((sum, { length }) => sum + length, 0);
    if (chain.length > MAX_CERTIFICATES || bytes > MAX_BYTES) {
      return this.#options.refuse(
        new Error(
          `x509: ${chain.length} certificates of ${bytes} bytes presented, more than ${MAX_CERTIFICATES} or ${MAX_BYTES} bytes`,
        ),
        undefined,
      );
    }
    const digest = chainDigest(chain);
    const known = cache.byDigest.get(digest);
    if (known !== undefined && holds(known, now)) {
      cache.byConnection.set(certificate, known);
      return this.#conclusionOf(known, now);
    }
    return this.#verifyOnce(digest, chain, cache, now).then((verdict) => {
      cache.byConnection.set(certificate, verdict);
      return this.#conclusionOf(verdict, now);
    });
  }

  #conclusionOf({ conclusion, leafNotAfter }: Verdict<Conclusion>, now: number): Conclusion {
    if (leafNotAfter !== undefined) this.#options.measureLifetime?.(leafNotAfter - now);
    return conclusion;
  }

  /** The streams of a new HTTP/2 connection share one verification. */
  #verifyOnce(
    digest: string,
    chain: readonly Uint8Array[],
    cache: VerdictCache<Conclusion>,
    now: number,
  ): Promise<Verdict<Conclusion>> {
    let pending = cache.pending.get(digest);
    if (pending === undefined) {
      pending = this.#verify(chain, cache.pool, now)
        .then((verdict) => {
          if (verdict.notBefore <= verdict.notAfter) cache.byDigest.set(digest, verdict);
          return verdict;
        })
        .finally(() => cache.pending.delete(digest));
      cache.pending.set(digest, pending);
    }
    return pending;
  }

  async #verify(
    presented: readonly Uint8Array[],
    authorities: CertificatePool,
    now: number,
  ): Promise<Verdict<Conclusion>> {
    const { conclude, refuse } = this.#options;
    const read = readAll(presented);
    if (read.error !== undefined)
      return { conclusion: refuse(read.error, read.leaf), leafNotAfter: read.leaf?.notAfter, ...ALWAYS };
    const { leaf, intermediates } = read;
    const found = await verifyCertificate(leaf, { authorities, intermediates, now });
    if (found.error !== undefined)
      return {
        conclusion: refuse(found.error, leaf),
        leafNotAfter: leaf.notAfter,
        ...(found.dependsOnTime ? NEVER : ALWAYS),
      };
    const all = found.chains.flat();
    return {
      conclusion: conclude(found.chains),
      leafNotAfter: leaf.notAfter,
      notBefore: greatest(all.map(({ notBefore }) => notBefore)),
      notAfter: least(all.map(({ notAfter }) => notAfter)),
    };
  }
}

const ALWAYS = { notBefore: Number.NEGATIVE_INFINITY, notAfter: Number.POSITIVE_INFINITY };
const NEVER = { notBefore: Number.POSITIVE_INFINITY, notAfter: Number.NEGATIVE_INFINITY };

function holds({ notBefore, notAfter }: Verdict<unknown>, now: number): boolean {
  return now >= notBefore && now <= notAfter;
}

type Presented =
  | { readonly error: Error; readonly leaf?: Certificate | undefined }
  | { readonly error?: undefined; readonly leaf: Certificate; readonly intermediates: readonly Certificate[] };

/** As in the TLS layer of Kubernetes, one unreadable certificate makes the complete chain invalid. */
function readAll(presented: readonly Uint8Array[]): Presented {
  const certificates: Certificate[] = [];
  try {
    for (const der of presented) certificates.push(parseCertificate(der));
  } catch (error) {
    const [leaf] = certificates;
    const problem = new Error(`tls: failed to parse client certificate: ${messageOf(error)}`);
    return leaf === undefined ? { error: problem } : { error: problem, leaf };
  }
  const [leaf, ...intermediates] = certificates;
  return leaf === undefined ? { error: new Error('tls: no client certificate') } : { leaf, intermediates };
}

/**
 * Returns the SHA-256 digest of a presented chain. It covers the complete chain: intermediates decide the verification,
 * and an attacker who presents another client's leaf with a useless chain must not block its owner.
 */
function chainDigest(chain: readonly Uint8Array[]): string {
  const bytes = new Uint8Array(chain.reduce((length, certificate) => length + 4 + certificate.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const certificate of chain) {
    view.setUint32(at, certificate.length);
    bytes.set(certificate, at + 4);
    at += 4 + certificate.length;
  }
  return hostCrypto()?.hash('sha256', bytes, 'base64url') ?? encodeBase64Url(sha256(bytes));
}
