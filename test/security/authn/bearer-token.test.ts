import { describe, expect, it } from 'vitest';
import {
  bearerTokenAuthenticator,
  webSocketBearerAuthenticator,
  type AuthResult,
  type TokenAuthenticator,
} from '../../../src/security/index.js';
import { parseBearerToken } from '../../../src/security/authn/bearer-token.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { request } from './request.js';

const tokens: TokenAuthenticator = (token) =>
  token === 'good' ? { user: { username: 'alice', groups: [] } } : undefined;
const outcome = (result: AuthResult): string =>
  result === undefined ? 'nobody' : 'error' in result ? result.error.message : result.user.username;

describe('parseBearerToken', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER abc', 'abc'],
    ['  Bearer abc  ', 'abc'],
    ['Bearer abc def', 'abc'],
    ['Bearer\tabc', undefined],
    ['Basic abc', undefined],
    ['Bearerabc', undefined],
    ['Bearer  abc', undefined],
  ])('%j', (header, expected) => {
    expect(parseBearerToken(header).token).toBe(expected);
  });
});

describe('bearerTokenAuthenticator', () => {
  it.each([
    [{ authorization: 'Bearer good' }, 'alice'],
    [{ authorization: 'Bearer bad' }, 'invalid bearer token'],
    [{ authorization: ['Bearer good', 'Bearer bad'] }, 'alice'],
    [{ authorization: 'Basic good' }, 'nobody'],
    [{}, 'nobody'],
  ])('%j', async (headers, expected) => {
    expect(outcome(await bearerTokenAuthenticator(tokens)(request(headers)))).toBe(expected);
    expect(
      outcome(
        await bearerTokenAuthenticator((token) => Promise.resolve(tokens(token, new AbortController())))(
          request(headers),
        ),
      ),
    ).toBe(expected);
  });

  it('warns of a superfluous space', async () => {
    const warnings: string[] = [];
    expect(
      await bearerTokenAuthenticator(tokens)(
        request({ authorization: 'Bearer  good' }, '/', (text) => warnings.push(text)),
      ),
    ).toBeUndefined();
    expect(warnings).toEqual([
      'the provided Authorization header contains extra space before the bearer token, and is ignored',
    ]);
  });

  it('keeps the reason of the token authenticator', async () => {
    expect(
      outcome(
        await bearerTokenAuthenticator(() => ({ error: new Error('expired') }))(request({ authorization: 'Bearer x' })),
      ),
    ).toBe('expired');
  });
});

describe('webSocketBearerAuthenticator', () => {
  const good = 'base64url.bearer.authorization.k8s.io.Z29vZA';
  const upgrade = { upgrade: 'WebSocket', connection: 'keep-alive, Upgrade' };
  it.each([
    [{ ...upgrade, 'sec-websocket-protocol': `${good}, other` }, 'alice'],
    [{ ...upgrade, 'sec-websocket-protocol': ['other', good] }, 'alice'],
    [{ ...upgrade, 'sec-websocket-protocol': good }, 'missing additional subprotocol'],
    [
      { ...upgrade, 'sec-websocket-protocol': `${good},${good},other` },
      'multiple base64.bearer.authorization tokens specified',
    ],
    [
      { ...upgrade, 'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io.Z29vZA==, other' },
      'invalid base64.bearer.authorization token encoding',
    ],
    [
      { ...upgrade, 'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io._w, other' },
      'invalid base64.bearer.authorization token',
    ],
    [
      { ...upgrade, 'sec-websocket-protocol': 'base64url.bearer.authorization.k8s.io.YmFk, other' },
      'invalid bearer token',
    ],
    [{ ...upgrade, 'sec-websocket-protocol': 'other' }, 'nobody'],
    [{ 'sec-websocket-protocol': `${good}, other` }, 'nobody'],
    [{ upgrade: 'websocket', connection: 'close', 'sec-websocket-protocol': `${good}, other` }, 'nobody'],
  ])('%j', async (headers, expected) => {
    expect(outcome(await webSocketBearerAuthenticator(tokens, kubernetes)(request(headers)))).toBe(expected);
  });
});
