/** The flags of service account tokens. */
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  importSPKI,
  jwtVerify,
  SignJWT,
  importPKCS8,
  type JSONWebKeySet,
} from 'jose';
import { describe, expect, it } from 'vitest';
import { seededEntropy } from '../../src/entries/testing.js';
import { createServingCertificate } from '../../src/transport/node/index.js';
import { issue, signings } from '../security/pki/support/issue.js';
import { http1Fetch } from '../transport/support/node-fetch.js';
import { createFakeHost } from './fake-host.js';
import { asOwner, plain, ServingTests, stop, userOfToken, type Serving } from './serving.js';

const tests = new ServingTests();
const HOUR = 3600;

/** A key pair, PEM. */
function keyPair(type: 'rsa' | 'ec' = 'ec'): { readonly secret: string; readonly open: string } {
  const { privateKey, publicKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    secret: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    open: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

/** Creates an account; without controllers there is none. */
const makeAccount = (server: Serving, name = 'robot') =>
  asOwner(server, 'POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name } });

interface TokenAnswer {
  readonly token: string;
  readonly expirationTimestamp: string;
}

/** Requests a token for the account `robot`. */
async function makeToken(server: Serving, spec: object = {}, name = 'robot'): Promise<TokenAnswer> {
  const answer = await asOwner<{ status: TokenAnswer }>(
    server,
    'POST',
    `/api/v1/namespaces/default/serviceaccounts/${name}/token`,
    { spec },
  );
  return answer.status;
}

const document = <Type>(server: Serving, path: string) => asOwner<Type>(server, 'GET', path);
const keySet = (server: Serving) => document<JSONWebKeySet>(server, '/openid/v1/jwks');
const kidsOf = ({ keys }: JSONWebKeySet) => keys.map(({ kid }) => kid);
const ROBOT = 'system:serviceaccount:default:robot';
const nameOf = async (server: Serving, token: string) => {
  const user = await userOfToken(server.http, token);
  return typeof user === 'number' ? user : user.username;
};

/** A server that gives the same uids to the same requests as any other of these. */
const twin = (): ReturnType<typeof createFakeHost> => createFakeHost({ entropy: seededEntropy('twins') });

describe('keys', () => {
  it('--service-account-key-file verifies the tokens of another server, --service-account-issuer names their issuer', async () => {
    const [first, second] = [keyPair('rsa'), keyPair('ec')];
    const issuing = [
      `--service-account-signing-key-file=${await tests.file('first.key', first.secret)}`,
      '--service-account-issuer=https://first.example',
    ];
    const one = await tests.start([...plain, '--controllers=', ...issuing], twin());
    await makeAccount(one);
    const { token } = await makeToken(one);
    expect(decodeProtectedHeader(token)['alg']).toBe('RS256');
    expect(decodeJwt(token)).toMatchObject({ iss: 'https://first.example', aud: ['https://first.example'] });
    expect(await nameOf(one, token)).toBe(ROBOT);

    const checking = [
      `--service-account-signing-key-file=${await tests.file('second.key', second.secret)}`,
      '--service-account-issuer=https://second.example',
    ];
    const openFile = await tests.file('first.pub', first.open);
    const verdict = async (more: readonly string[]): Promise<string | number> => {
      const two = await tests.start([...plain, '--controllers=', ...checking, ...more], twin());
      await makeAccount(two);
      expect(await nameOf(two, (await makeToken(two)).token)).toBe(ROBOT);
      return nameOf(two, token);
    };
    const audience = '--api-audiences=https://second.example,https://first.example';
    expect(
      await verdict([
        '--service-account-issuer=https://first.example',
        `--service-account-key-file=${openFile}`,
        audience,
      ]),
    ).toBe(ROBOT);
    expect(await verdict(['--service-account-issuer=https://first.example', audience])).toBe(401);
    expect(await verdict([`--service-account-key-file=${openFile}`, audience])).toBe(401);
    expect(
      await verdict([
        '--service-account-issuer=https://first.example',
        `--service-account-key-file=${openFile}`,
        '--api-audiences=https://second.example',
      ]),
    ).toBe(401);
  });

  it('all of them are published, and verify the tokens for others', async () => {
    const [signing, old, older] = [keyPair(), keyPair('rsa'), keyPair()];
    const server = await tests.start([
      ...plain,
      '--service-account-issuer=https://api.example',
      `--service-account-signing-key-file=${await tests.file('now.key', signing.secret)}`,
      `--service-account-key-file=${await tests.file('old.pem', old.open + older.secret)}`,
      '--service-account-jwks-uri=https://keys.example/jwks',
    ]);
    await makeAccount(server);
    const keys = await keySet(server);
    expect(keys.keys).toHaveLength(3);
    expect(await document(server, '/.well-known/openid-configuration')).toMatchObject({
      issuer: 'https://api.example',
      jwks_uri: 'https://keys.example/jwks',
      id_token_signing_alg_values_supported: ['ES256', 'RS256'],
    });
    const { token } = await makeToken(server, { audiences: ['somebody'] });
    const checked = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer: 'https://api.example',
      audience: 'somebody',
      currentDate: new Date(server.host.clock.now()),
    });
    expect(checked.payload.sub).toBe(ROBOT);
  });

  it('without any, the key of the serving certificate signs and verifies', async () => {
    const { certPem, keyPem } = await createServingCertificate();
    const tls = [
      `--tls-cert-file=${await tests.file('tls.crt', certPem)}`,
      `--tls-private-key-file=${await tests.file('tls.key', keyPem)}`,
    ];
    const server = await tests.start([...plain, ...tls]);
    await makeAccount(server);
    const { token } = await makeToken(server);
    const tlsKey = new X509Certificate(certPem).publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const { payload } = await jwtVerify(token, await importSPKI(tlsKey, 'ES256'), {
      currentDate: new Date(server.host.clock.now()),
    });
    expect(payload.iss).toBe('https://orch.default.svc.cluster.local');
    expect(kidsOf(await keySet(server))).toEqual([decodeProtectedHeader(token).kid]);

    const own = keyPair();
    const other = await tests.start([
      ...plain,
      ...tls,
      `--service-account-key-file=${await tests.file('own.pub', own.open)}`,
    ]);
    await makeAccount(other);
    const made = (await makeToken(other)).token;
    await expect(jwtVerify(made, await importSPKI(tlsKey, 'ES256'))).rejects.toThrow('signature verification failed');
    expect(kidsOf(await keySet(other))).toHaveLength(2);
    expect(kidsOf(await keySet(other))).not.toContain(decodeProtectedHeader(token).kid);
  });

  it('a generated key is exchanged when it has signed for --service-account-signing-key-lifetime', async () => {
    const words = [...plain, `--data-dir=${tests.directory}/data`];
    const before = await tests.start(words);
    const [first] = kidsOf(await keySet(before));
    await stop(before);
    const host = createFakeHost({ startMs: before.host.clock.now() + 2 * 24 * HOUR * 1000 });
    const after = await tests.start([...words, '--service-account-signing-key-lifetime=24h'], host);
    expect(kidsOf(await keySet(after))).toEqual([first, expect.any(String)]);
  });

  it('a serving key is not exchanged, which is said', async () => {
    const { certPem, keyPem } = await createServingCertificate();
    const words = [
      ...plain,
      '--service-account-signing-key-lifetime=24h',
      `--tls-cert-file=${await tests.file('tls.crt', certPem)}`,
      `--tls-private-key-file=${await tests.file('tls.key', keyPem)}`,
    ];
    await expect(tests.start(words)).rejects.toThrow('so that it only verifies');
  });

  it('a serving key that cannot sign is not used', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { pem } = issue({ subject: 'server', key: { privateKey, publicKey }, signing: signings.ed25519 });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const server = await tests.start([
      ...plain,
      `--tls-cert-file=${await tests.file('tls.crt', pem)}`,
      `--tls-private-key-file=${await tests.file('tls.key', key)}`,
    ]);
    expect(server.host.log()[0]).toMatchObject({
      message: 'the key of --tls-private-key-file cannot sign service account tokens; the server generates one',
      reason: expect.stringContaining('data does not contain a valid RSA or ECDSA private key') as string,
    });
    await makeAccount(server);
    expect(await nameOf(server, (await makeToken(server)).token)).toBe(ROBOT);
  });
});

