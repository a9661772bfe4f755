import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createServingCertificate, loadOrCreateServingCertificate } from '../../src/transport/node/index.js';
import { ManualClock } from './support/manual-clock.js';

const DAY_MS = 86_400_000;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'certificates-'));
});

afterEach(() => rm(directory, { recursive: true }));

function openssl(...args: string[]): string {
  return execFileSync('openssl', args, { cwd: directory, encoding: 'utf8' });
}

describe('createServingCertificate', () => {
  test('verifies with openssl, strictly, for its names and addresses and no others', async () => {
    const made = await createServingCertificate({
      names: ['api.test', '*.wild.test'],
      addresses: ['10.1.2.3', 'fd00::1'],
    });
    await writeFile(join(directory, 'ca.pem'), made.caPem);
    await writeFile(join(directory, 'cert.pem'), made.certPem);
    await writeFile(join(directory, 'key.pem'), made.keyPem);
    const verify = (...subject: string[]): string =>
      openssl('verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', 'ca.pem', ...subject, 'cert.pem');
    for (const name of ['api.test', 'a.wild.test']) expect(verify('-verify_hostname', name)).toBe('cert.pem: OK\n');
    for (const address of ['10.1.2.3', 'fd00::1']) expect(verify('-verify_ip', address)).toBe('cert.pem: OK\n');
    expect(() => verify('-verify_hostname', 'other.test')).toThrow('hostname mismatch');
    expect(openssl('pkey', '-in', 'key.pem', '-pubout')).toBe(openssl('x509', '-in', 'cert.pem', '-noout', '-pubkey'));
    expect(openssl('x509', '-in', 'cert.pem', '-noout', '-text')).toContain('NIST CURVE: P-256');
  });

  test('has a validity period from the clock', async () => {
    const clock = new ManualClock();
    const { certPem, caPem } = await createServingCertificate({ clock, duration: '240h' });
    for (const pem of [certPem, caPem]) {
      const { validFrom, validTo } = new X509Certificate(pem);
      expect([Date.parse(validFrom), Date.parse(validTo)]).toEqual([
        clock.now() - 3_600_000,
        clock.now() + 10 * DAY_MS,
      ]);
    }
  });

  test('creates different ones each time, and only the authority is a CA', async () => {
    const [one, two] = [await createServingCertificate(), await createServingCertificate()];
    const [first, second] = [new X509Certificate(one.certPem), new X509Certificate(two.certPem)];
    expect(first.serialNumber).not.toBe(second.serialNumber);
    expect([first.ca, new X509Certificate(one.caPem).ca]).toEqual([false, true]);
    expect(first.verify(new X509Certificate(two.caPem).publicKey)).toBe(false);
    expect(first.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
  });
});

describe('loadOrCreateServingCertificate', () => {
  test('creates one, stores its key readable by the owner only, and loads it again', async () => {
    const folder = join(directory, 'pki');
    const made = await loadOrCreateServingCertificate(folder);
    const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    expect([await mode(folder), await mode(join(folder, 'apiserver.key'))]).toEqual([0o700, 0o600]);
    expect(await loadOrCreateServingCertificate(folder)).toEqual(made);
  });

  test.each([
    ['a name that it does not cover', { names: ['other.test'] }],
    ['an address that it does not cover', { addresses: ['10.0.0.1'] }],
  ])('replaces one for %s', async (_name, options) => {
    const made = await loadOrCreateServingCertificate(directory);
    expect((await loadOrCreateServingCertificate(directory, options)).certPem).not.toBe(made.certPem);
  });

  test('replaces one near the end of its validity', async () => {
    const clock = new ManualClock();
    const made = await loadOrCreateServingCertificate(directory, { clock, duration: '2400h' });
    clock.advance(75 * DAY_MS);
    expect(await loadOrCreateServingCertificate(directory, { clock, duration: '2400h' })).toEqual(made);
    clock.advance(10 * DAY_MS);
    expect((await loadOrCreateServingCertificate(directory, { clock, duration: '2400h' })).certPem).not.toBe(
      made.certPem,
    );
  });

  test('converts an internationalized name to DNS, and keeps the certificate', async () => {
    const made = await loadOrCreateServingCertificate(directory, { names: ['jürgen.test'] });
    expect(new X509Certificate(made.certPem).subjectAltName).toContain('DNS:xn--jrgen-kva.test');
    expect(await loadOrCreateServingCertificate(directory, { names: ['jürgen.test'] })).toEqual(made);
    await expect(createServingCertificate({ names: ['jürgen test'] })).rejects.toThrow(
      'cannot be encoded as an IA5String',
    );
    await expect(createServingCertificate({ addresses: ['localhost'] })).rejects.toThrow(
      'x509: "localhost" is not an IP address',
    );
  });

  test('replaces broken files, and restricts the mode of a readable key', async () => {
    for (const file of ['ca.crt', 'apiserver.crt', 'apiserver.key'])
      await writeFile(join(directory, file), 'broken', { mode: 0o644 });
    const made = await loadOrCreateServingCertificate(directory);
    expect(made.certPem).toContain('BEGIN CERTIFICATE');
    expect((await stat(join(directory, 'apiserver.key'))).mode & 0o777).toBe(0o600);
  });
});
