import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { encodePem } from '../../../../src/security/pki/index.js';
import {
  bits,
  boolean,
  der,
  explicit,
  implicit,
  integer,
  nothing,
  objectIdentifier,
  octets,
  sequence,
  set,
  time,
  utf8,
} from './der-writer.js';

/** A certificate and its key. */
export interface Identity {
  readonly der: Uint8Array;
  readonly pem: string;
  readonly keyPem: string;
  readonly key: KeyObject;
  readonly subject: Uint8Array;
  readonly keyIdentifier: Uint8Array;
}

/** 2030-01-01, when the certificates of the tests are valid. */
export const NOW = Date.UTC(2030, 0, 1);
export const DAY = 86_400_000;

const P256 = { publicKey: 'ec', options: { namedCurve: 'P-256' } } as const;

/** A new key. */
export function newKey(kind: 'P-256' | 'P-384' | 'P-521' | 'Ed25519' | 'RSA' | 'RSA-1024' | 'P-224' = 'P-256'): {
  privateKey: KeyObject;
  publicKey: KeyObject;
} {
  if (kind === 'Ed25519') return generateKeyPairSync('ed25519');
  if (kind.startsWith('RSA')) return generateKeyPairSync('rsa', { modulusLength: kind === 'RSA' ? 2048 : 1024 });
  return generateKeyPairSync(P256.publicKey, { namedCurve: kind });
}

const ECDSA_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
const sha = (bits: 256 | 384 | 512): Uint8Array =>
  sequence(objectIdentifier(`2.16.840.1.101.3.4.2.${{ 256: 1, 384: 2, 512: 3 }[bits]}`), nothing());

/** A signature method: its identifier, and the function. */
export interface Signing {
  readonly algorithm: Uint8Array;
  readonly sign: (signed: Uint8Array, key: KeyObject) => Uint8Array;
}

const plain = (identifier: string, hash: string | null, withNull = false): Signing => ({
  algorithm: sequence(objectIdentifier(identifier), ...(withNull ? [nothing()] : [])),
  sign: (signed, key) => sign(hash, signed, key),
});

/** Signature methods. */
export const signings = {
  ecdsaSha256: { algorithm: ECDSA_SHA256, sign: (signed, key) => sign('sha256', signed, key) },
  ecdsaSha384: plain('1.2.840.10045.4.3.3', 'sha384'),
  ecdsaSha512: plain('1.2.840.10045.4.3.4', 'sha512'),
  ecdsaSha1: plain('1.2.840.10045.4.1', 'sha1'),
  ed25519: plain('1.3.101.112', null),
  rsaSha256: plain('1.2.840.113549.1.1.11', 'sha256', true),
  rsaSha384: plain('1.2.840.113549.1.1.12', 'sha384', true),
  rsaSha512: plain('1.2.840.113549.1.1.13', 'sha512', true),
  rsaSha1: plain('1.2.840.113549.1.1.5', 'sha1', true),
  rsaMd5: plain('1.2.840.113549.1.1.4', 'md5', true),
  rsaPssSha256: {
    algorithm: sequence(
      objectIdentifier('1.2.840.113549.1.1.10'),
      sequence(
        explicit(0, sha(256)),
        explicit(1, sequence(objectIdentifier('1.2.840.113549.1.1.8'), sha(256))),
        explicit(2, integer(32)),
      ),
    ),
    sign: (signed, key) => sign('sha256', signed, { key, padding: 6, saltLength: 32 }),
  },
} satisfies Record<string, Signing>;

/** One attribute of a name. */
export const attribute = (type: string, value: Uint8Array): Uint8Array => set(sequence(objectIdentifier(type), value));
export const CN = (text: string): Uint8Array => attribute('2.5.4.3', utf8(text));
export const O = (text: string): Uint8Array => attribute('2.5.4.10', utf8(text));

/** An extension. */
export const extension = (type: string, value: Uint8Array, critical = false): Uint8Array =>
  sequence(objectIdentifier(type), ...(critical ? [boolean(true)] : []), octets(value));

export const basicConstraints = (isAuthority: boolean, pathLength?: number): Uint8Array =>
  extension(
    '2.5.29.19',
    sequence(...(isAuthority ? [boolean(true)] : []), ...(pathLength === undefined ? [] : [integer(pathLength)])),
    true,
  );
/** @param octet of the first eight uses, the first one the highest bit; certificate signing is 0x04 */
export const keyUsage = (octet: number): Uint8Array =>
  extension('2.5.29.15', bits(Uint8Array.of(octet), octet === 0 ? 0 : 31 - Math.clz32(octet & -octet)), true);
