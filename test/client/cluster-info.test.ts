import { describe, expect, test } from 'vitest';
import { verifyClusterInfo } from '../../src/client/cluster-info.js';
import { signClusterInfo } from '../../src/security/tokens/cluster-info.js';

const TOKEN = '07401b.f395accd246ae52d';
const OTHER = 'abcdef.0123456789abcdef';
const KUBECONFIG = 'apiVersion: v1\nkind: Config\n';
const signed = await signClusterInfo(KUBECONFIG, TOKEN);

describe('a joining client', async () => {
  test('reads the configuration from a ConfigMap that its token has signed, among other signatures', async () => {
    const data = { kubeconfig: KUBECONFIG, 'jws-kubeconfig-07401b': signed, 'jws-kubeconfig-abcdef': 'junk' };
    expect(await verifyClusterInfo({ data }, TOKEN)).toBe(KUBECONFIG);
  });

  test('accepts it in several chunks', async () => {
    expect(await verifyClusterInfo({ kubeconfig: KUBECONFIG, signatures: { '07401b': signed } }, TOKEN)).toBe(
      KUBECONFIG,
    );
  });

  test.each([
    ['an empty ConfigMap', {}, 'has no kubeconfig'],
    ['no configuration', { data: { 'jws-kubeconfig-07401b': signed } }, 'has no kubeconfig'],
    [
      'no signature with its token',
      { data: { kubeconfig: KUBECONFIG, 'jws-kubeconfig-abcdef': await signClusterInfo(KUBECONFIG, OTHER) } },
      'no signature by the token with the id "07401b"',
    ],
    [
      'the signature of another token under its id',
      { data: { kubeconfig: KUBECONFIG, 'jws-kubeconfig-07401b': await signClusterInfo(KUBECONFIG, OTHER) } },
      'with the id "07401b"',
    ],
    [
      'a changed configuration',
      { data: { kubeconfig: `${KUBECONFIG}x`, 'jws-kubeconfig-07401b': signed } },
      'does not match this content',
    ],
    [
      'an inherited signature',
      { kubeconfig: KUBECONFIG, signatures: Object.create({ '07401b': signed }) as Record<string, string> },
      'no signature by the token',
    ],
    [
      'a huge configuration',
      { data: { kubeconfig: 'x'.repeat(1024 * 1024 + 1), 'jws-kubeconfig-07401b': signed } },
      'longer than 1048576 characters',
    ],
  ])('rejects %s', async (_case, info, message) => {
    const error: unknown = await verifyClusterInfo(info, TOKEN).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain('f395accd246ae52d');
  });

  test('requires a token in the correct format', async () => {
    await expect(verifyClusterInfo({ data: { kubeconfig: KUBECONFIG } }, '07401b')).rejects.toThrow(TypeError);
  });
});
