import { sha256 } from '@noble/hashes/sha2.js';
/**
 * Certificates of clients, verified against authorities, with what follows from them kept for the life of a connection.
 *
 * @module
 */
import type { Clock } from '../../meta/clock.js';
import { messageOf } from '../../meta/error-message.js';
import { hostCrypto } from '../../meta/host-crypto.js';
import {
  parseCertificate,
  verifyCertificate,
  type Certificate,
  type CertificatePool,
  type Chain,
} from '../../pki/index.js';
import { encodeBase64Url } from '../../encoding/base64url.js';
import type { AuthCertificate } from '../authenticator.js';
import { Authorities, type AuthoritiesOptions } from './authorities.js';

/** Options of {@link ClientCertificates}. */
export interface ClientCertificatesOptions<Conclusion> extends AuthoritiesOptions {
  readonly clock: Clock;
  /** Chains, presented by whatever connection, whose conclusions are kept. Default 1024. */
  readonly cacheSize?: number | undefined;
  /** What follows from the chains that hold, of which there is at least one. Asked once for each chain presented. */
  readonly conclude: (chains: readonly Chain[]) => Conclusion;
  /** What follows from a certificate that does not verify. @param leaf undefined when it could not even be read */
  readonly refuse: (error: Error, leaf: Certificate | undefined) => Conclusion;
}

/** Most certificates that a client may present. */
const MOST_CERTIFICATES = 32;
/** Most bytes of them together. */
const MOST_BYTES = 256 * 1024;
const CACHE_SIZE = 1024;

/** A conclusion, and when it holds. */
interface Verdict<Conclusion> {
  readonly conclusion: Conclusion;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** What is known under one set of authorities. */
interface Memory<Conclusion> {
  readonly pool: CertificatePool;
  /** The record that a transport hands out is one for a connection. */
  readonly byConnection: WeakMap<AuthCertificate, Verdict<Conclusion>>;
  readonly byDigest: Map<string, Verdict<Conclusion>>;
  readonly pending: Map<string, Promise<Verdict<Conclusion>>>;
}

/** Verifies certificates for client authentication. That the TLS layer found them good is not asked: it may trust other authorities. */
export class ClientCertificates<Conclusion> {
  readonly #options: ClientCertificatesOptions<Conclusion>;
  readonly #authorities: Authorities;
  #memory: Memory<Conclusion> | undefined;

  /** @throws Error when the authorities cannot be read */
  constructor(options: ClientCertificatesOptions<Conclusion>) {
    this.#options = options;
    this.#authorities = new Authorities(options);
  }

  /** What follows from a certificate now; undefined while there are no authorities. Synchronous once a chain is known. */
  judge(certificate: AuthCertificate): Conclusion | undefined | Promise<Conclusion> {
    const pool = this.#authorities.current();
    if (pool === undefined) return undefined;
    if (this.#memory?.pool !== pool)
      this.#memory = { pool, byConnection: new WeakMap(), byDigest: new Map(), pending: new Map() };
    const memory = this.#memory;
    const now = this.#options.clock.now();
    const known = memory.byConnection.get(certificate);
    if (known !== undefined && holds(known, now)) return known.conclusion;
    return this.#look(certificate, memory, now);
  }

  #look(certificate: AuthCertificate, memory: Memory<Conclusion>, now: number): Conclusion | Promise<Conclusion> {
    const { chain } = certificate;
    const bytes = chain.reduce((sum, { length }) => sum + length, 0);
    if (chain.length > MOST_CERTIFICATES || bytes > MOST_BYTES) {
      return this.#options.refuse(
        new Error(
          `x509: ${chain.length} certificates of ${bytes} bytes presented, more than ${MOST_CERTIFICATES} or ${MOST_BYTES} bytes`,
        ),
        undefined,
      );
    }
    const digest = chainDigest(chain);
    const known = memory.byDigest.get(digest);
    if (known !== undefined && holds(known, now)) {
      memory.byConnection.set(certificate, known);
      return known.conclusion;
    }
    return this.#verifyOnce(digest, chain, memory, now).then((verdict) => {
      memory.byConnection.set(certificate, verdict);
      return verdict.conclusion;
    });
  }

  /** The streams of a new HTTP/2 connection ask all at once. */
  #verifyOnce(
    digest: string,
    chain: readonly Uint8Array[],
    memory: Memory<Conclusion>,
    now: number,
  ): Promise<Verdict<Conclusion>> {
    let pending = memory.pending.get(digest);
    if (pending === undefined) {
      pending = this.#verify(chain, memory.pool, now)
        .then((verdict) => {
          if (verdict.notBefore <= verdict.notAfter) this.#keep(memory.byDigest, digest, verdict);
          return verdict;
        })
        .finally(() => memory.pending.delete(digest));
      memory.pending.set(digest, pending);
    }
    return pending;
  }

  #keep(verdicts: Map<string, Verdict<Conclusion>>, digest: string, verdict: Verdict<Conclusion>): void {
    verdicts.delete(digest);
    verdicts.set(digest, verdict);
    const [oldest] = verdicts.keys();
    if (oldest !== undefined && verdicts.size > (this.#options.cacheSize ?? CACHE_SIZE)) verdicts.delete(oldest);
  }

  async #verify(
    presented: readonly Uint8Array[],
    authorities: CertificatePool,
    now: number,
  ): Promise<Verdict<Conclusion>> {
    const { conclude, refuse } = this.#options;
    const read = readAll(presented);
    if (read.error !== undefined) return { conclusion: refuse(read.error, read.leaf), ...ALWAYS };
    const { leaf, intermediates } = read;
    const found = await verifyCertificate(leaf, { authorities, intermediates, now });
    if (found.error !== undefined)
      return { conclusion: refuse(found.error, leaf), ...(found.dependsOnTime ? NEVER : ALWAYS) };
    const all = found.chains.flat();
    return {
      conclusion: conclude(found.chains),
      notBefore: Math.max(...all.map(({ notBefore }) => notBefore)),
      notAfter: Math.min(...all.map(({ notAfter }) => notAfter)),
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

/** A chain with one certificate in it that cannot be read is refused whole, as production's TLS does. */
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
 * SHA-256 of a chain as presented. All of it, not the leaf alone: what comes with a leaf decides whether it can be verified, and
 * who shows the leaf of another with a useless chain must not have it refused to its owner.
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
