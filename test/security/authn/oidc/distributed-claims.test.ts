import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JwtAuthenticator } from '../../../../src/security/index.js';
import { forgeKey, serveForged, sign, type ForgedKey } from './support/forge.js';
import { startHost, type Host } from './support/host.js';
import { useSetting } from './support/setting.js';

const setting = useSetting();
let key: ForgedKey;
let otherKey: ForgedKey;
let other: Host;
let authenticator: JwtAuthenticator;
/** The answer of the endpoint for groups. */
let handedOut: string;
let endpointAuthorization: string | undefined;

beforeAll(async () => {
  [key, otherKey] = await Promise.all([forgeKey('one'), forgeKey('two')]);
});

beforeEach(async () => {
  other = await startHost();
  serveForged(other, { keys: [otherKey.jwk] });
  serveForged(setting.host, { keys: [key.jwk] });
  const { handler } = setting.host;
  setting.host.handler = (request, response) => {
    if (request.url?.startsWith('/groups') !== true) return void handler(request, response);
    endpointAuthorization = request.headers.authorization;
    response.end(handedOut);
  };
  authenticator = setting.authenticator({ certificateAuthority: setting.host.caPem + other.caPem, groupsPrefix: 'g:' });
  await authenticator.ready;
});

afterEach(() => other.stop());

const standard = (): Record<string, unknown> => ({
  iss: setting.host.url,
  aud: 'orchestrator',
  exp: setting.clock.now() / 1000 + 60,
});
const pointing = (
  changes: Readonly<Record<string, unknown>> = {},
  source: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  ...standard(),
  sub: 'jane',
  _claim_names: { groups: 'src1' },
  _claim_sources: { src1: { endpoint: `${setting.host.url}/groups?id=hunter2`, access_token: 'hunter2', ...source } },
  ...changes,
});
const ask = async (claims: unknown): Promise<unknown> => setting.ask(authenticator, await sign(key, claims));
const failure = (words: string): string => `oidc: could not expand distributed claims: ${words}`;

describe('distributed groups', () => {
  test('are fetched with the access token of the claim', async () => {
    handedOut = `${await sign(key, { ...standard(), groups: ['a', 'b'] })}\n`;
    expect(await ask(pointing())).toEqual({ username: `${setting.host.url}#jane`, groups: ['g:a', 'g:b'] });
    expect(endpointAuthorization).toBe('Bearer hunter2');
    expect(await ask(pointing({}, { access_token: undefined }))).toHaveProperty('groups', ['g:a', 'g:b']);
    expect(endpointAuthorization).toBeUndefined();
  });

  test('may be signed by another issuer, which is discovered', async () => {
    handedOut = await sign(otherKey, { ...standard(), iss: other.url, groups: 'c' });
    expect(await ask(pointing())).toHaveProperty('groups', ['g:c']);
    expect(await ask(pointing())).toHaveProperty('groups', ['g:c']);
    expect(other.asked).toEqual(['/.well-known/openid-configuration', '/jwks']);
  });

  test('are not fetched if the token contains groups', async () => {
    expect(await ask(pointing({ groups: ['here'] }))).toHaveProperty('groups', ['g:here']);
    expect(setting.host.asked).not.toContain('/groups');
  });

  test('are empty if the token names no source, or has them aggregated', async () => {
    expect(await ask(pointing({ _claim_names: undefined }))).toHaveProperty('groups', []);
    expect(await ask(pointing({ _claim_names: { address: 'src1' } }))).toHaveProperty('groups', []);
    expect(await ask(pointing({ _claim_sources: { src1: { JWT: 'x' } } }))).toHaveProperty('groups', []);
  });
});

