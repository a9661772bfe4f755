import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ResourceClient } from '../../src/entries/client.js';
import {
  createSigner,
  issuedBy,
  SigningRefusal,
  type SignerOptions,
  type SignerPolicy,
} from '../../src/entries/controllers.js';
import { ApiError } from '../../src/foundation/errors/api-error.js';
import { kubernetes } from '../../src/foundation/index.js';
import {
  CertificateAuthority,
  CertificatePool,
  encodePem,
  ExtensionType,
  verifyCertificate,
  type CertificateExtension,
} from '../../src/security/pki/index.js';
import { ClusterRole, ClusterRoleBinding, ClusterTrustBundle } from '../../src/kinds/builtin/index.js';
import { seededEntropy } from '../../src/testing/time/seeded-entropy.js';
import {
  ask,
  askApproved,
  authorityAt,
  chainOf,
  conditionsOf,
  DAY_MS,
  decide,
  HOUR_MS,
  MINUTE_MS,
  requestsOf,
  SIGNER,
  world,
  type World,
} from './signing.js';

interface Signing extends AsyncDisposable {
  readonly h: World;
  readonly authority: CertificateAuthority;
  readonly errors: unknown[];
  settled(): Promise<void>;
  stop(): Promise<void>;
  /** The request once the signer is idle. */
  outcome(name: string): Promise<{ readonly certificate: boolean; readonly conditions: string[] }>;
}

/** A server, and a started signer. */
async function start(options: Partial<SignerOptions> = {}, before?: (h: World) => Promise<unknown>): Promise<Signing> {
  const h = world();
  const authority = await authorityAt(h.clock.now());
  await before?.(h);
  const errors: unknown[] = [];
  const signer = createSigner({
    client: h.server.client({ fieldManager: 'shop-signer' }),
    signerName: SIGNER,
    clock: h.clock,
    issue: issuedBy(authority),
    onError: (error) => errors.push(error),
    ...options,
  });
  signer.start();
  await signer.settled();
  return {
    h,
    authority,
    errors,
    settled: () => signer.settled(),
    stop: () => signer.stop(),
    async outcome(name) {
      await signer.settled();
      const object = await requestsOf(h.client).get(name);
      return { certificate: object.status?.certificate !== undefined, conditions: conditionsOf(object) };
    },
    async [Symbol.asyncDispose]() {
      await signer.stop();
      await h[Symbol.asyncDispose]();
    },
  };
}

const APPROVED = 'Approved ByTheTest: decided by the test';
const SIGNED = { certificate: true, conditions: [APPROVED] };
const failed = (reason: string, message: string) => ({
  certificate: false,
  conditions: [APPROVED, `Failed ${reason}: ${message}`],
});

/** The certificate that was issued. */
async function issued({ h, settled }: Signing, name: string) {
  await settled();
  const [leaf] = chainOf(await requestsOf(h.client).get(name)) ?? [];
  if (leaf === undefined) throw new Error(`${name} has no certificate`);
  return leaf;
}

