/**
 * Attempts to obtain a certificate, or trust, that belongs to another user, using only requests that any user can send.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiServer } from '../../../src/apiserver/api-server.js';
import type { CertificateSigningRequestObject } from '../../../src/entries/controllers.js';
import { systemClock } from '../../../src/foundation/index.js';
import { kubernetes } from '../../../src/foundation/index.js';
import {
  CertificateAuthority,
  encodePem,
  parseCertificateBundle,
  type CertificateRequest,
} from '../../../src/security/pki/index.js';
import { ClusterRole, ClusterRoleBinding } from '../../../src/kinds/builtin/index.js';
import {
  bits,
  der,
  explicit,
  integer,
  objectIdentifier,
  sequence,
  set,
  utf8,
} from '../../security/pki/support/der-writer.js';
import { attribute, CN, O } from '../../security/pki/support/issue.js';
import { opensslInDirectory } from '../../security/pki/support/openssl.js';
import { Caller } from './caller.js';
import { newRequest } from './requests.js';

const HOUR_MS = 3_600_000;
const { groupSuffix, signers } = kubernetes;
const GROUP = `certificates.${groupSuffix}`;
const BUNDLES = `/apis/${GROUP}/v1alpha1/clustertrustbundles`;
const MERGE = 'application/merge-patch+json';
const CLIENT = { signerName: signers.apiServerClient, usages: ['digital signature', 'client auth'] };
const CUSTOM = { signerName: 'example.com/shop', usages: ['digital signature', 'client auth'] };

const WRITERS = [
  'certificatesigningrequests',
  'certificatesigningrequests/approval',
  'certificatesigningrequests/status',
  'clustertrustbundles',
];

interface Person {
  readonly name?: string;
  readonly groups?: string[];
  /** Rights granted by a role for this user. */
  readonly rules?: { apiGroups: string[]; resources: string[]; resourceNames?: string[]; verbs: string[] }[];
}

/** Users by token. */
const people = {
  mallory: { rules: [{ apiGroups: [GROUP], resources: ['certificatesigningrequests'], verbs: ['*'] }] },
  writer: { rules: [{ apiGroups: [GROUP], resources: WRITERS, verbs: ['*'] }] },
  shop: {
    rules: [
      { apiGroups: [GROUP], resources: WRITERS, verbs: ['*'] },
      {
        apiGroups: [GROUP],
        resources: ['signers'],
        resourceNames: ['example.com/*'],
        verbs: ['approve', 'sign', 'attest'],
      },
    ],
  },
  agent: { name: 'system:node:node-1', groups: ['system:nodes'] },
  admin: { groups: ['system:masters'] },
} satisfies Record<string, Person>;

const openssl = opensslInDirectory();
let authority: CertificateAuthority;
let server: ApiServer;
const as = (token: keyof typeof people): Caller => Caller.of(server, token);

beforeAll(async () => {
  const now = systemClock.now();
  authority = await CertificateAuthority.create({
    commonName: 'signer',
    notBefore: now - HOUR_MS,
    notAfter: now + 1000 * HOUR_MS,
  });
  server = new ApiServer({
    dialect: kubernetes,
    authentication: {
      tokens: Object.entries<Person>(people).map(([token, { name = token, groups = [] }]) => ({
        token,
        user: { username: name, groups },
      })),
      clientCertificates: { certificateAuthorities: authority.certificatePem },
    },
    certificates: { authority: { certificatePem: authority.certificatePem, keyPem: await authority.privateKeyPem() } },
    featureGates: { ClusterTrustBundle: true },
    runtimeConfig: `${GROUP}/v1alpha1=true`,
  });
  const apiGroup = `rbac.authorization.${groupSuffix}`;
  const client = server.client();
  for (const [name, { rules }] of Object.entries<Person>(people)) {
    if (rules === undefined) continue;
    await client.resource(ClusterRole).create({ metadata: { name }, rules });
    await client.resource(ClusterRoleBinding).create({
      metadata: { name },
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: [{ kind: 'User', apiGroup, name }],
    });
  }
}, 300_000);

afterAll(() => server.close());

let count = 0;
/** A name used by no other test. */
const fresh = (): string => `try-${(count += 1)}`;

const pemOf = (subject = '/CN=mallory'): string => newRequest(openssl, subject).pem;