describe('rejected distributed claims', () => {
  test.each<[string, Record<string, unknown>, string]>([
    [
      'names that are no object',
      { _claim_names: 'groups' },
      'oidc: error parsing distributed claim names: not an object',
    ],
    [
      'a name that is no string',
      { _claim_names: { groups: 1 } },
      'oidc: error parsing distributed claim names: a name is not a string',
    ],
    ['no sources', { _claim_sources: undefined }, 'oidc: no claim sources'],
    ['sources that are no object', { _claim_sources: [] }, 'oidc: could not parse claim sources: not an object'],
    [
      'a missing source',
      { _claim_sources: {} },
      'id token _claim_names contained a source src1 missing in _claims_sources',
    ],
    [
      'a source from the prototype',
      { _claim_names: { groups: 'constructor' } },
      'id token _claim_names contained a source constructor missing in _claims_sources',
    ],
  ])('%s', async (_, changes, message) => {
    expect(await ask(pointing(changes))).toBe(failure(message));
  });

  test.each<[string, () => Promise<string>, RegExp]>([
    [
      'no token',
      async () => 'hello',
      /^getting untrusted issuer from endpoint https:\/\/127\.0\.0\.1:\d+\/groups failed for claim "groups": malformed token$/,
    ],
    [
      'a token that has expired',
      () => sign(key, { ...standard(), exp: 1, groups: ['a'] }),
      /^verify distributed claim token: oidc: token is expired/,
    ],
    [
      'a token for another client',
      () => sign(key, { ...standard(), aud: 'x', groups: ['a'] }),
      /^verify distributed claim token: oidc: expected audience/,
    ],
    [
      'a token signed by another key',
      () => sign(otherKey, { ...standard(), groups: ['a'] }, { kid: 'one' }),
      /^verify distributed claim token: failed to verify signature: failed to verify id token signature$/,
    ],
    [
      'a token without the claim',
      () => sign(key, standard()),
      /^jwt returned by distributed claim endpoint "https:\/\/127\.0\.0\.1:\d+\/groups" did not contain claim: groups$/,
    ],
    [
      'a token of an issuer that is not a URL',
      () => sign(key, { ...standard(), iss: 'me', groups: ['a'] }),
      /^verifying untrusted issuer me failed: the issuer is not an https URL$/,
    ],
    [
      'a token of an unreachable issuer',
      () => sign(key, { ...standard(), iss: 'https://127.0.0.1:1', groups: ['a'] }),
      /^verifying untrusted issuer https:\/\/127\.0\.0\.1:1 failed: verifier not initialized for issuer: "https:\/\/127\.0\.0\.1:1"$/,
    ],
  ])('an endpoint that returns %s', async (_, make, message) => {
    handedOut = await make();
    const said = String(await ask(pointing()));
    expect(said.slice(failure('').length)).toMatch(message);
    expect(said + setting.log.lines.join()).not.toContain('hunter2');
  });

  test.each([
    ['over http', 'http://127.0.0.1:1/groups', 'is not an https URL'],
    ['with a file URL', 'file:///etc/passwd', 'is not an https URL'],
    ['with a password', 'https://user:pass@127.0.0.1:1/', 'is not an https URL'],
    ['that is unreachable', undefined, ': the answer is 404'],
  ])('an endpoint %s', async (_, endpoint, message) => {
    const said = String(await ask(pointing({}, { endpoint: endpoint ?? `${setting.host.url}/nothing` })));
    expect(said).toMatch(/^oidc: could not expand distributed claims: while getting distributed claim "groups": /);
    expect(said).toContain(message);
  });

  test('too many issuers', async () => {
    const bounded = setting.authenticator(
      { certificateAuthority: setting.host.caPem + other.caPem },
      { limits: { maxClaimIssuers: 1 } },
    );
    await bounded.ready;
    handedOut = await sign(otherKey, { ...standard(), iss: other.url, groups: 'c' });
    expect(await setting.ask(bounded, await sign(key, pointing()))).toHaveProperty('groups', ['c']);
    handedOut = await sign(otherKey, { ...standard(), iss: `${other.url}/second`, groups: 'c' });
    expect(await setting.ask(bounded, await sign(key, pointing()))).toBe(
      failure(
        `verifying untrusted issuer ${other.url}/second failed: there are more than 1 issuers of distributed claims`,
      ),
    );
  });
});
