import { sign } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ApiServerOptions } from '../../src/apiserver/options/api-server-options.js';
import { signerRules } from '../../src/controllers/certificates/signer-rules.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { kubernetes } from '../../src/foundation/index.js';
import {
  CertificateAuthority,
  ExtendedKeyUsage,
  encodePem,
  ExtensionType,
  parseCertificateRequest,
  type Certificate,
  type CertificateAuthorityOptions,
  type KeyKind,
} from '../../src/security/pki/index.js';
import { seededEntropy } from '../../src/testing/time/seeded-entropy.js';
import {
  bits,
  der,
  explicit,
  integer,
  objectIdentifier,
  octets,
  sequence,
  utf8,
} from '../security/pki/support/der-writer.js';
import { attribute, CN, newKey, O } from '../security/pki/support/issue.js';
import { opensslInDirectory } from '../security/pki/support/openssl.js';
import { countWatchers } from '../server/ask.js';
import { ManualClock } from '../storage/manual-clock.js';
import { base64, keyPairOf } from '../support/certificates.js';
import { keptOpenStorage } from '../support/kept-open-storage.js';
import {
  ask,
  askApproved,
  chainOf,
  conditionsOf,
  DAY_MS,
  decide,
  HOUR_MS,
  MINUTE_MS,
  requestsOf,
  world,
  type World,
} from './signing.js';

const NODE = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
const { signers } = kubernetes;
const openssl = opensslInDirectory();
const APPROVED = 'Approved ByTheTest: decided by the test';
const failed = (message: string): string[] => [APPROVED, `Failed SignerValidationFailure: ${message}`];

type RequestFields = NonNullable<Parameters<typeof ask>[2]>;

/** The requests that each signer signs. */
const servingFields: RequestFields = {
  subject: NODE,
  alternativeNames: { dnsNames: ['n1'] },
  usages: ['digital signature', 'server auth'],
  signerName: signers.nodeAgentServing,
};
const nodeFields: RequestFields = {
  subject: NODE,
  usages: ['digital signature', 'client auth'],
  signerName: signers.apiServerClientNodeAgent,
};
const clientFields: RequestFields = {
  usages: ['digital signature', 'client auth'],
  signerName: signers.apiServerClient,
};

interface Signing extends World {
  readonly authority: CertificateAuthority;
}

/** A server that signs with a given authority. */
async function start(
  options: ApiServerOptions = {},
  made: Partial<CertificateAuthorityOptions> = {},
): Promise<Signing> {
  const now = 1_700_000_000_000;
  const authority = await CertificateAuthority.create({
    commonName: 'cluster',
    notBefore: now - DAY_MS,
    notAfter: now + 3650 * DAY_MS,
    entropy: seededEntropy(1),
    ...made,
  });
  const given = { certificatePem: authority.certificatePem, keyPem: await authority.privateKeyPem() };
  const w = world({
    ...options,
    certificates: { authority: given, ...options.certificates },
    controllers: { disable: ['csrapproving'], ...options.controllers },
  });
  return { ...w, authority };
}

/** Lets a request be approved, and returns the outcome. */
async function outcome(w: World, fields: RequestFields) {
  const name = `r-${(asked += 1)}`;
  await askApproved(w.client, name, fields);
  await w.server.settled();
  const object = await requestsOf(w.client).get(name);
  return { object, conditions: conditionsOf(object), chain: chainOf(object) };
}

let asked = 0;

/** Requests and obtains a certificate. */
async function issued(w: World, fields: RequestFields): Promise<Certificate> {
  const { chain, conditions } = await outcome(w, fields);
  expect(conditions).toEqual([APPROVED]);
  expect(chain).toHaveLength(1);
  return chain?.[0] ?? Promise.reject(new Error('there is no certificate'));
}