/** Conditions, as kind and reason, and whether a certificate exists. */
async function stateOf(name: string): Promise<string[]> {
  await server.settled();
  const { status } = await as('admin').look(name);
  return [
    ...(status?.conditions ?? []).map(({ type, reason }) => `${type} ${reason}`),
    ...(status?.certificate === undefined ? [] : ['certificate']),
  ];
}

const decision = (type: string) => ({
  status: { conditions: [{ type, status: 'True', reason: 'ByTheTest', message: 'x' }] },
});
const approve = (by: Caller, name: string) => by.send('PATCH', by.path(name, 'approval'), decision('Approved'), MERGE);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Posts a request and approves it as the administrator. */
async function approved(pem: string, spec: Parameters<Caller['ask']>[2] = CLIENT): Promise<string> {
  const name = fresh();
  expect(await as('mallory').ask(name, pem, spec)).toMatchObject({ status: 201 });
  expect(await approve(as('admin'), name)).toMatchObject({ status: 200 });
  return name;
}

describe('a request for a CA certificate', () => {
  const AUTHORITY = [
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
    '-addext',
    'extendedKeyUsage=anyExtendedKeyUsage',
  ];

  test('gets one without signing rights: certificates signed with it are trusted by no verifier', async () => {
    const { pem, keyFile } = newRequest(openssl, '/CN=mallory', ...AUTHORITY);
    const name = await approved(pem);
    expect(await stateOf(name)).toEqual(['Approved ByTheTest', 'certificate']);
    const minor = openssl.file('minor.crt', await as('admin').certificate(name));
    expect(openssl.run(['x509', '-in', minor, '-noout', '-ext', 'basicConstraints,keyUsage,extendedKeyUsage'])).toBe(
      'X509v3 Key Usage: critical\n    Digital Signature\nX509v3 Extended Key Usage: \n    TLS Web Client Authentication\nX509v3 Basic Constraints: critical\n    CA:FALSE\n',
    );
    const forged = openssl.file(
      'forged.crt',
      openssl.run([
        'x509',
        '-req',
        '-in',
        newRequest(openssl, '/O=system:masters/CN=root').file,
        '-CA',
        minor,
        '-CAkey',
        keyFile,
        '-set_serial',
        '1',
        '-days',
        '1',
      ]),
    );
    const verify = [
      'verify',
      '-no-CApath',
      '-no-CAstore',
      '-CAfile',
      openssl.file('root.crt', authority.certificatePem),
    ];
    expect(openssl.run([...verify, minor])).toBe(`${minor}: OK\n`);
    expect(() => openssl.run([...verify, '-untrusted', minor, forged])).toThrow('invalid CA certificate');
  });

  test('fails if its usages ask for it', async () => {
    for (const usages of [['cert sign', 'client auth'], ['client auth', 'crl sign'], ['any']]) {
      expect(await stateOf(await approved(pemOf(), { ...CLIENT, usages }))).toEqual([
        'Approved ByTheTest',
        'Failed SignerValidationFailure',
      ]);
    }
  });
});

