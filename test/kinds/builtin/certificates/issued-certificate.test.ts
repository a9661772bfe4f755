import { atOnce } from '../../../../src/foundation/work/work.js';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { StoredObject } from '../../../../src/foundation/objects/object.js';
import { encodePem, parsePem } from '../../../../src/security/pki/index.js';
import type { ResourceDefinition } from '../../../../src/registry/index.js';
import { CertificateSigningRequest } from '../../../../src/kinds/builtin/index.js';
import { authority, certificatePem } from '../../../support/certificates.js';
import { openssl } from '../../../security/tokens/openssl.js';
import { context } from '../support.js';
import { condition, goodSpec, world } from './world.js';

const running = await world();
afterAll(() => running[Symbol.asyncDispose]());
const root = await authority();
const issued = await certificatePem(root);
const der = parsePem(issued).blocks[0]?.bytes ?? new Uint8Array();

let name = '';
let serial = 0;
beforeEach(async () => {
  name = `issued-${(serial += 1)}`;
  await running.post(name);
  await running.conditions(name, 'approval', [condition('Approved')]);
});

const write = async (pem: string): Promise<string> => (await running.certificate(name, pem)).text;
const refusal = (why: string): string => `422 status.certificate: Invalid value: "<certificate data>": ${why}`;
const block = (label: string, bytes: Uint8Array = der): string => encodePem(label, bytes);

describe('a certificate is accepted', () => {
  test.each<[string, string]>([
    ['alone', issued],
    ['with the chain to its authority', `${issued}${root.certificatePem}`],
    [
      'with text before, between and after the blocks',
      `Alice's:\n${issued}\nand the authority's\n${root.certificatePem}that is all`,
    ],
    ['with foreign line endings', issued.replaceAll('\n', '\r\n')],
    ['twice', `${issued}${issued}`],
    [
      'with another certificate in the same block',
      block('CERTIFICATE', Uint8Array.from([...der, ...root.certificate.raw])),
    ],
    ['with an incomplete block before it', `-----BEGIN CERTIFICATE-----\nnever ended\n${issued}`],
    ['of another key, which is up to the signer', root.certificatePem],
  ])('%s', async (_case, pem) => {
    expect(await write(pem)).toBe('200');
    expect(atob((await running.get(name)).object.status.certificate ?? '')).toBe(pem);
  });

  test('from openssl', async () => {
    expect(await write(openssl('req -x509 -newkey rsa:2048 -nodes -keyout /dev/null -subj /CN=alice -days 1'))).toBe(
      '200',
    );
  });
});

describe('a certificate is rejected', () => {
  test.each<[string, string, string]>([
    ['without PEM', 'no pem', 'must contain at least one CERTIFICATE PEM block'],
    ['in DER', String.fromCharCode(...der), 'must contain at least one CERTIFICATE PEM block'],
    ['cut off', issued.slice(0, -10), 'must contain at least one CERTIFICATE PEM block'],
    [
      'that is a certificate request',
      block('CERTIFICATE REQUEST'),
      'only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"',
    ],
    [
      'followed by a private key',
      `${issued}${block('PRIVATE KEY', Uint8Array.of(1))}`,
      'only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"',
    ],
    [
      'preceded by a trusted certificate',
      `${block('TRUSTED CERTIFICATE')}${issued}`,
      'only CERTIFICATE PEM blocks are allowed, found "TRUSTED CERTIFICATE"',
    ],
    ['with headers', issued.replace('-----\n', '-----\nComment: hello\n\n'), 'no PEM block headers are permitted'],
    [
      'followed by a block with headers',
      `${issued}${issued.replace('-----\n', '-----\nComment: hello\n\n')}`,
      'no PEM block headers are permitted',
    ],
    ['that is empty', block('CERTIFICATE', new Uint8Array()), 'found CERTIFICATE PEM block containing 0 certificates'],
    [
      'that is other data',
      block('CERTIFICATE', new TextEncoder().encode('not asn.1 at all')),
      'x509: malformed certificate',
    ],
    [
      'with further data in its block',
      block('CERTIFICATE', Uint8Array.from([...der, 1, 2])),
      'x509: malformed certificate',
    ],
    // Lengths in BER-only form: Kubernetes rejects them too.
    [
      'in BER that is not DER',
      block('CERTIFICATE', Uint8Array.from([0x30, 0x80, ...der.subarray(4), 0, 0])),
      'x509: malformed certificate',
    ],
  ])('%s', async (_case, pem, why) => {
    expect(await write(pem)).toBe(refusal(why));
    expect((await running.get(name)).object.status.certificate).toBeUndefined();
  });

  test('that is not base64', async () => {
    expect((await running.merge(name, 'status', { status: { certificate: '!' } })).text).toMatch(
      /^422 patch: .*: illegal base64 data at input byte 0$/,
    );
  });

  test('hidden between other blocks, in any way', async () => {
    const key = block('PRIVATE KEY', Uint8Array.of(1, 2, 3));
    const hidden = [
      `${issued}\u0000\n\u0000${'x'.repeat(5000)}\n${key}`,
      `${issued}-----BEGIN CERTIFICATE-----\n${key}`,
      `${issued}-----BEGIN NOTHING-----\r\n\r\n${key}`,
      `-----END CERTIFICATE-----\n${key}${issued}`,
    ];
    for (const pem of hidden)
      expect(await write(pem)).toBe(refusal('only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"'));
  });
});

test('an unchanged one is not parsed again', () => {
  const { strategy }: ResourceDefinition = CertificateSigningRequest;
  const stored = (certificate: string): StoredObject => ({
    apiVersion: '',
    kind: '',
    metadata: {},
    spec: goodSpec,
    status: { certificate },
  });
  const errors = (object: StoredObject, old: StoredObject): string[] =>
    (atOnce(strategy?.validate?.(object, context, old)) ?? []).map(String);
  expect(errors(stored('AAAA'), stored('AAAA'))).toEqual([]);
  expect(errors(stored('AAAA'), stored(''))).toEqual([
    'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
  ]);
});