describe('the signer of client certificates of node agents', () => {
  test.each([
    ['digital signature', 'client auth'],
    ['client auth', 'key encipherment', 'digital signature'],
  ])('signs for %s, %s …', async (...usages) => {
    await using w = await start();
    const { subject, keyUsages, extendedKeyUsages } = await issued(w, { ...nodeFields, usages });
    expect([subject.commonName, subject.organizations]).toEqual(['system:node:n1', ['system:nodes']]);
    expect([...(keyUsages ?? [])]).toEqual(
      usages.includes('key encipherment') ? ['digitalSignature', 'keyEncipherment'] : ['digitalSignature'],
    );
    expect(extendedKeyUsages).toEqual([ExtendedKeyUsage.clientAuth]);
  });

  test.each<readonly [string, RequestFields]>([
    ['subject organization is not system:nodes', { subject: { ...NODE, organizations: ['system:masters'] } }],
    ['subject organization is not system:nodes', { subject: { ...NODE, organizations: ['system:nodes', 'dev'] } }],
    ['subject organization is not system:nodes', { subject: { commonName: NODE.commonName } }],
    ['DNS subjectAltNames are not allowed', { alternativeNames: { dnsNames: ['n1'], emailAddresses: ['a@b.c'] } }],
    [
      'Email subjectAltNames are not allowed',
      { alternativeNames: { emailAddresses: ['a@b.c'], ipAddresses: ['10.0.0.1'] } },
    ],
    ['IP subjectAltNames are not allowed', { alternativeNames: { ipAddresses: ['10.0.0.1'], uris: ['spiffe://n1'] } }],
    ['URI subjectAltNames are not allowed', { alternativeNames: { uris: ['spiffe://n1'] } }],
    [
      'subject common name does not begin with system:node:',
      { subject: { ...NODE, commonName: 'alice' }, usages: ['any'] },
    ],
    ['usages did not match [client auth digital signature key encipherment]', { usages: ['client auth'] }],
    [
      'usages did not match [client auth digital signature key encipherment]',
      { usages: ['client auth', 'digital signature', 'server auth'] },
    ],
    [
      'usages did not match [client auth digital signature key encipherment]',
      { usages: ['client auth', 'key encipherment'] },
    ],
  ])('%s', async (message, fields) => {
    await using w = await start();
    const { conditions, chain } = await outcome(w, { ...nodeFields, ...fields });
    expect([conditions, chain]).toEqual([failed(message), undefined]);
  });
});

describe('the signer of serving certificates of node agents', () => {
  test.each<readonly [string, RequestFields, object]>([
    ['hosts', { alternativeNames: { dnsNames: ['n1', '*.n1.example'] } }, { dnsNames: ['n1', '*.n1.example'] }],
    [
      'addresses',
      { alternativeNames: { ipAddresses: ['10.0.0.1', 'fd00::1'] } },
      { ipAddresses: [Uint8Array.of(10, 0, 0, 1), Uint8Array.of(0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)] },
    ],
    [
      'both, with key encipherment',
      {
        alternativeNames: { dnsNames: ['n1'], ipAddresses: ['10.0.0.1'] },
        usages: ['digital signature', 'key encipherment', 'server auth'],
      },
      { dnsNames: ['n1'], ipAddresses: [Uint8Array.of(10, 0, 0, 1)] },
    ],
  ])('signs for %s', async (_case, fields, names) => {
    await using w = await start();
    const { alternativeNames, extendedKeyUsages } = await issued(w, { ...servingFields, ...fields });
    expect(alternativeNames).toEqual({
      dnsNames: [],
      ipAddresses: [],
      emailAddresses: [],
      uris: [],
      others: 0,
      ...names,
    });
    expect(extendedKeyUsages).toEqual([ExtendedKeyUsage.serverAuth]);
  });

  test.each<readonly [string, RequestFields]>([
    [
      'subject organization is not system:nodes',
      { subject: { ...NODE, organizations: ['dev'] }, alternativeNames: {} },
    ],
    ['DNS or IP subjectAltName is required', { alternativeNames: {} }],
    ['DNS or IP subjectAltName is required', { alternativeNames: { uris: ['https://n1'] } }],
    [
      'Email subjectAltNames are not allowed',
      { alternativeNames: { dnsNames: ['n1'], emailAddresses: ['a@b.c'], uris: ['https://n1'] } },
    ],
    [
      'URI subjectAltNames are not allowed',
      { alternativeNames: { dnsNames: ['n1'], uris: ['https://n1'] }, usages: ['any'] },
    ],
    [
      'usages did not match [digital signature key encipherment server auth]',
      { usages: ['digital signature', 'client auth'], subject: { ...NODE, commonName: 'alice' } },
    ],
    ['subject common name does not begin with system:node:', { subject: { ...NODE, commonName: 'alice' } }],
  ])('%s', async (message, fields) => {
    await using w = await start();
    expect((await outcome(w, { ...servingFields, ...fields })).conditions).toEqual(failed(message));
  });
});

