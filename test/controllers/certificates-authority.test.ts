/** The authority that a server generates: what it signs, where it is trusted, and how it is replaced. */
import { describe, expect, test, vi } from 'vitest';
import type { ApiServer } from '../../src/apiserver/api-server.js';
import type { ApiServerOptions } from '../../src/apiserver/options/api-server-options.js';
import { CertificateAuthority, parseCertificateBundle, type Certificate } from '../../src/security/pki/index.js';
import type { Storage } from '../../src/entries/storage.js';
import { ask, jsonOf } from '../server/ask.js';
import { ManualClock } from '../storage/manual-clock.js';
import { keptOpenStorage } from '../support/kept-open-storage.js';
import { askApproved, chainOf, conditionsOf, DAY_MS, HOUR_MS, requestsOf, world, type World } from './signing.js';

const YEAR_MS = 365 * DAY_MS;
const KEY = '/internal/certificate-authority';

const start = (options: ApiServerOptions = {}): World =>
  world({ ...options, controllers: { disable: ['csrapproving'], ...options.controllers } });

/** Requests and obtains a certificate for a client, or with the given fields. */
async function issued(
  { client, server }: World,
  commonName: string,
  fields: Parameters<typeof askApproved>[2] = {},
): Promise<Certificate> {
  const name = `${commonName.replaceAll(':', '-')}-${(asked += 1)}`;
  await askApproved(client, name, {
    subject: { commonName, organizations: ['dev'] },
    signerName: server.dialect.signers.apiServerClient,
    ...fields,
  });
  await server.settled();
  const object = await requestsOf(client).get(name);
  const [certificate] = chainOf(object) ?? [];
  if (certificate === undefined) throw new Error(`${name} has no certificate: ${conditionsOf(object).join('; ')}`);
  return certificate;
}

let asked = 0;

/** The user that a server derives from a certificate; the status if it derives none. */
async function userOfCertificate(server: ApiServer, ...chain: readonly Certificate[]): Promise<unknown> {
  const response = await ask(
    server,
    'POST',
    `/apis/authentication.${server.dialect.groupSuffix}/v1/selfsubjectreviews`,
    { token: '', body: '{}', chain: chain.map(({ raw }) => raw) },
  );
  return response.status === 201
    ? (jsonOf(response) as { status: { userInfo: { username: string } } }).status.userInfo
    : response.status;
}

/** A request without credentials is anonymous, and anonymous users may not ask who they are. */
const NOBODY = 403;
const ALICE = { username: 'alice', groups: ['dev', 'system:authenticated'] };

/** The stored authority; undefined if there is none. */
async function kept(storage: Storage): Promise<{ certificate: Certificate; text: string } | undefined> {
  const { record } = await storage.get(KEY);
  if (record === undefined) return undefined;
  const [certificate] = parseCertificateBundle((JSON.parse(record.text) as { certificate: string }).certificate);
  return certificate && { certificate, text: record.text };
}

