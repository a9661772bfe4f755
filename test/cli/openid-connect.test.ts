/** The `--oidc-*` flags and `--authentication-config`, against providers over https. */
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeYaml } from '../../src/server/codec/index.js';
import type { JsonObject, UserInfo } from '../../src/foundation/index.js';
import { forgeKey, serveForged, sign, type ForgedKey } from '../security/authn/oidc/support/forge.js';
import { startHost, type Host } from '../security/authn/oidc/support/host.js';
import { asOwner, plain, ServingTests, today, whoami, userOfToken, type Serving } from './serving.js';

const tests = new ServingTests();
let host: Host;
let other: Host;
let key: ForgedKey;

beforeEach(async () => {
  [host, other, key] = [await startHost(), await startHost(), await forgeKey('one')];
  for (const provider of [host, other]) serveForged(provider, { keys: [key.jwk] });
});
afterEach(() => Promise.all([host.stop(), other.stop()]));

/** An ID token of a provider. */
function idToken(issuer: Host, claims: JsonObject = {}): Promise<string> {
  const seconds = Math.floor(Date.now() / 1000);
  return sign(key, { iss: issuer.url, aud: 'orchestrator', sub: 'jane', exp: seconds + 3600, iat: seconds, ...claims });
}

/** The user of a token, once the server has found its provider: before that the token is rejected. */
async function found(server: Serving, token: string): Promise<UserInfo | number> {
  await server.host.logged('OpenID provider discovered');
  return userOfToken(server.http, token);
}

/** The name of the user of a token. */
const nameOf = async (server: Serving, token: string): Promise<string | number> => {
  const user = await userOfToken(server.http, token);
  return typeof user === 'number' ? user : user.username;
};

describe('--oidc-*', () => {
  const flags = async (): Promise<string[]> => [
    `--oidc-issuer-url=${host.url}`,
    '--oidc-client-id=orchestrator',
    `--oidc-ca-file=${await tests.file('provider.crt', host.caPem)}`,
  ];

  it('accepts the tokens of the provider', async () => {
    const server = await tests.start([...plain, ...(await flags())], today());
    expect(await found(server, await idToken(host, { groups: ['a'] }))).toEqual({
      username: `${host.url}#jane`,
      groups: ['system:authenticated'],
    });
    expect(await userOfToken(server.http, await idToken(host, { aud: 'somebody' }))).toBe(401);
    expect(await userOfToken(server.http, await idToken(other))).toBe(401);
  });

  it('maps users and groups as configured, and accepts tokens with the required claims', async () => {
    const names = [
      '--oidc-username-claim=email',
      '--oidc-username-prefix=oidc:',
      '--oidc-groups-claim=roles',
      '--oidc-groups-prefix=role:',
    ];
    const claims = ['--oidc-required-claim=team=a,b', '--oidc-required-claim=hd=example.org'];
    const server = await tests.start([...plain, ...(await flags()), ...names, ...claims], today());
    const jane = { email: 'jane@example.org', roles: ['dev'], team: 'a,b', hd: 'example.org' };
    expect(await found(server, await idToken(host, jane))).toEqual({
      username: 'oidc:jane@example.org',
      groups: ['role:dev', 'system:authenticated'],
    });
    expect(await userOfToken(server.http, await idToken(host, { ...jane, team: 'a' }))).toBe(401);
    expect(await userOfToken(server.http, await idToken(host, { ...jane, hd: 'example.com' }))).toBe(401);
  });

  it('accepts only signatures with --oidc-signing-algs', async () => {
    key = await forgeKey('two', 'ES256');
    serveForged(host, { keys: [key.jwk] });
    const rsaOnly = await tests.start([...plain, ...(await flags())], today());
    expect(await found(rsaOnly, await idToken(host))).toBe(401);
    expect((await rsaOnly.host.logged('unable to authenticate the request'))['reason']).toBe(
      'oidc: verify token: oidc: id token signed with unsupported algorithm, expected ["RS256"] got "ES256"',
    );
    const server = await tests.start(
      [...plain, ...(await flags()), '--oidc-signing-algs=RS256', '--oidc-signing-algs=ES256'],
      today(),
    );
    expect(await found(server, await idToken(host))).toMatchObject({ username: `${host.url}#jane` });
  });
});

