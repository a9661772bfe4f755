import { execFileSync } from 'node:child_process';
import { flattenedVerify, FlattenedSign } from 'jose';
import { describe, expect, test } from 'vitest';
import { checkClusterInfoSignature, signClusterInfo } from '../../../src/security/tokens/cluster-info.js';

const TOKEN = '07401b.f395accd246ae52d';
const KUBECONFIG = 'apiVersion: v1\nkind: Config\nclusters: [] # ünïcode\n';
const key = new TextEncoder().encode(TOKEN);

const encode = (value: string | Buffer): string => Buffer.from(value).toString('base64url');
/** A detached JWS with any header, generated with openssl. */
function sign(header: string, token = TOKEN, content = KUBECONFIG): string {
  const mac = execFileSync(
    'openssl',
    ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${Buffer.from(token).toString('hex')}`, '-binary'],
    { input: `${encode(header)}.${encode(content)}` },
  );
  return `${encode(header)}..${encode(mac)}`;
}
const HEADER = JSON.stringify({ alg: 'HS256', kid: '07401b' });

describe('a signature', () => {
  test('is detached, and names the algorithm and the id of the token', async () => {
    const [header = '', payload, code = ''] = (await signClusterInfo(KUBECONFIG, TOKEN)).split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256', kid: '07401b' });
    expect(payload).toBe('');
    expect(Buffer.from(code, 'base64url')).toHaveLength(32);
  });

  test('equals that of openssl', async () => {
    expect(await signClusterInfo(KUBECONFIG, TOKEN)).toBe(sign(HEADER));
    await expect(checkClusterInfoSignature(sign(HEADER), KUBECONFIG, TOKEN)).resolves.toBeUndefined();
  });

  test('is accepted by jose, and vice versa', async () => {
    const [header = '', , signature = ''] = (await signClusterInfo(KUBECONFIG, TOKEN)).split('.');
    const { protectedHeader } = await flattenedVerify(
      { protected: header, payload: encode(KUBECONFIG), signature },
      key,
      { algorithms: ['HS256'] },
    );
    expect(protectedHeader?.kid).toBe('07401b');
    const jws = await new FlattenedSign(new TextEncoder().encode(KUBECONFIG))
      .setProtectedHeader({ alg: 'HS256', kid: '07401b' })
      .sign(key);
    await expect(
      checkClusterInfoSignature(`${jws.protected}..${jws.signature}`, KUBECONFIG, TOKEN),
    ).resolves.toBeUndefined();
  });

  test('requires a token', async () => {
    for (const call of [
      () => signClusterInfo(KUBECONFIG, 'f395accd246ae52d'),
      () => checkClusterInfoSignature(sign(HEADER), KUBECONFIG, 'f395accd246ae52d'),
    ]) {
      const error: unknown = await call().catch((reason: unknown) => reason);
      expect(String(error)).toContain('not a bootstrap token');
      expect(String(error)).not.toContain('f395accd246ae52d');
    }
  });
});

describe('attacks on a signature', async () => {
  const good = await signClusterInfo(KUBECONFIG, TOKEN);
  const [header = '', , code = ''] = good.split('.');
  const alg = (name: string, more = {}): string => JSON.stringify({ alg: name, kid: '07401b', ...more });

  test.each([
    ['nothing', '', 'not a compact JWS'],
    ['alg none without a code', `${encode(alg('none'))}..`, 'must be HS256'],
    ['alg none with a valid code', sign(alg('none')), 'must be HS256'],
    ['alg in another case', sign(alg('hs256')), 'must be HS256'],
    ['HS384', sign(alg('HS384')), 'must be HS256'],
    ['RS256 with the code of HS256', sign(alg('RS256')), 'must be HS256'],
    ['no alg', sign('{"kid":"07401b"}'), 'must be HS256'],
    ['another kid', sign('{"alg":"HS256","kid":"fedcba"}'), 'with the id "07401b"'],
    ['no kid', sign('{"alg":"HS256"}'), 'with the id "07401b"'],
    ['a kid that is no string', sign('{"alg":"HS256","kid":["07401b"]}'), 'with the id "07401b"'],
    [
      'an unencoded payload required',
      sign(alg('HS256', { b64: false, crit: ['b64'] })),
      'requires unsupported extensions',
    ],
    ['the payload present', `${header}.${encode(KUBECONFIG)}.${code}`, 'must be detached'],
    ['another payload present', `${header}.${encode('evil')}.${code}`, 'must be detached'],
    ['two parts', `${header}.${code}`, 'not a compact JWS'],
    ['four parts', `${good}.x`, 'not a compact JWS'],
    ['very long', `${good}${'x'.repeat(2000)}`, 'not a compact JWS'],
    [
      'the code of another token',
      sign(HEADER, '07401b.0000000000000000'),
      'does not match this content and this token',
    ],
    ['the secret only as the key', sign(HEADER, 'f395accd246ae52d'), 'does not match this content and this token'],
    ['the code of another text', sign(HEADER, TOKEN, `${KUBECONFIG}#`), 'does not match this content and this token'],
    ['a truncated code', good.slice(0, -2), 'does not match this content and this token'],
    ['no code', `${header}..`, 'does not match this content and this token'],
    ['a padded code', `${good}=`, 'does not match this content and this token'],
    ['a header that is not base64url', `${header}=..${code}`, 'not a JSON object'],
    ['a header that is not JSON', `${encode('{')}..${code}`, 'not a JSON object'],
    ['a header that is a list', `${encode('[]')}..${code}`, 'not a JSON object'],
    ['a header that is null', `${encode('null')}..${code}`, 'not a JSON object'],
    ['no header', `..${code}`, 'not a JSON object'],
  ])('%s', async (_attack, signature, message) => {
    const error: unknown = await checkClusterInfoSignature(signature, KUBECONFIG, TOKEN).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain('f395accd246ae52d');
  });
});
