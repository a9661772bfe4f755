import { describe, expect, test } from 'vitest';
import { Secret, ServiceAccount } from '../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask, jsonOf } from '../server/ask.js';

const PEM = '-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n';

const start = (authority: string | undefined = PEM): Promise<TestServer> =>
  startTestServer({ dialect: 'kubernetes', certificates: { rootAuthority: () => authority } });

const kit = ({ client }: TestServer) => ({
  secrets: client.resource(Secret).namespace('default'),
  accounts: client.resource(ServiceAccount).namespace('default'),
});

const tokenSecret = (name: string, account: string, uid?: string) => ({
  metadata: {
    name,
    annotations: {
      'kubernetes.io/service-account.name': account,
      ...(uid === undefined ? {} : { 'kubernetes.io/service-account.uid': uid }),
    },
  },
  type: 'kubernetes.io/service-account-token',
});

const namesOf = async (listing: Promise<{ items: { metadata: { name?: string | undefined } }[] }>): Promise<string[]> =>
  (await listing).items.map(({ metadata }) => metadata.name ?? '');

describe('a Secret for a service account token', () => {
  test('gets a token that authenticates its account, the namespace and the certificate authority', async () => {
    await using test = await start();
    const { secrets, accounts } = kit(test);
    const account = await accounts.create({ metadata: { name: 'robot' } });
    await secrets.create(tokenSecret('robot-token', 'robot'));
    await test.settled();
    const { data = {}, metadata } = await secrets.get('robot-token');
    expect({ ca: atob(data['ca.crt'] ?? ''), namespace: atob(data['namespace'] ?? '') }).toEqual({
      ca: PEM,
      namespace: 'default',
    });
    expect(metadata.annotations).toEqual({
      'kubernetes.io/service-account.name': 'robot',
      'kubernetes.io/service-account.uid': account.metadata.uid,
    });
    const review = await ask(test.server, 'POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      token: atob(data['token'] ?? ''),
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
    });
    expect(jsonOf(review)).toMatchObject({
      status: { userInfo: { username: 'system:serviceaccount:default:robot', uid: account.metadata.uid } },
    });
  });

  test('keeps its token when another entry is missing', async () => {
    await using test = await start();
    const { secrets } = kit(test);
    await secrets.create(tokenSecret('token', 'default'));
    await test.settled();
    const filled = await secrets.get('token');
    await secrets.update({ ...filled, data: { token: filled.data?.['token'] ?? '' } });
    await test.settled();
    expect((await secrets.get('token')).data).toEqual(filled.data);
  });

  test('has no certificate authority when the server has none', async () => {
    await using test = await startTestServer({ dialect: 'kubernetes' });
    const { secrets } = kit(test);
    await secrets.create(tokenSecret('token', 'default'));
    await test.settled();
    expect(Object.keys((await secrets.get('token')).data ?? {}).sort()).toEqual(['namespace', 'token']);
  });

  test.each([
    ['that does not exist', tokenSecret('token', 'nobody')],
    ['with another uid', tokenSecret('token', 'default', 'other')],
  ])('is deleted when it names an account %s', async (_, manifest) => {
    await using test = await start();
    const { secrets } = kit(test);
    await secrets.create(manifest);
    await test.settled();
    expect(await namesOf(secrets.list())).toEqual([]);
  });

  test('is deleted with its account; other Secrets stay', async () => {
    await using test = await start();
    const { secrets, accounts } = kit(test);
    await accounts.create({ metadata: { name: 'robot' } });
    for (const name of ['a', 'b']) await secrets.create(tokenSecret(name, 'robot'));
    await secrets.create(tokenSecret('c', 'default'));
    await secrets.create({ metadata: { name: 'd' } });
    await test.settled();
    await accounts.delete('robot');
    await test.settled();
    expect(await namesOf(secrets.list())).toEqual(['c', 'd']);
  });

  test('that is deleted leaves the list of its account', async () => {
    await using test = await start();
    const { secrets, accounts } = kit(test);
    await accounts.create({ metadata: { name: 'robot' }, secrets: [{ name: 'a' }, { name: 'b' }] });
    for (const name of ['a', 'b']) await secrets.create(tokenSecret(name, 'robot'));
    await test.settled();
    await secrets.delete('a');
    await test.settled();
    expect((await accounts.get('robot')).secrets).toEqual([{ name: 'b' }]);
  });
});