describe('--authentication-config', () => {
  const authenticator = ({ url, caPem }: Host, prefix: string): JsonObject => ({
    issuer: { url, audiences: ['orchestrator'], certificateAuthority: caPem },
    claimMappings: { username: { expression: `"${prefix}" + claims.sub` } },
  });
  const configuration = (jwt: readonly JsonObject[], more: JsonObject = {}): string =>
    encodeYaml({ apiVersion: 'apiserver.config.orch.io/v1beta1', kind: 'AuthenticationConfiguration', jwt, ...more });

  it('is reloaded when it is rewritten or replaced; an invalid file changes nothing', async () => {
    const file = await tests.file('authentication.yaml', configuration([authenticator(host, 'one:')]));
    const server = await tests.start([...plain, `--authentication-config=${file}`], today());
    const [ofFirst, ofSecond] = [await idToken(host), await idToken(other)];
    expect(await found(server, ofFirst)).toMatchObject({ username: 'one:jane' });
    expect(await userOfToken(server.http, ofSecond)).toBe(401);

    await writeFile(file, configuration([authenticator(host, 'new:'), authenticator(other, 'two:')]));
    await server.host.logged('reloaded authentication config');
    expect([await nameOf(server, ofFirst), await nameOf(server, ofSecond)]).toEqual(['new:jane', 'two:jane']);
    const metrics = await (await fetch(`${server.http}/metrics`, { headers: server.authorization })).text();
    expect(metrics).toMatch(
      /^apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds\{apiserver_id_hash="sha256:[^"]+",status="success"\} \d/m,
    );

    await tests.replace(
      file,
      configuration([{ ...authenticator(host, 'bad:'), claimMappings: { username: { expression: 'claims.' } } }]),
    );
    await server.host.logged('failed to validate authentication config');
    expect(await nameOf(server, ofSecond)).toBe('two:jane');

    await tests.replace(file, configuration([authenticator(other, 'two:')]));
    await server.host.logged('reloaded authentication config', 2);
    expect([await nameOf(server, ofFirst), await nameOf(server, ofSecond)]).toEqual([401, 'two:jane']);
  });

  it('limits anonymous requests to the given paths', async () => {
    const file = await tests.file(
      'authentication.yaml',
      configuration([], { anonymous: { enabled: true, conditions: [{ path: '/livez' }] } }),
    );
    const server = await tests.start([
      ...plain,
      '--feature-gates=AnonymousAuthConfigurableEndpoints=true',
      `--authentication-config=${file}`,
    ]);
    expect((await fetch(`${server.http}/livez`)).status).toBe(200);
    expect((await fetch(`${server.http}/readyz`)).status).toBe(401);
    expect(await whoami(server.http)).toBe(401);
    await asOwner(server, 'GET', '/version');
  });

  it.each<[string, string, readonly string[], string | RegExp]>([
    ['no YAML', '{', [], /^--authentication-config: /],
    ['empty', '', [], '--authentication-config: empty config data'],
    ['of another kind', 'kind: Other\napiversion: v1\n', [], /^--authentication-config: /],
    [
      'without a user name mapping',
      configuration([{ issuer: { url: 'https://issuer.example', audiences: ['a'] }, claimMappings: { username: {} } }]),
      [],
      /^--authentication-config: jwt\[0\]\.claimMappings\.username: Required value: claim or expression is required/,
    ],
    [
      'for the issuer of service account tokens',
      configuration([
        {
          issuer: { url: 'https://issuer.example', audiences: ['a'] },
          claimMappings: { username: { claim: 'sub', prefix: '' } },
        },
      ]),
      ['--service-account-issuer=https://issuer.example'],
      '--authentication-config: jwt[0].issuer.url: Invalid value: "https://issuer.example": URL must not overlap with disallowed issuers: [https://issuer.example]',
    ],
    [
      'with anonymous settings without the feature gate',
      configuration([], { anonymous: { enabled: true } }),
      [],
      /^--authentication-config: anonymous: Forbidden: /,
    ],
    [
      'with anonymous settings beside --anonymous-auth',
      configuration([], { anonymous: { enabled: true } }),
      ['--feature-gates=AnonymousAuthConfigurableEndpoints=true', '--anonymous-auth=true'],
      '--authentication-config: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
    ],
  ])('prevents the start if it is %s', async (_name, content, words, message) => {
    const file = await tests.file('authentication.yaml', content);
    const failure = await tests.start([...plain, `--authentication-config=${file}`, ...words]).then(
      () => '',
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
    const [, line = ''] = /^ended with 2: orch-apiserver: (.*)\n$/.exec(failure) ?? [];
    if (typeof message === 'string') expect(line).toBe(message);
    else expect(line).toMatch(message);
  });
});