describe('tokens', () => {
  const lifetime = (server: Serving, { expirationTimestamp }: TokenAnswer): number =>
    (Date.parse(expirationTimestamp) - server.host.clock.now()) / 1000;

  it('last at most as long as --service-account-max-token-expiration', async () => {
    const server = await tests.start([...plain, '--service-account-max-token-expiration=1h30m']);
    await makeAccount(server);
    expect(lifetime(server, await makeToken(server, { expirationSeconds: 24 * HOUR }))).toBe(1.5 * HOUR);
    expect(lifetime(server, await makeToken(server, { expirationSeconds: HOUR }))).toBe(HOUR);
  });

  it.each([
    [[], 365 * 24 * HOUR],
    [['--service-account-extend-token-expiration=false'], 3607],
  ])('of pods last a year, unless disabled: %j', async (words, seconds) => {
    const server = await tests.start([...plain, ...words]);
    await makeAccount(server);
    await asOwner(server, 'POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'web' },
      spec: { serviceAccountName: 'robot', containers: [{ name: 'main', image: 'nginx' }] },
    });
    const { token } = await makeToken(server, {
      expirationSeconds: 3607,
      boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'web' },
    });
    const { exp = 0, iat = 0 } = decodeJwt(token);
    expect(exp - iat).toBe(seconds);
  });

  it.each([
    [[], 401],
    [['--service-account-lookup=false'], ROBOT],
  ])('stored in a Secret become invalid with it, unless the lookup is disabled: %j', async (words, expected) => {
    const key = keyPair();
    const server = await tests.start([
      ...plain,
      `--service-account-key-file=${await tests.file('legacy.pub', key.open)}`,
      ...words,
    ]);
    const claims = {
      'orch.io/serviceaccount/namespace': 'default',
      'orch.io/serviceaccount/secret.name': 'gone',
      'orch.io/serviceaccount/service-account.name': 'robot',
      'orch.io/serviceaccount/service-account.uid': 'gone',
      sub: ROBOT,
      iss: 'orch/serviceaccount',
    };
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256' })
      .sign(await importPKCS8(key.secret, 'ES256'));
    expect(await nameOf(server, token)).toBe(expected);
  });

  it('have the audiences of --api-audiences', async () => {
    const server = await tests.start([...plain, '--api-audiences=api,https://api.example']);
    await makeAccount(server);
    const { token } = await makeToken(server);
    expect(decodeJwt(token).aud).toEqual(['api', 'https://api.example']);
    expect(await nameOf(server, token)).toBe(ROBOT);
    expect(
      await nameOf(server, (await makeToken(server, { audiences: ['https://orch.default.svc.cluster.local'] })).token),
    ).toBe(401);
  });
});

