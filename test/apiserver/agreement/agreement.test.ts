import { afterEach, beforeEach, expect, test } from 'vitest';
import { createManualClock, type ManualClock } from '../../../src/entries/testing.js';
import { decorateStorage, type Storage } from '../../../src/entries/storage.js';
import { ApiServer, type ApiServerOptions } from '../../../src/entries/index.js';
import { CertificateAuthority } from '../../../src/security/pki/index.js';
import { generateSigningKey, exportSigningKey } from '../../../src/security/tokens/index.js';
import { keptOpenStorage } from '../../support/kept-open-storage.js';
import { ask, textOf } from '../../server/ask.js';

let clock: ManualClock;
let storage: Storage;
const open: ApiServer[] = [];
beforeEach(() => {
  clock = createManualClock();
  storage = decorateStorage(keptOpenStorage(clock), { isShared: true });
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

type Options = Omit<ApiServerOptions, 'clock' | 'storage'>;

/** Creates a server on the store, or on one that is given. */
function server(options: Options = {}, on = storage): ApiServer {
  const made = new ApiServer({
    ...options,
    ...{ clock, storage: on },
    controllers: { leaderElection: false },
    observability: { logger: { info: () => undefined, error: () => undefined } },
  });
  open.push(made);
  return made;
}

/** A server that its process loses: it has neither time nor a goodbye from then on. */
function mortal(options: Options = {}): { readonly server: ApiServer; readonly die: () => void } {
  let die = (): void => undefined;
  const made = server({
    ...options,
    interceptor: {
      request: async (_request, next) => void (await next()),
      attach: ({ halt }) => void (die = halt),
    },
  });
  return { server: made, die: () => die() };
}

const members = async (): Promise<number> => (await storage.list('/internal/servers/')).records.length;
const keyPem = async (): Promise<string> => exportSigningKey(await generateSigningKey());
const signing = (signingKey: string, ...verificationKeys: string[]): Options => ({
  authentication: { serviceAccounts: { signingKey, verificationKeys } },
});

const WIDE = { network: { clusterIPRange: '10.1.0.0/16' } };
const DIFFERENT =
  'network.clusterIPRange (--service-cluster-ip-range) is 10.1.0.0/16 here and 10.0.0.0/24 there: use the same values on all servers';

test('a server with another range is refused, and leaves nothing behind', async () => {
  await server().settled();
  const before = await storage.currentRevision();
  await expect(server(WIDE).ready()).rejects.toThrow(DIFFERENT);
  expect(await storage.currentRevision()).toBe(before);
  expect(await members()).toBe(1);
});

test('a refused server answers no request', async () => {
  await server().ready();
  const refused = server(WIDE);
  const response = await ask(refused, 'GET', '/api/v1/namespaces');
  expect(response.status).toBe(500);
});

test('the same range in another form is the same', async () => {
  await server({ network: { nodePortRange: '30000-30100' } }).ready();
  await server({ network: { nodePortRange: '30000+100', clusterIPRange: '10.0.0.0/24' } }).ready();
  expect(await members()).toBe(2);
});

test('of two first servers that start at once, one value wins', async () => {
  const outcomes = await Promise.allSettled([server().ready(), server(WIDE).ready()]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await members()).toBe(1);
});

test('many servers that start at once agree, and each is a member', async () => {
  await Promise.all(Array.from({ length: 8 }, () => server().ready()));
  expect(await members()).toBe(8);
  const record = JSON.parse((await storage.get('/internal/agreement')).record?.text ?? '{}') as { members: object };
  expect(Object.keys(record.members)).toHaveLength(8);
});

test('values stay agreed when all servers have stopped, until one replaces them', async () => {
  const first = server();
  await first.ready();
  await first.close();
  expect(await members()).toBe(0);
  await expect(server(WIDE).ready()).rejects.toThrow(DIFFERENT);
  await server({ ...WIDE, replaceAgreement: true }).ready();
  await expect(server().ready()).rejects.toThrow('is 10.0.0.0/24 here and 10.1.0.0/16 there');
});

test('values are not replaced while another server runs, nor for a minute after it died', async () => {
  const { server: first, die } = mortal();
  await first.ready();
  const replacing = { ...WIDE, replaceAgreement: true };
  await expect(server(replacing).ready()).rejects.toThrow('cannot be replaced while other servers run');
  // It renews its membership as long as it lives.
  await clock.advance(300_000);
  await expect(server(replacing).ready()).rejects.toThrow('cannot be replaced while other servers run');
  die();
  await clock.advance(39_000);
  await expect(server(replacing).ready()).rejects.toThrow('cannot be replaced while other servers run');
  await clock.advance(22_000);
  await server(replacing).ready();
});

test('a server whose signing key the others do not know is refused, as is one that does not know theirs', async () => {
  const [a, b] = [await keyPem(), await keyPem()];
  await server(signing(a)).ready();
  const refusal = server(signing(b)).ready();
  await expect(refusal).rejects.toThrow('this server does not accept service account tokens signed with the key');
  await expect(refusal).rejects.toThrow('another server does not accept service account tokens signed with the key');
  await expect(server(signing(b, a)).ready()).rejects.toThrow(
    'which this server uses: first add it to authentication.serviceAccounts.verificationKeys (--service-account-key-file) of every server',
  );
  await expect(server().ready()).rejects.toThrow('does not accept service account tokens signed with the key');
});

test('signing keys are exchanged one server at a time: the new one is accepted everywhere before it signs', async () => {
  const [a, b] = [await keyPem(), await keyPem()];
  const running = [server(signing(a)), server(signing(a))];
  for (const each of running) await each.ready();
  for (const step of [signing(a, b), signing(b, a), signing(b)])
    for (const index of running.keys()) {
      await running[index]?.close();
      const next = (running[index] = server(step));
      await next.ready();
    }
  expect(await members()).toBe(2);
  await expect(server(signing(a)).ready()).rejects.toThrow('this server does not accept');
});

test('the keys of servers that are gone do not matter', async () => {
  const { server: first, die } = mortal(signing(await keyPem()));
  await first.ready();
  die();
  await clock.advance(61_000);
  await server(signing(await keyPem())).ready();
});

test('issuers differ only where a token of one server would be refused by another', async () => {
  const issuers = (...list: string[]): Options => ({ authentication: { serviceAccounts: { issuers: list } } });
  await server(issuers('https://a', 'https://b')).ready();
  await server(issuers('https://b', 'https://a')).ready();
  await expect(server(issuers('https://c', 'https://a', 'https://b')).ready()).rejects.toThrow(
    'another server does not accept service account tokens of the issuer https://c, which this server uses',
  );
});

test('an authority of client certificates must be trusted by all, and a change of a file counts', async () => {
  const made = await Promise.all(
    ['one', 'two'].map(async (commonName) => {
      const authority = await CertificateAuthority.create({
        commonName,
        notBefore: clock.now() - 1000,
        notAfter: clock.now() + 1e10,
      });
      return { certificatePem: authority.certificatePem, keyPem: await authority.privateKeyPem() };
    }),
  );
  const [one, two] = made;
  if (one === undefined || two === undefined) throw new Error('no authorities');
  let trusted = one.certificatePem;
  const first = server({
    certificates: { authority: one },
    authentication: { clientCertificates: { certificateAuthorities: () => trusted } },
  });
  await first.ready();
  const second: Options = {
    certificates: { authority: two },
    authentication: {
      clientCertificates: { certificateAuthorities: two.certificatePem + one.certificatePem },
    },
  };
  await expect(server(second).ready()).rejects.toThrow(
    'another server does not accept client certificates of the authority with the fingerprint',
  );
  trusted += two.certificatePem;
  await clock.advance(20_000);
  await server(second).ready();

  // The first forgets what the second uses: it says so, and no longer counts as ready.
  trusted = one.certificatePem;
  await clock.advance(20_000);
  expect(textOf(await ask(first, 'GET', '/readyz?verbose', { token: '' }))).toContain(
    '[-]agreement failed: this server differs',
  );
  trusted += two.certificatePem;
  await clock.advance(20_000);
  expect((await ask(first, 'GET', '/readyz', { token: '' })).status).toBe(200);
});

test('a paused server joins again when it goes on, unless others have agreed on something else meanwhile', async () => {
  // The clock of the store runs on, that of the paused server does not.
  const own = createManualClock();
  const paused = new ApiServer({
    ...{ clock: own, storage, controllers: { leaderElection: false } },
    observability: { logger: { info: () => undefined, error: () => undefined } },
  });
  open.push(paused);
  await paused.ready();
  await clock.advance(61_000);
  expect(await members()).toBe(0);
  await own.advance(20_000);
  expect(await members()).toBe(1);
  expect((await ask(paused, 'GET', '/readyz', { token: '' })).status).toBe(200);

  await clock.advance(61_000);
  await server({ ...WIDE, replaceAgreement: true }).ready();
  await own.advance(20_000);
  expect(textOf(await ask(paused, 'GET', '/readyz?verbose', { token: '' }))).toContain(
    '[-]agreement failed: this server differs from the servers that share its store: network.clusterIPRange',
  );
});

test('a storage of one process has no agreement', async () => {
  const alone = keptOpenStorage(clock);
  await server({}, alone).ready();
  expect((await alone.list('/internal/servers/')).records).toEqual([]);
  await server(WIDE, alone).ready();
});
