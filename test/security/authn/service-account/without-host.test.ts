import { describe, expect, it } from 'vitest';
import { hideHostCrypto } from '../../../support/hidden-host-crypto.js';
import { createWorld, NOBODY, ROBOT, verdict } from './world.js';

hideHostCrypto();

describe('on a platform without native cryptography', () => {
  it.each(['RS256', 'ES256', 'ES384', 'ES512'] as const)('tokens of %s are issued and accepted', async (algorithm) => {
    const world = await createWorld({ algorithm });
    const token = await world.token({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'runner' } });
    const authenticate = world.authenticator();
    expect(verdict(await authenticate(token, NOBODY))).toBe(ROBOT);
    expect(verdict(await authenticate(token, NOBODY))).toBe(ROBOT);
    expect(verdict(await authenticate(`${token.slice(0, -4)}AAAA`, NOBODY))).toBe('invalid signature');
  });

  it('the name of a key is the same', async () => {
    const world = await createWorld();
    const { createHash, createPublicKey } = await import('node:crypto');
    const der = createPublicKey(world.signer.publicKey.publicKeyPem).export({ type: 'spki', format: 'der' });
    expect(world.signer.keyId).toBe(createHash('sha256').update(der).digest('base64url'));
  });

  it('the host’s cryptography cannot be requested', async () => {
    await expect(createWorld({ cryptography: 'host' })).rejects.toThrow(TypeError);
  });
});