describe('the signer of client certificates', () => {
  test('signs any names, for a client', async () => {
    await using w = await start();
    const subject = {
      commonName: 'alice',
      organizations: ['dev', 'ops'],
      organizationalUnits: ['a'],
      countries: ['XX'],
    };
    const names = {
      dnsNames: ['a.example'],
      emailAddresses: ['a@b.c'],
      ipAddresses: ['::ffff:10.0.0.1'],
      uris: ['spiffe://a/b'],
    };
    const certificate = await issued(w, { ...clientFields, subject, alternativeNames: names, usages: ['client auth'] });
    expect(certificate.subject).toMatchObject({ ...subject, organizations: ['dev', 'ops'] });
    expect(certificate.alternativeNames).toMatchObject({
      ...names,
      ipAddresses: [Uint8Array.of(10, 0, 0, 1)],
      others: 0,
    });
    expect([certificate.keyUsages, certificate.extendedKeyUsages]).toEqual([undefined, [ExtendedKeyUsage.clientAuth]]);
  });

  test.each([
    ['invalid usage for client certificate: server auth', ['client auth', 'server auth', 'any']],
    ['invalid usage for client certificate: cert sign', ['client auth', 'cert sign']],
    ['missing required usage for client certificate: client auth', ['digital signature', 'key encipherment']],
  ])('%s', async (message, usages) => {
    await using w = await start();
    expect((await outcome(w, { ...clientFields, usages })).conditions).toEqual(failed(message));
  });
});

test('the legacy signer, which cannot be requested any more, signs anything', async () => {
  const request = parseCertificateRequest(await requestDer());
  expect(signerRules.legacyUnknown(request, ['any', 'cert sign'])).toBeUndefined();
});

describe('a certificate, whatever its request asks for', () => {
  test('has no CA rights, and no further extensions', async () => {
    await using w = await start();
    const extensions = [
      { type: ExtensionType.basicConstraints, critical: true, value: sequence(der(0x01, Uint8Array.of(0xff))) },
      { type: ExtensionType.keyUsage, critical: true, value: bits(Uint8Array.of(0x06), 1) },
      { type: ExtensionType.extendedKeyUsage, critical: false, value: sequence(objectIdentifier('2.5.29.37.0')) },
      { type: ExtensionType.subjectKeyIdentifier, critical: false, value: octets(Uint8Array.of(1, 2, 3)) },
      { type: '1.2.3.4', critical: true, value: Uint8Array.of(5, 0) },
    ];
    const certificate = await issued(w, { ...nodeFields, extensions });
    expect(certificate.basicConstraints).toEqual({ isAuthority: false, pathLength: undefined });
    expect(certificate.extensions.find(({ type }) => type === ExtensionType.basicConstraints)?.critical).toBe(true);
    expect([...(certificate.keyUsages ?? [])]).toEqual(['digitalSignature']);
    expect(certificate.extendedKeyUsages).toEqual([ExtendedKeyUsage.clientAuth]);
    expect(certificate.subjectKeyIdentifier).toHaveLength(20);
    expect(certificate.extensions.map(({ type }) => type).sort()).toEqual(
      [
        ExtensionType.authorityKeyIdentifier,
        ExtensionType.basicConstraints,
        ExtensionType.extendedKeyUsage,
        ExtensionType.keyUsage,
        ExtensionType.subjectKeyIdentifier,
      ].sort(),
    );
    expect(certificate.unhandledCritical).toEqual([]);
  });

  test('contains only the checked one of two common names, and no unknown attributes', async () => {
    await using w = await start();
    const request = await requestDer([
      O('system:nodes'),
      CN('system:node:admin'),
      CN('system:node:n1'),
      attribute('0.9.2342.19200300.100.1.1', utf8('root')),
      attribute('1.2.840.113549.1.9.1', utf8('a@b.c')),
    ]);
    await requestsOf(w.client).create({
      metadata: { name: 'two' },
      spec: {
        request: base64(encodePem('CERTIFICATE REQUEST', request)),
        signerName: signers.apiServerClientNodeAgent,
        usages: ['digital signature', 'client auth'],
      },
    });
    await decide(w.client, 'two');
    await w.server.settled();
    const [certificate] = chainOf(await requestsOf(w.client).get('two')) ?? [];
    expect(certificate?.subject.attributes.map(({ type, value }) => [type, value])).toEqual([
      ['2.5.4.10', 'system:nodes'],
      ['2.5.4.3', 'system:node:n1'],
    ]);
  });

  test.each<KeyKind>(['RSA-2048', 'ECDSA-P384', 'ECDSA-P521', 'Ed25519'])('may be for a key %s', async (kind) => {
    await using w = await start();
    const keyPair = await keyPairOf(kind);
    const { publicKey } = await issued(w, { ...nodeFields, keyPair });
    expect(publicKey.raw).toEqual(new Uint8Array(await crypto.subtle.exportKey('spki', keyPair.publicKey)));
  });

  test.each<KeyKind>(['ECDSA-P256', 'ECDSA-P384', 'RSA-2048', 'Ed25519'])(
    'verifies against an authority with a key %s, also with openssl',
    async (keyKind) => {
      await using w = await start({}, { keyKind });
      const { object } = await outcome(w, {
        ...servingFields,
        alternativeNames: { dnsNames: ['n1'], ipAddresses: ['10.0.0.1'] },
      });
      const leaf = openssl.file('leaf.pem', Buffer.from(object.status?.certificate ?? '', 'base64'));
      const root = openssl.file('root.pem', w.authority.certificatePem);
      const at = String(w.clock.now() / 1000);
      expect(
        openssl.run([
          'verify',
          '-x509_strict',
          '-attime',
          at,
          '-purpose',
          'sslserver',
          '-verify_hostname',
          'n1',
          '-verify_ip',
          '10.0.0.1',
          '-CAfile',
          root,
          leaf,
        ]),
      ).toMatch(/: OK\n$/);
      expect(() => openssl.run(['verify', '-attime', at, '-purpose', 'sslclient', '-CAfile', root, leaf])).toThrow(
        /unsuitable certificate purpose|unsupported certificate purpose/,
      );
    },
  );
});

