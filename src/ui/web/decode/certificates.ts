import type { Extension, Pkcs10CertificateRequest, PublicKey, X509Certificate } from '@peculiar/x509';
import { parsePem, type PemBlock } from '../../../foundation/index.js';
import { loadX509, type X509Library } from '../../../security/index.js';
import { wordsOf } from '../data/api.js';
import { broken, knownFacts, timeText, validityText, type Decoded, type Fact } from './decoded.js';

/** The most blocks of a bundle that are decoded. */
const MOST = 50;

/** Decodes the blocks of PEM: certificates with their chains, and requests. What is broken says where. */
export async function decodePem(text: string, now: number): Promise<readonly Decoded[]> {
  const x509 = await loadX509();
  const { blocks, junk } = parsePem(text);
  const all = blocks.flatMap((block) => certificateIn(x509, block) ?? []);
  const decoded = await Promise.all(blocks.slice(0, MOST).map((block) => decodeBlock(x509, block, all, now)));
  const wrong = junk.map(({ line, problem }) => broken(`Line ${line}`, problem));
  const rest = blocks.length > MOST ? [broken('More blocks', `${blocks.length - MOST} are not shown`)] : [];
  return [...decoded, ...rest, ...wrong];
}

function certificateIn({ X509Certificate }: X509Library, { label, bytes }: PemBlock): X509Certificate | undefined {
  if (label !== 'CERTIFICATE') return undefined;
  try {
    return new X509Certificate(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

async function decodeBlock(
  x509: X509Library,
  { label, bytes, line }: PemBlock,
  all: X509Certificate[],
  now: number,
): Promise<Decoded> {
  const raw = Uint8Array.from(bytes);
  try {
    if (label === 'CERTIFICATE') return await decodeCertificate(x509, new x509.X509Certificate(raw), all, now);
    if (label === 'CERTIFICATE REQUEST') return await decodeRequest(x509, new x509.Pkcs10CertificateRequest(raw));
  } catch (error) {
    return broken(`${label} at line ${line}`, `cannot be decoded: ${wordsOf(error)}`);
  }
  const isSecret = label.endsWith('PRIVATE KEY');
  const title = isSecret ? 'Private key' : label;
  return { title, facts: [['Content', `${bytes.length} bytes, which are not shown`]], parts: [], problem: undefined };
}

async function decodeCertificate(
  x509: X509Library,
  certificate: X509Certificate,
  all: X509Certificate[],
  now: number,
): Promise<Decoded> {
  const { subject, issuer, notBefore, notAfter, serialNumber } = certificate;
  const facts = knownFacts([
    ['Subject', subject],
    ...namesIn(x509, certificate.extensions),
    ['Issuer', issuer],
    ['Validity', validityText(notBefore, notAfter, now)],
    ['From', timeText(notBefore)],
    ['To', timeText(notAfter)],
    ['Key', keyText(certificate.publicKey)],
    ...usagesIn(x509, certificate.extensions),
    ['Chain', await chainText(x509, certificate, all)],
    ['Serial number', serialNumber],
    ['SHA-256', hex(await certificate.getThumbprint('SHA-256'))],
  ]);
  return { title: `Certificate ${subject}`, facts, parts: [], problem: undefined };
}

async function decodeRequest(x509: X509Library, request: Pkcs10CertificateRequest): Promise<Decoded> {
  const isSigned = await request.verify();
  const facts = knownFacts([
    ['Subject', request.subject],
    ...namesIn(x509, request.extensions),
    ['Key', keyText(request.publicKey)],
    ...usagesIn(x509, request.extensions),
    ['Signature', isSigned ? '✓ by the key of the request' : undefined],
  ]);
  const problem = isSigned ? undefined : 'the signature is not one of the key of the request';
  return { title: `Certificate request ${request.subject}`, facts, parts: [], problem };
}

const NAME_TYPES: Readonly<Record<string, string>> = { dns: 'DNS', ip: 'IP', email: 'mail', url: 'URI', dn: 'name' };

function namesIn({ SubjectAlternativeNameExtension }: X509Library, extensions: readonly Extension[]): Fact[] {
  const found = extensions.find((each) => each instanceof SubjectAlternativeNameExtension);
  const names = found?.names.items.map(({ type, value }) => `${NAME_TYPES[type] ?? type} ${value}`) ?? [];
  return names.length === 0 ? [] : [['Names', names.join(', ')]];
}

function usagesIn(x509: X509Library, extensions: readonly Extension[]): Fact[] {
  const key = extensions.find((each) => each instanceof x509.KeyUsagesExtension);
  const extended = extensions.find((each) => each instanceof x509.ExtendedKeyUsageExtension);
  const basic = extensions.find((each) => each instanceof x509.BasicConstraintsExtension);
  const flags = Object.entries(x509.KeyUsageFlags).flatMap(([name, flag]) =>
    typeof flag === 'number' && key !== undefined && (key.usages & flag) !== 0 ? [name] : [],
  );
  const purposes = new Map(Object.entries(x509.ExtendedKeyUsage).map(([name, id]): [string, string] => [id, name]));
  const depth = basic?.pathLength === undefined ? '' : `, ${basic.pathLength} more below it`;
  return knownFacts([
    ['Key usages', flags.join(', ')],
    ['Purposes', extended?.usages.map((id) => purposes.get(String(id)) ?? String(id)).join(', ')],
    ['Authority', basic?.ca === true ? `yes${depth}` : undefined],
  ]);
}

/** Returns the type and the size of a key. */
function keyText({ algorithm }: PublicKey): string {
  const { name } = algorithm;
  const size = 'modulusLength' in algorithm ? `${String(algorithm.modulusLength)} bits` : '';
  const curve = 'namedCurve' in algorithm ? String(algorithm.namedCurve) : '';
  return [name.startsWith('RSA') ? 'RSA' : name, curve, size].filter((part) => part !== '').join(' ');
}

/** Returns the way from a certificate to its authority, by the signatures of the certificates beside it. */
async function chainText(x509: X509Library, certificate: X509Certificate, all: X509Certificate[]): Promise<string> {
  const chain = [...(await new x509.X509ChainBuilder({ certificates: all }).build(certificate))];
  const subjects = chain.map(({ subject }) => subject);
  const last = chain.at(-1);
  const isWhole = last !== undefined && (await last.isSelfSigned());
  return `${subjects.join(' ← ')}${isWhole ? ' (self-signed)' : `; ${last?.issuer ?? 'the issuer'} is not here`}`;
}

const hex = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