describe('a request for system:masters', () => {
  const MASTERS = 'system:masters';
  const bmp = (text: string): Uint8Array => der(0x1e, Buffer.from(text, 'utf16le').swap16());
  const t61 = (text: string): Uint8Array => der(0x14, Buffer.from(text, 'latin1'));
  const printable = (text: string): Uint8Array => der(0x13, Buffer.from(text, 'latin1'));

  /** A request whose name is encoded octet by octet. */
  function requestFor(...names: readonly Uint8Array[]): string {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const signed = sequence(
      integer(0),
      sequence(...names),
      Uint8Array.from(publicKey.export({ type: 'spki', format: 'der' })),
      explicit(0),
    );
    return encodePem(
      'CERTIFICATE REQUEST',
      sequence(signed, sequence(objectIdentifier('1.2.840.10045.4.3.2')), bits(sign('sha256', signed, privateKey))),
    );
  }

  test.each<[string, Uint8Array[]]>([
    ['as the only group', [O(MASTERS), CN('mallory')]],
    ['after another group', [O('dev'), O(MASTERS), CN('mallory')]],
    [
      'in one set with another group',
      [
        set(sequence(objectIdentifier('2.5.4.10'), utf8('dev')), sequence(objectIdentifier('2.5.4.10'), utf8(MASTERS))),
        CN('mallory'),
      ],
    ],
    [
      'in one set with the common name',
      [
        set(
          sequence(objectIdentifier('2.5.4.3'), utf8('mallory')),
          sequence(objectIdentifier('2.5.4.10'), utf8(MASTERS)),
        ),
      ],
    ],
    ['in two octets per character', [attribute('2.5.4.10', bmp(MASTERS)), CN('mallory')]],
    ['in an obsolete character set', [attribute('2.5.4.10', t61(MASTERS)), CN('mallory')]],
    ['after the common name', [CN('mallory'), O(MASTERS)]],
  ])('%s is rejected by the signer of API clients', async (_case, names) => {
    expect(await as('admin').ask(fresh(), requestFor(...names), CLIENT)).toMatchObject({
      status: 403,
      body: {
        reason: 'Forbidden',
        message: expect.stringContaining(
          `use of ${signers.apiServerClient} signer with system:masters group is not allowed`,
        ),
      },
    });
  });

  test('is rejected as a string of a type without a colon', async () => {
    const pem = requestFor(attribute('2.5.4.10', der(0x12, Buffer.from(MASTERS))), CN('mallory'));
    expect(await as('mallory').ask(fresh(), pem, CLIENT)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('NumericString') },
    });
  });

  test('with the name of another user in an octet string keeps the checked name', async () => {
    const name = await approved(requestFor(CN('mallory'), attribute('2.5.4.3', der(0x04, Buffer.from('admin')))));
    expect(await stateOf(name)).toEqual(['Approved ByTheTest', 'certificate']);
    expect(parseCertificateBundle(await as('admin').certificate(name))[0]?.subject.commonName).toBe('mallory');
  });

  test.each<[string, Uint8Array, string[]]>([
    ['as octets', attribute('2.5.4.10', der(0x04, Buffer.from(MASTERS))), []],
    ['as a list', attribute('2.5.4.10', sequence(printable(MASTERS))), []],
    ['with a trailing zero octet', O(`${MASTERS}\0`), [`${MASTERS}\0`]],
    ['in different letter case', O('System:Masters'), ['System:Masters']],
    ['under another type', attribute('2.5.4.11', utf8(MASTERS)), []],
  ])('%s makes a certificate for no member of that group', async (_case, group, groups) => {
    const name = await approved(requestFor(group, CN('mallory')));
    expect(await stateOf(name)).toEqual(['Approved ByTheTest', 'certificate']);
    const [leaf] = parseCertificateBundle(await as('admin').certificate(name));
    expect(leaf?.subject).toMatchObject({ commonName: 'mallory', organizations: groups });
  });

  test('fails at the signer of node agents, even if it was approved', async () => {
    const spec = { signerName: signers.apiServerClientNodeAgent, usages: ['digital signature', 'client auth'] };
    for (const names of [
      [O(MASTERS), CN('system:node:a')],
      [O('system:nodes'), O(MASTERS), CN('system:node:a')],
    ]) {
      expect(await stateOf(await approved(requestFor(...names), spec))).toEqual([
        'Approved ByTheTest',
        'Failed SignerValidationFailure',
      ]);
    }
  });
});

describe("a request for another node's name", () => {
  const spec = { signerName: signers.apiServerClientNodeAgent, usages: ['digital signature', 'client auth'] };
  const nodeRequest = (node: string): string => pemOf(`/O=system:nodes/CN=system:node:${node}`);

  test('stays pending for manual approval if node agents are not restricted to their own name', async () => {
    const apiGroup = `rbac.authorization.${groupSuffix}`;
    for (const role of [
      'system:node-bootstrapper',
      `system:certificates.${groupSuffix}:certificatesigningrequests:selfnodeclient`,
    ]) {
      await server
        .client()
        .resource(ClusterRoleBinding)
        .create({
          metadata: { name: `nodes-${role}` },
          roleRef: { apiGroup, kind: 'ClusterRole', name: role },
          subjects: [{ kind: 'Group', apiGroup, name: 'system:nodes' }],
        });
    }
    const [own, other, mixed] = [fresh(), fresh(), fresh()] as const;
    await as('agent').ask(own, nodeRequest('node-1'), spec);
    await as('agent').ask(other, nodeRequest('node-2'), spec);
    await as('agent').ask(mixed, pemOf('/O=system:nodes/CN=system:node:node-2/CN=system:node:node-1/O=ops'), spec);
    expect([await stateOf(own), await stateOf(other), await stateOf(mixed)]).toEqual([
      ['Approved AutoApproved', 'certificate'],
      [],
      [],
    ]);
  });

  test('is not approved automatically for a user who may only create requests', async () => {
    const name = fresh();
    await as('mallory').ask(name, nodeRequest('node-3'), spec);
    expect(await stateOf(name)).toEqual([]);
  });

  test("with another node's identity in the body's user fields keeps the identity of its sender", async () => {
    const name = fresh();
    await as('mallory').ask(name, nodeRequest('node-3'), {
      ...spec,
      username: 'system:node:node-3',
      groups: ['system:nodes'],
    });
    expect(await stateOf(name)).toEqual([]);
  });
});