describe('the duration of a certificate', () => {
  const YEAR_MS = 365 * DAY_MS;
  const SHORT_MS = 8 * HOUR_MS;

  test.each<readonly [string, number | undefined, number | undefined, number]>([
    // The requested seconds, the maximum in milliseconds, and the resulting duration from now on.
    ['a year by default', undefined, undefined, YEAR_MS - 5 * MINUTE_MS],
    ['the maximum, without a request', undefined, 30 * DAY_MS, 30 * DAY_MS - 5 * MINUTE_MS],
    ['the requested duration', 86_400, undefined, DAY_MS - 5 * MINUTE_MS],
    ['at most the maximum', 2 * 86_400, DAY_MS, DAY_MS - 5 * MINUTE_MS],
    ['exactly the maximum', 86_400, DAY_MS, DAY_MS - 5 * MINUTE_MS],
    ['five minutes of backdating for eight hours', 28_800, undefined, SHORT_MS - 5 * MINUTE_MS],
    ['no backdating for less', 28_799, undefined, SHORT_MS - 1000],
    ['the shortest', 600, undefined, 10 * MINUTE_MS],
    ['a short maximum', undefined, HOUR_MS, HOUR_MS],
    ['a maximum below the minimum', 600, 5 * MINUTE_MS, 5 * MINUTE_MS],
  ])('%s', async (_case, expirationSeconds, durationMs, lasts) => {
    await using w = await start({ certificates: durationMs === undefined ? {} : { duration: durationMs } });
    const { notBefore, notAfter } = await issued(w, {
      ...nodeFields,
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
    });
    expect([notBefore, notAfter]).toEqual([w.clock.now() - 5 * MINUTE_MS, w.clock.now() + lasts]);
  });

  test('never exceeds that of the authority', async () => {
    const end = 1_700_000_000_000 + HOUR_MS;
    await using w = await start({}, { notAfter: end });
    expect((await issued(w, nodeFields)).notAfter).toBe(end);
    expect((await issued(w, { ...nodeFields, expirationSeconds: 3600 })).notAfter).toBe(end);
    expect((await issued(w, { ...nodeFields, expirationSeconds: 3599 })).notAfter).toBe(end - 1000);
  });

  test.each([
    [4 * MINUTE_MS, 'refusing to sign a certificate that expired in the past: NotAfter=2023-11-14 22:13:20 +0000 UTC'],
    [0, 'refusing to sign a certificate that expired in the past: NotAfter=2023-11-14 22:13:20 +0000 UTC'],
    [5 * MINUTE_MS, 'the signer has expired: NotAfter=2023-11-14 22:13:20 +0000 UTC'],
  ])('is not extended by an authority that expired %d ms ago; the request waits for another', async (ago, message) => {
    const errors: unknown[] = [];
    let pair = { certificatePem: '', keyPem: '' };
    await using w = await start(
      {
        certificates: { authority: () => pair },
        observability: {
          logger: { info: () => undefined, error: (_text, fields) => void errors.push(fields?.['error']) },
        },
      },
      { notAfter: 1_700_000_000_000 },
    );
    pair = { certificatePem: w.authority.certificatePem, keyPem: await w.authority.privateKeyPem() };
    w.clock.jump(ago);
    const { object, conditions } = await outcome(w, nodeFields);
    expect([object.status?.certificate, conditions]).toEqual([undefined, [APPROVED]]);
    expect(errors).toEqual([new Error(message)]);
    const next = await CertificateAuthority.create({
      commonName: 'next',
      notBefore: w.clock.now(),
      notAfter: w.clock.now() + DAY_MS,
    });
    pair = { certificatePem: next.certificatePem, keyPem: await next.privateKeyPem() };
    w.clock.advance(200);
    await w.server.settled();
    expect(chainOf(await requestsOf(w.client).get(object.metadata.name ?? ''))?.[0]?.issuer.commonName).toBe('next');
  });

  test('that is invalid is rejected', () => {
    for (const duration of [0, -1, Number.NaN, 'a year'])
      expect(() => world({ certificates: { duration } })).toThrow(
        'the option certificates.duration must be milliseconds above 0, or a string such as "5s" or "1m30s"',
      );
  });
});

