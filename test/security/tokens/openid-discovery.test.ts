import { beforeAll, describe, expect, it } from 'vitest';
import {
  generateSigningKey,
  jsonWebKeySet,
  openIdConfiguration,
  type TokenSigner,
} from '../../../src/security/tokens/index.js';

const base = {
  issuer: 'https://issuer.example',
  jwksUri: 'https://10.0.0.1:6443/openid/v1/jwks',
  algorithms: ['RS256'],
} as const;

describe('the configuration of the provider', () => {
  it('is formatted as in Kubernetes', () => {
    expect(openIdConfiguration({ ...base, algorithms: ['RS256', 'ES256', 'RS256'] })).toBe(
      '{"issuer":"https://issuer.example","jwks_uri":"https://10.0.0.1:6443/openid/v1/jwks","response_types_supported":["id_token"],' +
        '"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["ES256","RS256"]}',
    );
  });

  it.each([
    [{ issuer: '' }, 'issuer URL must use https scheme, got: '],
    [{ issuer: 'issuer' }, 'issuer URL must use https scheme, got: issuer'],
    [{ issuer: 'http://issuer.example' }, 'issuer URL must use https scheme, got: http://issuer.example'],
    [{ issuer: 'https://issuer.example/?a' }, 'issuer URL may not include a query, got: https://issuer.example/?a'],
    [{ issuer: 'https://issuer.example/#a' }, 'issuer URL may not include a fragment, got: https://issuer.example/#a'],
    [{ jwksUri: 'http://issuer.example/keys' }, 'jwksURI requires https scheme, parsed as: http://issuer.example/keys'],
  ])('is rejected with %j', (wrong, message) => {
    expect(() => openIdConfiguration({ ...base, ...wrong })).toThrow(new Error(message));
  });
});

describe('the key set', () => {
  let signers: TokenSigner[] = [];
  beforeAll(async () => {
    signers = [await generateSigningKey({ algorithm: 'RS256' }), await generateSigningKey({ algorithm: 'ES512' })];
  });

  it('has the public part of each key, its name and its algorithm, in the order of Kubernetes', async () => {
    const text = await jsonWebKeySet(signers.map(({ publicKey }) => publicKey));
    const [rsa, ec] = signers;
    expect(text).toMatch(
      /^\{"keys":\[\{"use":"sig","kty":"RSA","kid":"[-\w]{43}","alg":"RS256","n":"[-\w]{342}","e":"AQAB"\},\{"use":"sig","kty":"EC","kid":"[-\w]{43}","crv":"P-521","alg":"ES512","x":"[-\w]{88}","y":"[-\w]{88}"\}\]\}$/,
    );
    expect(JSON.parse(text)).toMatchObject({ keys: [{ kid: rsa?.keyId }, { kid: ec?.keyId }] });
    expect(text).not.toMatch(/"[dpq]"/);
  });

  it('may be empty', async () => {
    expect(await jsonWebKeySet([])).toBe('{"keys":[]}');
  });
});