describe('fields set by the server', () => {
  const claims = { username: 'admin', uid: '0', groups: ['system:masters'], extra: { all: ['yes'] } };

  test('are ignored in the body of a create', async () => {
    const { body } = await as('mallory').ask(fresh(), pemOf(), { ...CUSTOM, ...claims });
    expect(body.spec).toMatchObject({ username: 'mallory', groups: ['system:authenticated'] });
    expect([body.spec.uid, body.spec.extra]).toEqual([undefined, undefined]);
  });

  test('are unchanged by every later write, by any path, as is the request itself', async () => {
    const name = fresh();
    await as('mallory').ask(name, pemOf(), CUSTOM);
    const before = (await as('admin').look(name)).spec;
    const other = {
      ...claims,
      signerName: signers.apiServerClient,
      usages: ['any'],
      expirationSeconds: 999_999,
      request: base64(pemOf('/CN=admin')),
    };
    for (const part of [[], ['approval'], ['status']]) {
      const path = as('admin').path(name, ...part);
      expect(await as('admin').send('PATCH', path, { spec: other }, MERGE)).toMatchObject({
        status: 200,
        body: { spec: before },
      });
      const object = await as('admin').look(name);
      expect(await as('admin').send('PUT', path, { ...object, spec: { ...object.spec, ...other } })).toMatchObject({
        status: 200,
        body: { spec: before },
      });
      expect((await as('admin').look(name)).spec).toEqual(before);
    }
  });
});

describe("approving one's own request", () => {
  test('requires the verb approve, besides the right to write approvals', async () => {
    const name = fresh();
    await as('writer').ask(name, pemOf('/CN=writer'), CLIENT);
    expect(await approve(as('mallory'), name)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('cannot patch resource "certificatesigningrequests/approval"') },
    });
    expect(await approve(as('writer'), name)).toMatchObject({
      status: 403,
      body: {
        message: expect.stringContaining(
          `user not permitted to approve requests with signerName "${signers.apiServerClient}"`,
        ),
      },
    });
    expect(await approve(as('shop'), name)).toMatchObject({ status: 403 });
    expect(await stateOf(name)).toEqual([]);
  });

  test('by any other path approves nothing', async () => {
    const name = fresh();
    const created = await as('writer').ask(name, pemOf('/CN=writer'), CLIENT, decision('Approved'));
    expect(created.body.status?.conditions).toBeUndefined();
    const { body } = await as('writer').send<CertificateSigningRequestObject>(
      'PATCH',
      as('writer').path(name),
      decision('Approved'),
      MERGE,
    );
    expect(body.status?.conditions).toBeUndefined();
    for (const by of ['writer', 'admin'] as const) {
      expect(await as(by).send('PATCH', as(by).path(name, 'status'), decision('Approved'), MERGE)).toMatchObject({
        status: 422,
        body: { message: expect.stringContaining('updates may not add a condition of type "Approved"') },
      });
    }
    expect(await stateOf(name)).toEqual([]);
  });

  test('with another signer in the body of the approval requires the verb for the requested signer', async () => {
    const name = fresh();
    await as('shop').ask(name, pemOf('/CN=shop'), CLIENT);
    const answer = await as('shop').send(
      'PATCH',
      as('shop').path(name, 'approval'),
      { spec: { signerName: 'example.com/shop' }, ...decision('Approved') },
      MERGE,
    );
    expect(answer.status).toBe(403);
    expect(await stateOf(name)).toEqual([]);
  });
});