describe('--controllers', () => {
  interface Event {
    readonly type: string;
    readonly object: { readonly metadata: { readonly name: string; readonly namespace?: string } };
  }

  /**
   * Resolves when a watch delivers a matching event: a watch from a version on, or one that begins with existing
   * objects.
   */
  async function seen(
    server: Serving,
    list: string,
    wanted: (event: Event) => boolean,
    resourceVersion = '',
  ): Promise<void> {
    const send = http1Fetch();
    try {
      const answer = await send(`${server.http}${list}?watch=1&resourceVersion=${resourceVersion}`, {
        headers: server.authorization,
      });
      let text = '';
      for await (const chunk of answer.body ?? []) {
        const lines = (text + new TextDecoder().decode(chunk as Uint8Array)).split('\n');
        text = lines.pop() ?? '';
        if (lines.some((line) => wanted(JSON.parse(line) as Event))) return;
      }
    } finally {
      send.close();
    }
    throw new Error('the watch has ended');
  }

  const expiring = (expiration: string) => ({
    metadata: { name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.orch.io/token',
    stringData: {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': 'system:bootstrappers:nodes',
      expiration,
    },
  });
  const SECRETS = '/api/v1/namespaces/orch-system/secrets';

  it('runs additionally named controllers, and not excluded ones', async () => {
    const server = await tests.start([
      '--secure-port=auto',
      '--enable-bootstrap-token-auth',
      '--controllers=*,tokencleaner',
      '--controllers=-serviceaccount',
    ]);
    const { metadata } = await asOwner<{ metadata: { resourceVersion: string } }>(
      server,
      'POST',
      SECRETS,
      expiring(new Date(server.host.clock.now() + 60_000).toISOString()),
    );
    expect(await userOfToken(server.http, 'abcdef.0123456789abcdef')).toEqual({
      username: 'system:bootstrap:abcdef',
      groups: ['system:bootstrappers', 'system:bootstrappers:nodes', 'system:authenticated'],
    });
    expect(await userOfToken(server.http, 'abcdef.0123456789abcdee')).toBe(401);
    await server.host.clock.advance(60_000);
    await seen(server, SECRETS, ({ type }) => type === 'DELETED', metadata.resourceVersion);
    expect(await userOfToken(server.http, 'abcdef.0123456789abcdef')).toBe(401);
    for (const name of ['one', 'two']) {
      await asOwner(server, 'POST', '/api/v1/namespaces', { metadata: { name } });
      await seen(server, '/api/v1/configmaps', ({ object }) => object.metadata.namespace === name);
    }
    expect((await asOwner<{ items: object[] }>(server, 'GET', '/api/v1/serviceaccounts')).items).toEqual([]);
  });

  it('by default runs the default controllers, and accepts no bootstrap tokens', async () => {
    const server = await tests.start(['--secure-port=auto']);
    await asOwner(server, 'POST', SECRETS, expiring('2999-01-01T00:00:00Z'));
    expect(await userOfToken(server.http, 'abcdef.0123456789abcdef')).toBe(401);
    await seen(server, '/api/v1/serviceaccounts', ({ object }) => object.metadata.namespace === 'default');
  });
});