export const extendedKeyUsage = (...usages: readonly string[]): Uint8Array =>
  extension('2.5.29.37', sequence(...usages.map(objectIdentifier)));
export const clientAuth = extendedKeyUsage('1.3.6.1.5.5.7.3.2');
export const serverAuth = extendedKeyUsage('1.3.6.1.5.5.7.3.1');
export const alternativeNames = (...names: readonly Uint8Array[]): Uint8Array =>
  extension('2.5.29.17', sequence(...names));
export const emailName = (text: string): Uint8Array => implicit(1, Buffer.from(text));
export const dnsName = (text: string): Uint8Array => implicit(2, Buffer.from(text));
export const uriName = (text: string): Uint8Array => implicit(6, Buffer.from(text));
export const ipName = (...octetsOfAddress: readonly number[]): Uint8Array =>
  implicit(7, Uint8Array.from(octetsOfAddress));
export const nameConstraints = (permitted: readonly Uint8Array[], excluded: readonly Uint8Array[] = []): Uint8Array =>
  extension(
    '2.5.29.30',
    sequence(
      ...[permitted, excluded].flatMap((names, index) =>
        names.length === 0 ? [] : [explicit(index, ...names.map((name) => sequence(name)))],
      ),
    ),
    true,
  );

/** The certificate to issue. Omitted fields have defaults. */
export interface Order {
  /** Common name, or a name in parts. */
  readonly subject: string | readonly Uint8Array[];
  /** The signer; by default the certificate itself. */
  readonly by?: Identity;
  readonly key?: { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
  readonly notBefore?: number;
  readonly notAfter?: number;
  readonly extensions?: readonly Uint8Array[];
  /** As encoded: 2 is version 3; undefined omits it. */
  readonly version?: number | undefined;
  readonly serial?: Uint8Array;
  readonly signing?: Signing;
  /** Omits the key identifiers. */
  readonly withoutIdentifiers?: boolean;
  /** The encoded issuer, if it is not the signer's name. */
  readonly issuer?: Uint8Array;
  /** The encoded times. */
  readonly validity?: Uint8Array;
  /** The encoded public key. */
  readonly publicKey?: Uint8Array;
}

let serials = 1n;

/** Issues a certificate. */
export function issue(order: Order): Identity {
  const key = order.key ?? newKey();
  const subject = sequence(...(typeof order.subject === 'string' ? [CN(order.subject)] : order.subject));
  const publicKey = order.publicKey ?? Uint8Array.from(key.publicKey.export({ type: 'spki', format: 'der' }));
  const keyIdentifier = Uint8Array.from(createHash('sha1').update(publicKey).digest());
  const signer = order.by ?? { key: key.privateKey, subject, keyIdentifier };
  const version = 'version' in order ? order.version : 2;
  const identifiers =
    order.withoutIdentifiers === true
      ? []
      : [
          extension('2.5.29.14', octets(keyIdentifier)),
          extension('2.5.29.35', sequence(implicit(0, signer.keyIdentifier))),
        ];
  const extensions = [...(version === 2 ? identifiers : []), ...(order.extensions ?? [])];
  const signing = order.signing ?? signings.ecdsaSha256;
  const signed = sequence(
    ...(version === undefined ? [] : [explicit(0, integer(version))]),
    order.serial ?? integer((serials += 1n)),
    signing.algorithm,
    order.issuer ?? signer.subject,
    order.validity ?? sequence(time(order.notBefore ?? NOW - DAY), time(order.notAfter ?? NOW + DAY)),
    subject,
    publicKey,
    ...(extensions.length === 0 ? [] : [explicit(3, sequence(...extensions))]),
  );
  const whole = sequence(signed, signing.algorithm, bits(signing.sign(signed, signer.key)));
  return {
    der: whole,
    pem: encodePem('CERTIFICATE', whole),
    keyPem: key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    key: key.privateKey,
    subject,
    keyIdentifier,
  };
}

/** A self-signed authority. */
export function authority(subject: string, order: Partial<Order> = {}): Identity {
  return issue({ subject, extensions: [basicConstraints(true), keyUsage(0x06)], ...order });
}

/** An authority below another. */
export function intermediate(subject: string, by: Identity, order: Partial<Order> = {}): Identity {
  return issue({ subject, by, extensions: [basicConstraints(true), keyUsage(0x06)], ...order });
}

/** A certificate for client authentication. */
export function client(subject: Order['subject'], by: Identity, order: Partial<Order> = {}): Identity {
  return issue({ subject, by, extensions: [clientAuth], ...order });
}

export { der };