describe('a certificate', () => {
  const own = openssl.run([
    'req',
    '-x509',
    '-key',
    newRequest(openssl, '/CN=own').keyFile,
    '-subj',
    '/CN=own',
    '-days',
    '1',
  ]);
  const signed = (pem: string) => ({ status: { certificate: base64(pem) } });

  test('is not written through the main resource, through /approval or by a create', async () => {
    const name = fresh();
    const created = await as('mallory').ask(name, pemOf(), CUSTOM, signed(own));
    expect(created.body.status?.certificate).toBeUndefined();
    expect((await approve(as('shop'), name)).status).toBe(200);
    for (const part of [[], ['approval']]) {
      expect(await as('shop').send('PATCH', as('shop').path(name, ...part), signed(own), MERGE)).toMatchObject({
        status: 200,
      });
      const object = await as('shop').look(name);
      expect(
        await as('shop').send('PUT', as('shop').path(name, ...part), {
          ...object,
          ...signed(own),
          status: { ...object.status, certificate: base64(own) },
        }),
      ).toMatchObject({ status: 200 });
    }
    expect(await stateOf(name)).toEqual(['Approved ByTheTest']);
  });

  test('is written only with the verb sign on its signer', async () => {
    const name = await approved(pemOf(), { ...CUSTOM, signerName: 'example.org/other' });
    for (const by of ['writer', 'shop'] as const) {
      expect(await as(by).send('PATCH', as(by).path(name, 'status'), signed(own), MERGE)).toMatchObject({
        status: 403,
        body: {
          message: expect.stringContaining('user not permitted to sign requests with signerName "example.org/other"'),
        },
      });
    }
    expect(await stateOf(name)).toEqual(['Approved ByTheTest']);
  });

  test('cannot be replaced or removed once it is issued', async () => {
    const name = await approved(pemOf());
    expect(await stateOf(name)).toEqual(['Approved ByTheTest', 'certificate']);
    const before = await as('admin').certificate(name);
    for (const pem of [own, '', before + own, `${before}\n`]) {
      expect(await as('admin').send('PATCH', as('admin').path(name, 'status'), signed(pem), MERGE)).toMatchObject({
        status: 422,
        body: { message: expect.stringContaining('updates may not modify existing certificate content') },
      });
    }
    expect(
      await as('admin').send('PATCH', as('admin').path(name, 'status'), { status: { certificate: null } }, MERGE),
    ).toMatchObject({ status: 422 });
    expect(await as('admin').certificate(name)).toBe(before);
  });

  test('cannot be written to a request that is not approved, or denied', async () => {
    const [undecided, denied] = [fresh(), fresh()];
    for (const name of [undecided, denied]) await as('mallory').ask(name, pemOf(), CUSTOM);
    await as('shop').send('PATCH', as('shop').path(denied, 'approval'), decision('Denied'), MERGE);
    for (const name of [undecided, denied]) {
      expect(await as('shop').send('PATCH', as('shop').path(name, 'status'), signed(own), MERGE)).toMatchObject({
        status: 422,
      });
      expect(await stateOf(name)).not.toContain('certificate');
    }
  });

  test.each<[string, (own: string) => string, string]>([
    [
      'a private key after text',
      (own) => `${own}nothing to see here\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n`,
      'only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"',
    ],
    [
      'a block with headers after text',
      (own) => `${own}text\n${own.replace('CERTIFICATE-----\n', 'CERTIFICATE-----\nX: y\n\n')}`,
      'no PEM block headers are permitted',
    ],
    [
      'an invalid certificate after text',
      (own) => `${own}text\n${encodePem('CERTIFICATE', sequence())}`,
      'x509: malformed',
    ],
    [
      'an empty block',
      (own) => `${own}-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n`,
      'found CERTIFICATE PEM block containing 0 certificates',
    ],
  ])('cannot contain %s', async (_case, text, message) => {
    const name = await approved(pemOf(), CUSTOM);
    expect(await as('shop').send('PATCH', as('shop').path(name, 'status'), signed(text(own)), MERGE)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining(`Invalid value: "<certificate data>": ${message}`) },
    });
  });
});