describe('the authority that a server generates', () => {
  test('is generated when the first certificate is signed, for ten years, and is stored', async () => {
    const storage = keptOpenStorage(new ManualClock());
    await using w = start({ storage });
    await requestsOf(w.client).list();
    await askApproved(w.client, 'custom');
    await userOfCertificate(w.server);
    await w.server.settled();
    expect(await kept(storage)).toBeUndefined();
    const { issuer } = await issued(w, 'alice');
    const found = await kept(storage);
    expect(found?.certificate.subject.raw).toEqual(issuer.raw);
    expect(found?.certificate).toMatchObject({
      notBefore: w.clock.now() - HOUR_MS,
      notAfter: w.clock.now() + 10 * YEAR_MS,
      basicConstraints: { isAuthority: true },
    });
    expect(issuer.commonName).toBe('kubernetes-csr-signer@1700000000');
  });

  test('authenticates holders of the client certificates it has issued, and no one else', async () => {
    await using w = start();
    const alice = await issued(w, 'alice');
    expect(await userOfCertificate(w.server, alice)).toEqual(ALICE);
    const serving = await issued(w, 'system:node:n1', {
      subject: { commonName: 'system:node:n1', organizations: ['system:nodes'] },
      alternativeNames: { dnsNames: ['n1'] },
      usages: ['digital signature', 'server auth'],
      signerName: w.server.dialect.signers.nodeAgentServing,
    });
    expect(await userOfCertificate(w.server, serving)).toBe(401);
    const stranger = await CertificateAuthority.create({
      commonName: alice.issuer.commonName,
      notBefore: 0,
      notAfter: w.clock.now() + YEAR_MS,
    });
    expect(await userOfCertificate(w.server, stranger.certificate)).toBe(401);
    w.clock.jump(YEAR_MS);
    expect(await userOfCertificate(w.server, alice)).toBe(401);
  });

  test('is trusted like the given ones', async () => {
    const other = await CertificateAuthority.create({
      commonName: 'other',
      notBefore: 0,
      notAfter: 1_700_000_000_000 + YEAR_MS,
    });
    await using w = start({
      authentication: {
        clientCertificates: {
          certificateAuthorities: other.certificatePem,
          userConversion: ([leaf]) => ({ username: `cert:${leaf?.subject.commonName}`, groups: [] }),
        },
      },
    });
    expect(await userOfCertificate(w.server, await issued(w, 'alice'))).toEqual({
      username: 'cert:alice',
      groups: ['system:authenticated'],
    });
    expect(
      await userOfCertificate(
        w.server,
        (await CertificateAuthority.create({ commonName: 'nobody', notBefore: 0, notAfter: w.clock.now() + YEAR_MS }))
          .certificate,
      ),
    ).toBe(401);
  });

  test('survives a restart, and is loaded when the first certificate is presented', async () => {
    const storage = keptOpenStorage(new ManualClock());
    const before = start({ storage });
    const alice = await issued(before, 'alice');
    await before.server.close();
    await using w = start({ storage });
    expect(await userOfCertificate(w.server, alice)).toEqual(ALICE);
    expect((await issued(w, 'bob')).issuer.raw).toEqual(alice.issuer.raw);
  });

  test('is shared by all servers of a storage, whichever generates it', async () => {
    const storage = keptOpenStorage(new ManualClock());
    await using a = start({ storage });
    await using b = start({ storage, controllers: { disable: ['csrapproving', 'csrsigning'] } });
    const anybody = await CertificateAuthority.create({
      commonName: 'anybody',
      notBefore: 0,
      notAfter: a.clock.now() + YEAR_MS,
    });
    // No authority is loaded that could verify a certificate.
    expect(await userOfCertificate(b.server, anybody.certificate)).toBe(NOBODY);
    const alice = await issued(a, 'alice');
    expect(await userOfCertificate(b.server, alice)).toEqual(ALICE);
    expect(await userOfCertificate(b.server, anybody.certificate)).toBe(401);
  });

  test('is generated once by two servers that need it concurrently', async () => {
    const storage = keptOpenStorage(new ManualClock());
    await using a = start({ storage });
    await using b = start({ storage });
    await Promise.all([
      askApproved(a.client, 'of-a', { signerName: a.server.dialect.signers.apiServerClient }),
      askApproved(b.client, 'of-b', { signerName: a.server.dialect.signers.apiServerClient }),
    ]);
    await Promise.all([a.server.settled(), b.server.settled()]);
    // The previous request still exists: the cleaner runs once an hour.
    const late = (await requestsOf(a.client).list()).items.filter(({ metadata }) => metadata.name?.startsWith('of-'));
    const issuers = new Set(late.map((object) => chainOf(object)?.[0]?.issuer.commonName));
    expect([...issuers]).toEqual([(await kept(storage))?.certificate.subject.commonName]);
  });

  test('exposes its key in no response and in no log', async () => {
    const lines: unknown[] = [];
    const log = (...line: unknown[]): void => void lines.push(line);
    const storage = keptOpenStorage(new ManualClock());
    await using w = start({ storage, observability: { logger: { info: log, error: log } } });
    await issued(w, 'alice');
    const { text = '' } = (await kept(storage)) ?? {};
    const { key } = JSON.parse(text) as { key: string };
    expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    for (const path of [KEY, '/internal', '/api/v1/secrets', '/api/v1/configmaps']) {
      const { body } = await ask(w.server, 'GET', path, {
        token: w.server.kubeConfig().match(/token: (\S+)/)?.[1] ?? '',
      });
      expect(JSON.stringify(body)).not.toContain('PRIVATE KEY');
    }
    expect(JSON.stringify(lines)).not.toContain('PRIVATE KEY');
  });
});

