/**
 * The certificate of several servers of the same webhooks, in a Secret.
 *
 * @module
 */
import type { Client } from '../../client/index.js';
import { ApiError, decodeBase64Text, encodeBase64Text, toError, type Clock } from '../../foundation/index.js';
import { Secret } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { parseCertificateBundle } from '../../security/index.js';
import type { ServingCertificate } from '../../transport/index.js';
import { LOAD_MS, RENEW_AFTER, type CertificateSource } from './certificate-rotation.js';

/** The name of a Secret. */
export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

/** The parts of {@link SharedCertificate}. */
export interface SharedCertificateParts {
  readonly client: Client;
  readonly secret: SecretName;
  readonly clock: Clock;
  /** Makes a certificate with an authority of its own. */
  make(): Promise<ServingCertificate>;
}

/** The content of the Secret. */
interface Shared {
  /** The certificate that all serve. */
  readonly current: ServingCertificate;
  /** The certificate that all will serve, while they make clients trust its authority. */
  readonly next?: ServingCertificate | undefined;
}

type SecretObject = ObjectOf<typeof Secret>;

const NOT_FOUND = 404;
const CONFLICT = 409;
/** How often a write is tried when other servers are faster. */
const ATTEMPTS = 10;

/** The keys of the Secret: those of a certificate, by the names that other programs know, and those of the next one. */
const KEYS = { certPem: 'tls.crt', keyPem: 'tls.key', caPem: 'ca.crt' } as const;
const NEXT = 'next.';

/**
 * Takes certificates from a Secret. The first server makes one, and the others take it. When two thirds of its lifetime have
 * passed, a server adds the next certificate. The Secret then holds both, until the first server that has made clients trust
 * the new authority serves the new certificate. A server that starts meanwhile serves the current one.
 */
export class SharedCertificate implements CertificateSource {
  readonly #parts: SharedCertificateParts;

  constructor(parts: SharedCertificateParts) {
    this.#parts = parts;
  }

  /** @throws ApiError; Error for a Secret that holds something else */
  async next(served: ServingCertificate | undefined): Promise<ServingCertificate> {
    const { current, next = current } = await this.#write((shared) =>
      this.#renewed(shared ?? (served && { current: served })),
    );
    return served === undefined ? current : next;
  }

  waitMs(): number {
    return LOAD_MS;
  }

  /** Makes the next certificate the current one. @throws as {@link SharedCertificate.next} */
  async serves(served: ServingCertificate): Promise<void> {
    await this.#write((shared = { current: served }) =>
      Promise.resolve(shared.next?.certPem === served.certPem ? { current: shared.next } : shared),
    );
  }

  /** Returns what the Secret should hold. */
  async #renewed(shared: Shared | undefined): Promise<Shared> {
    const { clock, make } = this.#parts;
    const nowMs = clock.now();
    const next = shared?.next !== undefined && datesOf(shared.next).notAfter > nowMs ? shared.next : undefined;
    const current = shared?.current;
    if (current === undefined || datesOf(current).notAfter <= nowMs) return { current: next ?? (await make()) };
    if (next !== undefined) return next === shared?.next ? shared : { current, next };
    const { notBefore, notAfter } = datesOf(current);
    const isDue = nowMs >= notBefore + (notAfter - notBefore) * RENEW_AFTER;
    return isDue ? { current, next: await make() } : { current };
  }

  /** Writes what a function makes of the content of the Secret, unless it is the same. @returns the content */
  async #write(change: (shared: Shared | undefined) => Promise<Shared>): Promise<Shared> {
    const { namespace, name } = this.#parts.secret;
    const secrets = this.#parts.client.resource(Secret).namespace(namespace);
    for (let attempt = 1; ; attempt += 1) {
      const secret = await secrets.get(name).catch(unlessMissing);
      const before = secret && this.#sharedIn(secret);
      const after = await change(before);
      if (isSame(before, after)) return after;
      try {
        if (secret === undefined) await secrets.create({ metadata: { name }, data: dataOf(after) });
        else await secrets.update({ ...secret, data: { ...othersIn(secret), ...dataOf(after) } });
        return after;
      } catch (error) {
        // Another server was faster: its certificate is taken.
        if (!(error instanceof ApiError) || error.code !== CONFLICT || attempt >= ATTEMPTS) throw error;
      }
    }
  }

  /** Returns the certificates of a Secret; undefined for one that has none. @throws Error for one that cannot be read */
  #sharedIn({ data = {} }: SecretObject): Shared | undefined {
    try {
      const current = certificateIn(data, '');
      return current && { current, next: certificateIn(data, NEXT) };
    } catch (error) {
      const { namespace, name } = this.#parts.secret;
      throw new Error(`the Secret ${namespace}/${name} has no certificate that can be read`, { cause: toError(error) });
    }
  }
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof ApiError && error.code === NOT_FOUND) return undefined;
  throw error;
}

type Data = Readonly<Record<string, string>>;

const isOurs = (key: string): boolean =>
  Object.values(KEYS).some((known) => key === known || key === `${NEXT}${known}`);

const othersIn = ({ data = {} }: SecretObject): Data =>
  Object.fromEntries(Object.entries(data).filter(([key]) => !isOurs(key)));

/** @throws Error for a certificate that lacks a part, or is none */
function certificateIn(data: Data, prefix: string): ServingCertificate | undefined {
  const [certPem, keyPem, caPem] = [KEYS.certPem, KEYS.keyPem, KEYS.caPem].map((key) => textAt(data, prefix + key));
  if (certPem === undefined && keyPem === undefined) return undefined;
  if (certPem === undefined || keyPem === undefined || caPem === undefined)
    throw new Error(`it must have all of ${Object.values(KEYS).join(', ')}`);
  const certificate = { certPem, keyPem, caPem };
  datesOf(certificate);
  parseCertificateBundle(caPem);
  return certificate;
}

const textAt = (data: Data, key: string): string | undefined =>
  Object.hasOwn(data, key) ? decodeBase64Text(data[key] ?? '') : undefined;

const dataOf = ({ current, next }: Shared): Data => ({
  ...entriesOf(current, ''),
  ...(next === undefined ? {} : entriesOf(next, NEXT)),
});

const entriesOf = ({ certPem, keyPem, caPem }: ServingCertificate, prefix: string): Data => ({
  [prefix + KEYS.certPem]: encodeBase64Text(certPem),
  [prefix + KEYS.keyPem]: encodeBase64Text(keyPem),
  [prefix + KEYS.caPem]: encodeBase64Text(caPem),
});

const isSame = (before: Shared | undefined, after: Shared): boolean =>
  before?.current === after.current && before.next === after.next;

/** @throws X509Error */
function datesOf({ certPem }: ServingCertificate): { readonly notBefore: number; readonly notAfter: number } {
  const [certificate] = parseCertificateBundle(certPem);
  if (certificate === undefined) throw new Error('it has no certificate');
  return certificate;
}