describe('requests that are not signed', () => {
  test('unapproved, denied and failed ones', async () => {
    await using w = await start();
    for (const name of ['pending', 'denied', 'failed']) await ask(w.client, name, nodeFields);
    await decide(w.client, 'denied', 'Denied');
    const object = await requestsOf(w.client).get('failed');
    await requestsOf(w.client).updateStatus({
      ...object,
      status: { conditions: [{ type: 'Failed', status: 'True', reason: 'ByTheTest', message: '' }] },
    });
    await decide(w.client, 'failed');
    w.clock.advance(HOUR_MS / 2);
    await w.server.settled();
    expect((await requestsOf(w.client).list()).items.map(({ status }) => status?.certificate)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('those for custom signers, whatever they contain', async () => {
    await using w = await start();
    for (const signerName of ['example.com/kubelet-serving', 'kubernetes.io/other', 'kubernetes.io/kubelet-servingx']) {
      const { object, conditions } = await outcome(w, { ...nodeFields, signerName });
      expect([object.status?.certificate, conditions]).toEqual([undefined, [APPROVED]]);
    }
  });

  test('any, if the controller is disabled or there is no authority', async () => {
    for (const options of [
      { controllers: { disable: ['csrsigning' as const] } },
      { certificates: { authority: 'none' as const } },
    ]) {
      await using w = await start(options);
      expect((await outcome(w, nodeFields)).conditions).toEqual([APPROVED]);
      // An invalid one does not fail either: that is up to its signer.
      expect((await outcome(w, { ...nodeFields, subject: {} })).conditions).toEqual([APPROVED]);
    }
  });
});

test('a server follows requests from the first one on, once for all controllers that use them', async () => {
  const counter = countWatchers();
  onTestFinished(() => counter.restore());
  await using w = await start({
    controllers: {
      disable: controllerNames.filter((name) => !['csrapproving', 'csrsigning', 'csrcleaner'].includes(name)),
    },
  });
  await requestsOf(w.client).list();
  await w.server.settled();
  expect(counter.watchers()).toBe(0);
  await issued(w, clientFields);
  expect(counter.watchers()).toBe(1);
});

describe('the signing authority', () => {
  test('may differ for each signer, or be missing', async () => {
    const now = 1_700_000_000_000;
    const own = await CertificateAuthority.create({
      commonName: 'serving',
      notBefore: now - DAY_MS,
      notAfter: now + DAY_MS,
    });
    await using w = await start({
      certificates: {
        signers: {
          nodeAgentServing: { certificatePem: own.certificatePem, keyPem: await own.privateKeyPem() },
          apiServerClient: 'none',
        },
      },
    });
    expect((await issued(w, servingFields)).issuer.commonName).toBe('serving');
    expect((await issued(w, nodeFields)).issuer.commonName).toBe('cluster');
    expect((await outcome(w, clientFields)).chain).toBeUndefined();
  });

  test.each<
    readonly [
      string,
      (pem: string, keyPem: string, other: CertificateAuthority) => Promise<{ certificatePem: string; keyPem: string }>,
      string,
    ]
  >([
    [
      'with two certificates',
      async (pem, keyPem, other) => ({ certificatePem: pem + other.certificatePem, keyPem }),
      'expected 1 certificate, found 2',
    ],
    [
      'with the key of another one',
      async (pem, _keyPem, other) => ({ certificatePem: pem, keyPem: await other.privateKeyPem() }),
      "the private key does not match the authority's certificate",
    ],
    [
      'without a certificate',
      async (_pem, keyPem) => ({ certificatePem: 'none', keyPem }),
      'data does not contain any valid RSA or ECDSA certificates',
    ],
  ])('is not used %s', async (_case, make, message) => {
    const errors: unknown[] = [];
    let pair = { certificatePem: '', keyPem: '' };
    await using w = await start({
      certificates: { authority: () => pair },
      observability: {
        logger: { info: () => undefined, error: (_text, fields) => void errors.push(fields?.['error']) },
      },
    });
    const other = await CertificateAuthority.create({
      commonName: 'other',
      notBefore: w.clock.now(),
      notAfter: w.clock.now() + DAY_MS,
    });
    pair = await make(w.authority.certificatePem, await w.authority.privateKeyPem(), other);
    expect((await outcome(w, nodeFields)).chain).toBeUndefined();
    expect(errors).toEqual([new Error(message)]);
  });

  test('two servers on one storage sign a request once', async () => {
    const storage = keptOpenStorage(new ManualClock());
    await using a = await start({ storage });
    await using b = await start({ storage });
    await Promise.all([ask(a.client, 'of-a', nodeFields), ask(b.client, 'of-b', nodeFields)]);
    await Promise.all([a.server.settled(), b.server.settled()]);
    const {
      metadata: { resourceVersion = '' },
    } = await requestsOf(a.client).list();
    await Promise.all([decide(a.client, 'of-a'), decide(b.client, 'of-b')]);
    await Promise.all([a.server.settled(), b.server.settled()]);
    await Promise.all([a.server.settled(), b.server.settled()]);
    const changes = new Map<string, string[]>();
    const ending = new AbortController();
    for await (const { type, object } of requestsOf(a.client).watch({ resourceVersion, signal: ending.signal })) {
      if (type !== 'MODIFIED') continue;
      const { name = '' } = object.metadata;
      changes.set(name, [...(changes.get(name) ?? []), object.status?.certificate ?? 'approved']);
      if ([...changes.values()].flat().length === 4) ending.abort();
    }
    expect([...changes.values()].map((states) => states.length)).toEqual([2, 2]);
    expect(Object.fromEntries([...changes].map(([name, [, certificate]]) => [name, certificate]))).toEqual(
      Object.fromEntries(
        (await requestsOf(b.client).list()).items.map(({ metadata: { name }, status }) => [name, status?.certificate]),
      ),
    );
  });
});

/** A hand-written request, with an arbitrary subject. */
async function requestDer(subject: readonly Uint8Array[] = [CN('alice')]): Promise<Uint8Array> {
  const { privateKey, publicKey } = newKey();
  const signed = sequence(
    integer(0),
    sequence(...subject),
    Uint8Array.from(publicKey.export({ type: 'spki', format: 'der' })),
    explicit(0),
  );
  return sequence(
    signed,
    sequence(objectIdentifier('1.2.840.10045.4.3.2')),
    bits(Uint8Array.from(sign('sha256', signed, privateKey))),
  );
}