describe('before it expires', () => {
  const LONG: ApiServerOptions = { certificates: { duration: 3 * YEAR_MS } };

  test('a new one signs from two years before on, and its certificates stay trusted', async () => {
    const storage = keptOpenStorage(new ManualClock());
    await using w = start({ ...LONG, storage });
    const first = await issued(w, 'alice');
    w.clock.jump(8 * YEAR_MS - HOUR_MS);
    const last = await issued(w, 'alice');
    expect(last.issuer.raw).toEqual(first.issuer.raw);
    // Cut off at the end of the authority.
    expect(last.notAfter).toBe((await kept(storage))?.certificate.notAfter);
    w.clock.jump(HOUR_MS);
    const next = await issued(w, 'alice');
    expect(next.issuer.raw).not.toEqual(first.issuer.raw);
    expect(next.notAfter - next.notBefore).toBe(3 * YEAR_MS);
    for (const certificate of [last, next]) expect(await userOfCertificate(w.server, certificate)).toEqual(ALICE);
    await using other = start({ ...LONG, storage, clock: w.clock });
    for (const certificate of [last, next]) expect(await userOfCertificate(other.server, certificate)).toEqual(ALICE);
    w.clock.jump(2 * YEAR_MS + 1);
    expect([await userOfCertificate(w.server, last), await userOfCertificate(w.server, next)]).toEqual([401, ALICE]);
    // The third one replaces the first.
    w.clock.jump(6 * YEAR_MS);
    await issued(w, 'bob');
    expect((JSON.parse((await kept(storage))?.text ?? '') as { replaced: string[] }).replaced).toHaveLength(1);
  });

  test('two servers agree on the new one', async () => {
    const storage = keptOpenStorage(new ManualClock());
    await using a = start({ storage });
    const first = await issued(a, 'alice');
    a.clock.jump(9 * YEAR_MS);
    await using b = start({ storage, clock: a.clock });
    await b.server.settled();
    await Promise.all([
      askApproved(a.client, 'of-a', { signerName: a.server.dialect.signers.apiServerClient }),
      askApproved(b.client, 'of-b', { signerName: a.server.dialect.signers.apiServerClient }),
    ]);
    await Promise.all([a.server.settled(), b.server.settled()]);
    // The previous request still exists: the cleaner runs once an hour.
    const late = (await requestsOf(a.client).list()).items.filter(({ metadata }) => metadata.name?.startsWith('of-'));
    const issuers = new Set(late.map((object) => chainOf(object)?.[0]?.issuer.commonName));
    expect([...issuers]).toEqual([(await kept(storage))?.certificate.subject.commonName]);
    expect(issuers).not.toContain(first.issuer.commonName);
  });
});

describe('a given authority', () => {
  test('authenticates users only where it is trusted, and none is generated beside it', async () => {
    const now = 1_700_000_000_000;
    const authority = await CertificateAuthority.create({
      commonName: 'given',
      notBefore: now - DAY_MS,
      notAfter: now + 1000 * DAY_MS,
    });
    const certificates = {
      authority: { certificatePem: authority.certificatePem, keyPem: await authority.privateKeyPem() },
    };
    const storage = keptOpenStorage(new ManualClock());
    await using w = start({ storage, certificates });
    const alice = await issued(w, 'alice');
    expect(await userOfCertificate(w.server, alice)).toBe(NOBODY);
    expect(await kept(storage)).toBeUndefined();
    await using trusting = start({
      storage,
      certificates,
      authentication: { clientCertificates: { certificateAuthorities: authority.certificatePem } },
    });
    expect(await userOfCertificate(trusting.server, alice)).toEqual(ALICE);
  });

  test('replaces a generated one, whose certificates are no longer trusted', async () => {
    const storage = keptOpenStorage(new ManualClock());
    await using made = start({ storage });
    const alice = await issued(made, 'alice');
    await using w = start({ storage, certificates: { authority: 'none' } });
    expect(await userOfCertificate(w.server, alice)).toBe(NOBODY);
    // A single signer that has it is enough.
    await using some = start({ storage, certificates: { authority: 'none', signers: { nodeAgentServing: 'made' } } });
    expect(await userOfCertificate(some.server, alice)).toEqual(ALICE);
  });
});

describe('while the storage fails', () => {
  test('a request waits, and is signed afterwards', async () => {
    const errors: unknown[] = [];
    const storage = keptOpenStorage(new ManualClock());
    await using w = start({
      storage,
      observability: {
        logger: { info: () => undefined, error: (_text, fields) => void errors.push(fields?.['error']) },
      },
    });
    await w.server.ready();
    const get = storage.get.bind(storage);
    const spy = vi
      .spyOn(storage, 'get')
      .mockImplementation((key) => (key === KEY ? Promise.reject(new Error('down')) : get(key)));
    await askApproved(w.client, 'a', { signerName: w.server.dialect.signers.apiServerClient });
    await w.server.settled();
    expect([chainOf(await requestsOf(w.client).get('a')), errors]).toEqual([undefined, [new Error('down')]]);
    spy.mockRestore();
    w.clock.advance(200);
    await w.server.settled();
    expect(chainOf(await requestsOf(w.client).get('a'))).toHaveLength(1);
  });
});