describe('a signer', () => {
  test('signs approved requests: subject, names, key and usages are the requested ones', async () => {
    await using signing = await start();
    const { h, authority } = signing;
    await askApproved(h.client, 'a', {
      alternativeNames: {
        dnsNames: ['a.example.com'],
        ipAddresses: ['10.0.0.1'],
        emailAddresses: ['a@example.com'],
        uris: ['spiffe://example.com/a'],
      },
    });
    const leaf = await issued(signing, 'a');
    expect(leaf.subject).toMatchObject({ commonName: 'alice', organizations: ['dev'] });
    expect(leaf.alternativeNames).toMatchObject({
      dnsNames: ['a.example.com'],
      emailAddresses: ['a@example.com'],
      uris: ['spiffe://example.com/a'],
      ipAddresses: [Uint8Array.of(10, 0, 0, 1)],
    });
    expect([...(leaf.keyUsages ?? [])]).toEqual(['digitalSignature']);
    expect(leaf.extendedKeyUsages).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(leaf.basicConstraints?.isAuthority).toBe(false);
    const result = await verifyCertificate(leaf, {
      authorities: new CertificatePool([authority.certificate]),
      now: h.clock.now(),
    });
    expect(result.error).toBeUndefined();
    expect(signing.errors).toEqual([]);
  });

  test('processes requests that were approved before it started', async () => {
    await using signing = await start({}, (h) => askApproved(h.client, 'early'));
    expect(await signing.outcome('early')).toEqual(SIGNED);
  });

  test('ignores requests that are unapproved, denied, or for another signer', async () => {
    const seen: string[] = [];
    await using signing = await start({ authorize: ({ object }) => (seen.push(object.metadata.name ?? ''), true) });
    const { client } = signing.h;
    await ask(client, 'undecided');
    await ask(client, 'denied');
    await decide(client, 'denied', 'Denied');
    await askApproved(client, 'other', { signerName: 'example.com/other' });
    await askApproved(client, 'longer', { signerName: `${SIGNER}s` });
    await askApproved(client, 'own');
    expect(await signing.outcome('undecided')).toEqual({ certificate: false, conditions: [] });
    expect((await signing.outcome('denied')).certificate).toBe(false);
    expect(await signing.outcome('other')).toEqual({ certificate: false, conditions: [APPROVED] });
    expect(await signing.outcome('longer')).toEqual({ certificate: false, conditions: [APPROVED] });
    expect(await signing.outcome('own')).toEqual(SIGNED);
    expect(seen).toEqual(['own']);
  });

  test('learns the requester from the server, not from the request', async () => {
    const requesters: unknown[] = [];
    await using signing = await start({ authorize: ({ requester }) => (requesters.push(requester), true) });
    const user = { username: 'bob', uid: '7', groups: ['system:masters', 'ops'], extra: { team: ['north'] } };
    await ask(signing.h.server.client({ user }), 'a');
    await decide(signing.h.client, 'a');
    await signing.settled();
    expect(requesters).toEqual([user]);
  });

  test('does nothing before it is started and after it is stopped', async () => {
    await using signing = await start();
    const { client } = signing.h;
    const late = createSigner({
      client,
      signerName: 'example.com/late',
      clock: signing.h.clock,
      issue: issuedBy(signing.authority),
    });
    await askApproved(client, 'late', { signerName: 'example.com/late' });
    await late.settled();
    expect((await signing.outcome('late')).certificate).toBe(false);
    await late.stop();
    late.start();
    await signing.stop();
    await askApproved(client, 'after');
    expect((await signing.outcome('after')).certificate).toBe(false);
    expect((await signing.outcome('late')).certificate).toBe(false);
  });

  test('requires the right to sign, and no other', async () => {
    const user = { username: 'signer', groups: ['system:authenticated'] };
    const group = `certificates.${kubernetes.groupSuffix}`;
    const roleRef = { apiGroup: `rbac.authorization.${kubernetes.groupSuffix}`, kind: 'ClusterRole', name: 'signer' };
    const rules = [
      { apiGroups: [group], resources: ['certificatesigningrequests'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [group], resources: ['certificatesigningrequests/status'], verbs: ['update'] },
    ];
    await using h = world();
    await h.client.resource(ClusterRole).create({ metadata: { name: 'signer' }, rules });
    await h.client.resource(ClusterRoleBinding).create({
      metadata: { name: 'signer' },
      roleRef,
      subjects: [{ kind: 'User', apiGroup: roleRef.apiGroup, name: 'signer' }],
    });
    const errors: unknown[] = [];
    const signer = createSigner({
      client: h.server.client({ user }),
      signerName: SIGNER,
      clock: h.clock,
      issue: issuedBy(await authorityAt(h.clock.now())),
      onError: (error) => errors.push(error),
    });
    signer.start();
    await askApproved(h.client, 'a');
    await signer.settled();
    expect(errors.map((error) => (error instanceof ApiError ? error.message : error))).toEqual([
      `certificatesigningrequests.${group} "a" is forbidden: user not permitted to sign requests with signerName "${SIGNER}"`,
    ]);
    await h.client.resource(ClusterRole).update({
      metadata: { name: 'signer' },
      rules: [
        ...rules,
        { apiGroups: [group], resources: ['signers'], resourceNames: ['example.com/*'], verbs: ['sign'] },
      ],
    });
    h.clock.advance(200);
    await signer.settled();
    expect(chainOf(await requestsOf(h.client).get('a'))).toHaveLength(1);
    await signer.stop();
  });
});

test.each([
  ['', 'signerName: Required value'],
  [
    'shop',
    `signerName: Invalid value: "shop": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
  ],
  [
    'example.com/shop,spec.username=bob',
    expect.stringContaining('signerName: Invalid value: "shop,spec.username=bob"'),
  ],
])('%j is an invalid signer', async (signerName, message) => {
  await using h = world();
  expect(() => createSigner({ client: h.client, signerName, issue: () => '' })).toThrow(
    expect.objectContaining({ name: 'TypeError', message }),
  );
});

test('a policy with an unknown usage is invalid', async () => {
  await using h = world();
  const policy = { usages: { permitted: ['client auth', 'tea'] } };
  expect(() => createSigner({ client: h.client, signerName: SIGNER, issue: () => '', policy })).toThrow(
    new Error('unrecognized usage values: ["tea"]'),
  );
});

describe('a policy', () => {
  const constraints = (...octets: number[]): CertificateExtension => ({
    type: ExtensionType.basicConstraints,
    critical: true,
    value: Uint8Array.from(octets),
  });
  const AUTHORITY = constraints(0x30, 0x06, 0x01, 0x01, 0xff, 0x02, 0x01, 0x00);
  const OTHER: CertificateExtension = { type: '1.2.3.4', critical: false, value: Uint8Array.of(5, 0) };
  const NO_PURPOSE = 'an extended usage is required: a certificate without one is valid for every purpose';
  type RequestFields = NonNullable<Parameters<typeof ask>[2]>;

  test.each<[string, SignerPolicy, RequestFields]>([
    [
      'a permitted subject',
      { subject: ({ commonName, organizations }) => commonName === 'alice' && organizations.length === 1 },
      {},
    ],
    [
      'permitted names',
      { alternativeNames: ({ dnsNames }) => dnsNames.every((name) => name.endsWith('.example.com')) },
      { alternativeNames: { dnsNames: ['a.example.com'] } },
    ],
    ['a required extension', { extensions: { required: ['1.2.3.4'] } }, { extensions: [OTHER] }],
    ['an extension that is not forbidden', { extensions: { forbidden: ['1.2.3.5'] } }, { extensions: [OTHER] }],
    [
      'an extension with permitted contents',
      { extensions: { permitted: ['1.2.3.4'], accepts: ({ value }) => value.length === 2 } },
      { extensions: [OTHER] },
    ],
    [
      'required and permitted usages',
      { usages: { required: ['client auth'], permitted: ['digital signature', 'key encipherment'] } },
      {},
    ],
    [
      'a required usage by its alias',
      { usages: { required: ['signing', 's/mime'] } },
      { usages: ['digital signature', 'email protection'] },
    ],
    [
      '"any" as a purpose if it is permitted by name',
      { usages: { permitted: ['any'], forbidden: ['server auth'] } },
      { usages: ['any'] },
    ],
    [
      'no purpose, if the policy does not restrict purposes',
      { usages: { permitted: ['digital signature'] } },
      { usages: ['digital signature'] },
    ],
    ['the maximum duration', { lifetime: { default: '3600s', requested: 'refused' } }, { expirationSeconds: 3600 }],
    ['the minimum duration', { lifetime: { min: '1200s', requested: 'refused' } }, { expirationSeconds: 1200 }],
    ['a request that declares itself not a CA', {}, { extensions: [constraints(0x30, 0x00)] }],
  ])('accepts %s', async (_case, policy, fields) => {
    await using signing = await start({ policy });
    await askApproved(signing.h.client, 'a', fields);
    expect(await signing.outcome('a')).toEqual(SIGNED);
  });

  test.each<[string, SignerPolicy, RequestFields, string, string]>([
    [
      'a subject',
      { subject: ({ commonName }) => commonName !== 'alice' },
      {},
      'SubjectNotPermitted',
      'the subject with the common name "alice" is not permitted',
    ],
    [
      'a subject of more attributes than a certificate may have',
      { subject: () => ({ organizations: Array.from({ length: 101 }, (_, index) => `o${index}`) }) },
      {},
      'SubjectNotPermitted',
      'x509: a subject of 101 attributes, more than 100',
    ],
    [
      'names',
      { alternativeNames: ({ dnsNames }) => dnsNames.length > 0 },
      {},
      'AlternativeNamesNotPermitted',
      'the subject alternative names are not permitted',
    ],
    [
      'a missing extension',
      { extensions: { required: ['1.2.3.4'] } },
      {},
      'ExtensionRequired',
      'the extension "1.2.3.4" is required',
    ],
    [
      'a forbidden extension',
      { extensions: { forbidden: ['1.2.3.4'] } },
      { extensions: [OTHER] },
      'ExtensionNotPermitted',
      'the extension "1.2.3.4" is not permitted',
    ],
    [
      'an extension that is not permitted',
      { extensions: { permitted: ['2.5.29.17'] } },
      { extensions: [OTHER] },
      'ExtensionNotPermitted',
      'the extension "1.2.3.4" is not permitted',
    ],
    [
      'the contents of an extension',
      { extensions: { accepts: ({ value }) => value.length === 1 } },
      { extensions: [OTHER] },
      'ExtensionNotPermitted',
      'the value of the extension "1.2.3.4" is not permitted',
    ],
    [
      'a missing usage',
      { usages: { required: ['server auth'] } },
      {},
      'UsageRequired',
      'the usage "server auth" is required',
    ],
    [
      'a forbidden usage',
      { usages: { forbidden: ['client auth'] } },
      {},
      'UsageNotPermitted',
      'the usage "client auth" is not permitted',
    ],
    [
      'a usage that is not permitted',
      { usages: { required: ['client auth'], permitted: [] } },
      {},
      'UsageNotPermitted',
      'the usage "digital signature" is not permitted',
    ],
    [
      'a forbidden usage by its alias',
      { usages: { forbidden: ['digital signature'] } },
      { usages: ['signing', 'client auth'] },
      'UsageNotPermitted',
      'the usage "digital signature" is not permitted',
    ],
    [
      '"any" as a purpose if one is forbidden',
      { usages: { forbidden: ['server auth'] } },
      { usages: ['any'] },
      'UsageNotPermitted',
      'the usage "any" is not permitted',
    ],
    [
      'no purpose, which means any, if one is forbidden',
      { usages: { forbidden: ['server auth'] } },
      { usages: ['digital signature'] },
      'UsageRequired',
      NO_PURPOSE,
    ],
    [
      'no purpose, if some are permitted',
      { usages: { permitted: ['digital signature', 'server auth'] } },
      { usages: ['digital signature'] },
      'UsageRequired',
      NO_PURPOSE,
    ],
    [
      'a long duration',
      { lifetime: { default: '3600s', requested: 'refused' } },
      { expirationSeconds: 3601 },
      'LifetimeNotPermitted',
      'expirationSeconds must be between 600 and 3600, but is 3601',
    ],
    [
      'a short duration',
      { lifetime: { min: '1200s', max: '3600s', requested: 'refused' } },
      { expirationSeconds: 600 },
      'LifetimeNotPermitted',
      'expirationSeconds must be between 1200 and 3600, but is 600',
    ],
    ['an authority', {}, { extensions: [AUTHORITY] }, 'AuthorityNotPermitted', 'CA certificates are not issued'],
    ['a CA by its usages', {}, { usages: ['cert sign'] }, 'AuthorityNotPermitted', 'CA certificates are not issued'],
    [
      'unreadable basic constraints',
      {},
      { extensions: [constraints(0x01)] },
      'ExtensionNotPermitted',
      'x509: invalid basic constraints',
    ],
  ])('rejects %s: the request fails with the reason', async (_case, policy, fields, reason, message) => {
    await using signing = await start({ policy });
    await askApproved(signing.h.client, 'a', fields);
    expect(await signing.outcome('a')).toEqual(failed(reason, message));
    expect(signing.errors).toEqual([]);
    signing.h.clock.advance(HOUR_MS);
    expect(await signing.outcome('a')).toEqual(failed(reason, message));
  });

  test('may replace the requested subject and names', async () => {
    await using signing = await start({
      policy: {
        subject: (_subject, { requester }) => ({ commonName: requester.username, organizations: ['shop'] }),
        alternativeNames: ({ dnsNames }) => ({ dnsNames: dnsNames.filter((name) => name.endsWith('.example.com')) }),
      },
    });
    await askApproved(signing.h.client, 'a', {
      alternativeNames: { dnsNames: ['a.example.com', 'a.example.org'], ipAddresses: ['10.0.0.1'] },
    });
    const leaf = await issued(signing, 'a');
    expect(leaf.subject).toMatchObject({ commonName: 'system:apiserver', organizations: ['shop'] });
    expect(leaf.alternativeNames).toMatchObject({ dnsNames: ['a.example.com'], ipAddresses: [] });
  });

  test('may sign CA requests as if they were ordinary ones', async () => {
    await using signing = await start({ policy: { authorities: 'ignored' } });
    await askApproved(signing.h.client, 'a', { extensions: [AUTHORITY], usages: ['cert sign', 'client auth'] });
    await askApproved(signing.h.client, 'b', { extensions: [constraints(0x01)] });
    for (const name of ['a', 'b'])
      expect((await issued(signing, name)).basicConstraints).toEqual({ isAuthority: false, pathLength: undefined });
  });

  test('may permit CA certificates, which can then sign', async () => {
    await using signing = await start({ policy: { authorities: 'permitted' } });
    await askApproved(signing.h.client, 'authority', { extensions: [AUTHORITY], usages: ['cert sign', 'crl sign'] });
    await askApproved(signing.h.client, 'leaf', {});
    const authority = await issued(signing, 'authority');
    expect(authority.basicConstraints).toEqual({ isAuthority: true, pathLength: 0 });
    expect([...(authority.keyUsages ?? [])]).toEqual(['keyCertSign', 'cRLSign']);
    expect((await issued(signing, 'leaf')).basicConstraints?.isAuthority).toBe(false);
  });

  test.each<[string, SignerPolicy['lifetime'], number | undefined, number, number]>([
    ['a year by default', undefined, undefined, -5 * MINUTE_MS, 365 * DAY_MS - 5 * MINUTE_MS],
    ['the default of the signer', { default: '86400s' }, undefined, -5 * MINUTE_MS, DAY_MS - 5 * MINUTE_MS],
    ['the requested duration', { default: '86400s' }, 36_000, -5 * MINUTE_MS, 10 * HOUR_MS - 5 * MINUTE_MS],
    ['a short duration in full', { default: '86400s' }, 3600, -5 * MINUTE_MS, HOUR_MS],
    ['seven hours, 59 minutes, 59 seconds in full', {}, 8 * 3600 - 1, -5 * MINUTE_MS, 8 * HOUR_MS - 1000],
    ['eight hours from the backdated start', {}, 8 * 3600, -5 * MINUTE_MS, 8 * HOUR_MS - 5 * MINUTE_MS],
    ['the maximum if more is requested', { default: '3600s', max: '7200s' }, 86_400, -5 * MINUTE_MS, 2 * HOUR_MS],
    ['the minimum if less is requested', { min: '3600s' }, 600, -5 * MINUTE_MS, HOUR_MS],
    ["the signer's own duration", { default: '7200s', requested: 'ignored' }, 3600, -5 * MINUTE_MS, 2 * HOUR_MS],
    ['not back-dated', { backdate: '0s', default: '86400s' }, undefined, 0, DAY_MS],
  ])('grants %s', async (_case, lifetime, expirationSeconds, begins, ends) => {
    await using signing = await start({ policy: lifetime === undefined ? {} : { lifetime } });
    const second = Math.floor(signing.h.clock.now() / 1000) * 1000;
    await askApproved(signing.h.client, 'a', expirationSeconds === undefined ? {} : { expirationSeconds });
    const { notBefore, notAfter } = await issued(signing, 'a');
    expect({ begins: notBefore - second, ends: notAfter - second }).toEqual({ begins, ends });
  });
});

describe('authorize', () => {
  test.each<[string, SignerOptions['authorize'], object]>([
    ['true: it is signed', () => true, SIGNED],
    ['undefined: the approval stands', () => undefined, SIGNED],
    [
      'false: it fails',
      () => Promise.resolve(false),
      failed('NotAuthorized', 'the signer refuses to sign this request'),
    ],
    [
      'a refusal with its own message',
      () => {
        throw new SigningRefusal('Closed', 'the shop is closed');
      },
      failed('Closed', 'the shop is closed'),
    ],
  ])('%s', async (_case, authorize, outcome) => {
    await using signing = await start({ ...(authorize === undefined ? {} : { authorize }) });
    await askApproved(signing.h.client, 'a');
    expect(await signing.outcome('a')).toEqual(outcome);
  });

  test('is called again after it failed', async () => {
    const down = new Error('the register is down');
    const authorize = vi.fn().mockRejectedValueOnce(down).mockResolvedValue(true);
    await using signing = await start({ authorize });
    await askApproved(signing.h.client, 'a');
    expect(await signing.outcome('a')).toEqual({ certificate: false, conditions: [APPROVED] });
    signing.h.clock.advance(199);
    expect(await signing.outcome('a')).toEqual({ certificate: false, conditions: [APPROVED] });
    signing.h.clock.advance(1);
    expect(await signing.outcome('a')).toEqual(SIGNED);
    expect(signing.errors).toEqual([down]);
  });

  test('approves and denies nothing by itself', async () => {
    const authorize = vi.fn(() => true);
    await using signing = await start({ authorize });
    await ask(signing.h.client, 'a');
    expect(await signing.outcome('a')).toEqual({ certificate: false, conditions: [] });
    expect(authorize).not.toHaveBeenCalled();
  });

  test('approves and denies if the signer is configured so, and leaves undefined answers to others', async () => {
    const authorize: SignerOptions['authorize'] = ({ object }) =>
      ({ yes: true, no: false })[object.metadata.name ?? ''];
    await using signing = await start({
      approves: true,
      authorize,
      policy: { usages: { forbidden: ['server auth'] } },
    });
    const { client } = signing.h;
    for (const name of ['yes', 'no', 'perhaps']) await ask(client, name);
    await ask(client, 'never', { usages: ['server auth'] });
    expect(await signing.outcome('yes')).toEqual({
      certificate: true,
      conditions: ['Approved ApprovedBySigner: approved by the signer'],
    });
    expect(await signing.outcome('no')).toEqual({
      certificate: false,
      conditions: ['Denied NotAuthorized: the signer refuses to sign this request'],
    });
    expect(await signing.outcome('never')).toEqual({
      certificate: false,
      conditions: ['Denied UsageNotPermitted: the usage "server auth" is not permitted'],
    });
    expect(await signing.outcome('perhaps')).toEqual({ certificate: false, conditions: [] });
    await decide(client, 'perhaps');
    expect(await signing.outcome('perhaps')).toEqual(SIGNED);
    expect(signing.errors).toEqual([]);
  });

  test('is required for a signer that approves', async () => {
    await using h = world();
    const issue = issuedBy(await authorityAt(h.clock.now()));
    expect(() => createSigner({ client: h.client, signerName: SIGNER, issue, approves: true })).toThrow(
      new TypeError('a signer that approves must have authorize'),
    );
  });
});

describe('issue', () => {
  test('receives the request and the granted fields, and its text is the certificate', async () => {
    const seen: unknown[] = [];
    const authority = await CertificateAuthority.create({
      commonName: 'x',
      notBefore: 0,
      notAfter: 4e12,
      entropy: seededEntropy(1),
    });
    const text = `Subject: ünlimited\n${authority.certificatePem}`;
    await using signing = await start({
      issue: ({ object, certificateRequest }, grant) => (
        seen.push(object.metadata.name, certificateRequest.subject.commonName, grant),
        text
      ),
      policy: { subject: () => ({ commonName: 'somebody' }), lifetime: { default: '3600s' } },
    });
    const { client, clock } = signing.h;
    await askApproved(client, 'a');
    await signing.settled();
    expect(Buffer.from((await requestsOf(client).get('a')).status?.certificate ?? '', 'base64').toString()).toBe(text);
    const now = clock.now();
    expect(seen).toEqual([
      'a',
      'alice',
      {
        now,
        notBefore: now - 5 * MINUTE_MS,
        notAfter: now + HOUR_MS,
        subject: { commonName: 'somebody' },
        alternativeNames: expect.anything(),
        usages: ['digital signature', 'client auth'],
        isCertificateAuthority: false,
      },
    ]);
  });

  test('rejects permanently', async () => {
    await using signing = await start({
      issue: () => {
        throw new SigningRefusal('WeakKey', 'the key is too short');
      },
    });
    await askApproved(signing.h.client, 'a');
    expect(await signing.outcome('a')).toEqual(failed('WeakKey', 'the key is too short'));
  });

  test('is retried after pauses that double', async () => {
    const down = new Error('the authority does not answer');
    const issue = vi.fn<() => Promise<string>>().mockRejectedValue(down);
    await using signing = await start({ issue });
    await askApproved(signing.h.client, 'a');
    await signing.settled();
    for (const [pauses, pause] of [200, 400, 800].entries()) {
      expect(issue).toHaveBeenCalledTimes(pauses + 1);
      signing.h.clock.advance(pause - 1);
      await signing.settled();
      expect(issue).toHaveBeenCalledTimes(pauses + 1);
      signing.h.clock.advance(1);
      await signing.settled();
    }
    issue.mockResolvedValue(signing.authority.certificatePem);
    signing.h.clock.advance(1600);
    expect(await signing.outcome('a')).toEqual(SIGNED);
    expect(signing.errors).toEqual([down, down, down, down]);
  });

  test('returning text without a certificate is rejected by the server, and retried', async () => {
    const issue = vi.fn<() => string>(() => 'nothing');
    await using signing = await start({ issue });
    await askApproved(signing.h.client, 'a');
    expect(await signing.outcome('a')).toEqual({ certificate: false, conditions: [APPROVED] });
    expect(signing.errors).toMatchObject([{ reason: 'Invalid' }]);
    issue.mockReturnValue(signing.authority.certificatePem);
    signing.h.clock.advance(200);
    expect(await signing.outcome('a')).toEqual(SIGNED);
  });
});

describe('issuedBy', () => {
  test('returns the intermediates after the certificate', async () => {
    await using h = world();
    const [authority, above] = await Promise.all([authorityAt(h.clock.now()), authorityAt(h.clock.now())]);
    const signer = createSigner({
      client: h.client,
      signerName: SIGNER,
      clock: h.clock,
      issue: issuedBy(authority, { intermediates: above.certificatePem }),
    });
    signer.start();
    await askApproved(h.client, 'a');
    await signer.settled();
    const chain = chainOf(await requestsOf(h.client).get('a'));
    expect(chain?.map(({ raw }) => encodePem('CERTIFICATE', raw)).slice(1)).toEqual([above.certificatePem]);
    expect(chain?.[0]?.subject.commonName).toBe('alice');
    await signer.stop();
  });

  test('limits a certificate to the lifetime of its authority', async () => {
    await using h = world();
    const second = Math.floor(h.clock.now() / 1000) * 1000;
    const authority = await authorityAt(second, { notAfter: second + DAY_MS });
    const signer = createSigner({ client: h.client, signerName: SIGNER, clock: h.clock, issue: issuedBy(authority) });
    signer.start();
    await askApproved(h.client, 'long');
    await askApproved(h.client, 'short', { expirationSeconds: 3600 });
    await signer.settled();
    const ends = await Promise.all(
      ['long', 'short'].map(async (name) => chainOf(await requestsOf(h.client).get(name))?.[0]?.notAfter),
    );
    expect(ends).toEqual([second + DAY_MS, second + HOUR_MS]);
    await signer.stop();
  });

  test.each([
    [0, 'refusing to sign a certificate that expired in the past: NotAfter=2023-11-14 22:13:20 +0000 UTC'],
    [5 * MINUTE_MS, 'the signer has expired: NotAfter=2023-11-14 22:08:20 +0000 UTC'],
  ])('rejects an authority that has expired %d ms ago', async (ago, message) => {
    const expired = await authorityAt(1_700_000_000_000, { notAfter: 1_700_000_000_000 - ago });
    await using signing = await start({ issue: issuedBy(expired) });
    await askApproved(signing.h.client, 'a');
    expect(await signing.outcome('a')).toEqual({ certificate: false, conditions: [APPROVED] });
    expect(signing.errors).toEqual([new Error(message)]);
  });
});

describe('trustBundle', () => {
  const served = {
    featureGates: { ClusterTrustBundle: true },
    runtimeConfig: `certificates.${kubernetes.groupSuffix}/v1alpha1=true`,
  };

  test('is published under the name of the signer, and restored', async () => {
    await using h = world(served);
    const bundles = h.client.resource(ClusterTrustBundle);
    const [{ certificatePem }, other] = await Promise.all([authorityAt(h.clock.now()), authorityAt(h.clock.now())]);
    const texts = async () =>
      (await bundles.list()).items.map(({ metadata: { name }, spec }) => [
        name?.replace(/[0-9a-f]{24}$/, '…'),
        spec.signerName,
        spec.trustBundle,
      ]);
    await bundles.create({
      metadata: { name: 'example.com:shop:old' },
      spec: { signerName: SIGNER, trustBundle: other.certificatePem },
    });
    await bundles.create({ metadata: { name: 'anybody' }, spec: { trustBundle: other.certificatePem } });
    const errors: unknown[] = [];
    const signer = createSigner({
      client: h.client,
      signerName: SIGNER,
      clock: h.clock,
      issue: () => '',
      trustBundle: certificatePem,
      onError: (error) => errors.push(error),
    });
    signer.start();
    await signer.settled();
    const wanted = [
      ['anybody', undefined, other.certificatePem],
      ['example.com:shop:…', SIGNER, certificatePem],
    ];
    expect(await texts()).toEqual(wanted);
    await bundles.delete(
      (await bundles.list({ fieldSelector: `spec.signerName=${SIGNER}` })).items[0]?.metadata.name ?? '',
    );
    await signer.settled();
    expect(await texts()).toEqual(wanted);
    await signer.stop();
    expect(errors).toEqual([]);
  });

  test('requires a server that has trust bundles', async () => {
    await using h = world();
    const { certificatePem: trustBundle } = await authorityAt(h.clock.now());
    expect(() => createSigner({ client: h.client, signerName: SIGNER, issue: () => '', trustBundle })).toThrow(
      /^ClusterTrustBundle .* is not served/,
    );
  });
});

describe('concurrent writes', () => {
  test('do not prevent the write of the issued certificate, and none is issued twice', async () => {
    const issue = vi.fn<() => string>();
    await using signing = await start({ issue });
    const { client } = signing.h;
    issue.mockReturnValue(signing.authority.certificatePem);
    const update = ResourceClient.prototype.updateSubresource;
    const spy = vi.spyOn(ResourceClient.prototype, 'updateSubresource').mockImplementation(async function (
      this: ResourceClient<unknown, unknown>,
      subresource,
      object,
      ...rest
    ) {
      if (subresource === 'status') {
        spy.mockRestore();
        await requestsOf(client).patch('a', { metadata: { labels: { seen: 'yes' } } });
      }
      return update.call(this, subresource, object, ...rest);
    });
    onTestFinished(() => spy.mockRestore());
    await askApproved(client, 'a');
    expect(await signing.outcome('a')).toEqual(SIGNED);
    expect((await requestsOf(client).get('a')).metadata.labels).toEqual({ seen: 'yes' });
    expect(issue).toHaveBeenCalledTimes(1);
    expect(signing.errors).toEqual([]);
  });

  test.each<[string, (signing: Signing) => Promise<unknown>]>([
    [
      'fail the request',
      async ({ h: { client } }) =>
        requestsOf(client).updateSubresource('status', await withCondition(client, 'Failed')),
    ],
    ['delete the request', ({ h: { client } }) => requestsOf(client).delete('a')],
    [
      'delete and recreate it',
      async ({ h: { client } }) => {
        await requestsOf(client).delete('a');
        await ask(client, 'a');
      },
    ],
  ])('that %s during signing prevent the write of the certificate', async (_case, meanwhile) => {
    let signing: Signing | undefined;
    const issue = vi.fn(async () => {
      if (signing === undefined) throw new Error('not yet');
      await meanwhile(signing);
      return signing.authority.certificatePem;
    });
    signing = await start({ issue });
    await using _end = signing;
    await askApproved(signing.h.client, 'a');
    await signing.settled();
    const left = await requestsOf(signing.h.client).list();
    expect(left.items.map(({ status }) => status?.certificate)).toEqual(left.items.map(() => undefined));
    expect(issue).toHaveBeenCalledTimes(1);
    expect(signing.errors).toEqual([]);
  });
});

async function withCondition(client: World['client'], type: string) {
  const object = await requestsOf(client).get('a');
  return {
    ...object,
    status: {
      ...object.status,
      conditions: [
        ...(object.status?.conditions ?? []),
        { type, status: 'True', reason: 'ByTheTest', message: 'meanwhile' },
      ],
    },
  };
}