describe('a request with text before or after it', () => {
  test('is read from the first block, by the checks and by the signer alike', async () => {
    const [good, bad] = [pemOf('/CN=mallory'), pemOf('/O=system:masters/CN=root')];
    const name = await approved(`some text\n${good}more text\n${bad}`);
    expect(await stateOf(name)).toEqual(['Approved ByTheTest', 'certificate']);
    const [leaf] = parseCertificateBundle(await as('admin').certificate(name));
    expect(leaf?.subject).toMatchObject<Partial<CertificateRequest['subject']>>({
      commonName: 'mallory',
      organizations: [],
    });
  });

  test.each<[string, (good: string, bad: string) => string]>([
    ['first in a block', (good, bad) => bad + good],
    ['after a BEGIN line without an END line', (good, bad) => `-----BEGIN CERTIFICATE REQUEST-----\n${bad}${good}`],
    [
      'after a block that is not base64',
      (good, bad) => `-----BEGIN CERTIFICATE REQUEST-----\n!\n-----END CERTIFICATE REQUEST-----\n${bad}${good}`,
    ],
    ['in a block with headers', (good, bad) => bad.replace('REQUEST-----\n', 'REQUEST-----\nX: y\n\n') + good],
  ])('for system:masters, %s, is detected', async (_case, text) => {
    const pem = text(pemOf('/CN=mallory'), pemOf('/O=system:masters/CN=root'));
    expect(await as('mallory').ask(fresh(), pem, CLIENT)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('system:masters group is not allowed') },
    });
  });

  test('is rejected if a block of another type comes first', async () => {
    const other = encodePem('CERTIFICATE', authority.certificate.raw);
    expect(await as('mallory').ask(fresh(), other + pemOf(), CLIENT)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('PEM block type must be CERTIFICATE REQUEST') },
    });
  });

  test("is rejected if it is for another user's key", async () => {
    const mine = Buffer.from(pemOf().replaceAll(/-----.*-----|\n/g, ''), 'base64');
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'der' });
    const swapped = Buffer.from(
      mine.toString('hex').replace(/3059301306072a8648ce3d020106082a8648ce3d030107034200.{130}/, key.toString('hex')),
      'hex',
    );
    expect(swapped.equals(mine)).toBe(false);
    expect(await as('mallory').ask(fresh(), encodePem('CERTIFICATE REQUEST', swapped), CLIENT)).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('ECDSA verification failure') },
    });
  });
});

describe('a trust bundle', () => {
  const bundle = (name: string, signerName?: string, trustBundle = authority.certificatePem): object => {
    const spec = { trustBundle, ...(signerName === undefined ? {} : { signerName }) };
    return { apiVersion: `${GROUP}/v1alpha1`, kind: 'ClusterTrustBundle', metadata: { name }, spec };
  };

  test.each<[string, string, string | undefined]>([
    ['without a signer', 'example.org:bank:main', undefined],
    ['of another signer', 'example.org:bank:main', 'example.com/shop'],
    ['of a signer with the same name prefix', 'example.com:shops:main', 'example.com/shop'],
    ['of a signer without its own name', 'example.com:shop', 'example.com/shop'],
  ])('%s cannot have a name under another signer', async (_case, name, signerName) => {
    expect(await as('shop').send('POST', BUNDLES, bundle(name, signerName))).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('metadata.name') },
    });
  });

  test('for a signer requires the verb attest on it, to create and to update', async () => {
    const refusal = {
      status: 403,
      body: { message: expect.stringContaining('user not permitted to attest for signerName "example.org/bank"') },
    };
    for (const by of ['writer', 'shop'] as const)
      expect(await as(by).send('POST', BUNDLES, bundle('example.org:bank:main', 'example.org/bank'))).toMatchObject(
        refusal,
      );
    expect((await as('admin').send('POST', BUNDLES, bundle('example.org:bank:main', 'example.org/bank'))).status).toBe(
      201,
    );
    const other = await CertificateAuthority.create({ commonName: 'mallory', notBefore: 0, notAfter: 4e12 });
    for (const by of ['writer', 'shop'] as const) {
      expect(
        await as(by).send(
          'PATCH',
          `${BUNDLES}/example.org:bank:main`,
          { spec: { trustBundle: other.certificatePem } },
          MERGE,
        ),
      ).toMatchObject(refusal);
    }
  });

  test('cannot be changed to another signer', async () => {
    expect((await as('shop').send('POST', BUNDLES, bundle('example.com:shop:main', 'example.com/shop'))).status).toBe(
      201,
    );
    for (const signerName of ['example.com/other', '']) {
      expect(
        await as('shop').send('PATCH', `${BUNDLES}/example.com:shop:main`, { spec: { signerName } }, MERGE),
      ).toMatchObject({ status: 422, body: { message: expect.stringContaining('spec.signerName') } });
    }
  });

  test('cannot contain a certificate without CA rights', async () => {
    const leaf = await as('admin').certificate(
      await approved(pemOf()).then(async (name) => (await stateOf(name), name)),
    );
    expect(
      await as('shop').send('POST', BUNDLES, bundle('hidden', undefined, `${authority.certificatePem}text\n${leaf}`)),
    ).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('entry 1 does not have the CA bit set') },
    });
  });
});
