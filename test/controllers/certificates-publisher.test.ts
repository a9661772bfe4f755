import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ApiServerOptions } from '../../src/apiserver/options/api-server-options.js';
import { kubernetes, orch } from '../../src/foundation/index.js';
import { mergeTrustBundles } from '../../src/security/pki/index.js';
import { ClusterTrustBundle } from '../../src/kinds/builtin/index.js';
import { authority, certificatePem } from '../support/certificates.js';
import { harness } from './harness.js';
import { world, type World } from './signing.js';

const GATES: ApiServerOptions = {
  featureGates: { ClusterTrustBundle: true },
  runtimeConfig: 'api/alpha=true',
  controllers: { disable: [] },
};

const bundlesOf = async ({ client }: Pick<World, 'client'>) =>
  (await client.resource(ClusterTrustBundle).list()).items.map(({ metadata, spec }) => [
    metadata.name,
    spec.signerName,
    spec.trustBundle,
  ]);

const nameOf = (prefix: string, trustBundle: string): string =>
  `${prefix}:${createHash('sha256').update(trustBundle).digest('hex').slice(0, 24)}`;

/** A server whose root authority can be changed. */
function start(root: string | undefined, options: ApiServerOptions = {}): World & { root: string | undefined } {
  const present = { root };
  return Object.assign(
    present,
    world({ ...GATES, ...options, certificates: { rootAuthority: () => present.root, ...options.certificates } }),
  );
}

describe('the publisher of the server`s authority', () => {
  test.each([
    [kubernetes, 'kubernetes.io:kube-apiserver-serving', 'kubernetes.io/kube-apiserver-serving'],
    [orch, 'orch.io:orch-apiserver-serving', 'orch.io/orch-apiserver-serving'],
  ])('creates a bundle named after its content, in the dialect $name', async (dialect, prefix, signerName) => {
    const { certificatePem: root } = await authority();
    await using w = start(root, { dialect });
    await w.server.settled();
    expect(await bundlesOf(w)).toEqual([[nameOf(prefix, root), signerName, root]]);
  });

  test('replaces it when the authority changes, and ignores other bundles', async () => {
    const [first, second] = await Promise.all([authority('first'), authority('second')]);
    await using w = start(first.certificatePem);
    await w.server.settled();
    const bundles = w.client.resource(ClusterTrustBundle);
    await bundles.create({
      metadata: { name: 'example.com:shop:a' },
      spec: { signerName: 'example.com/shop', trustBundle: second.certificatePem },
    });
    await bundles.create({ metadata: { name: 'nobody' }, spec: { trustBundle: second.certificatePem } });
    w.root = second.certificatePem;
    await w.server.settled();
    const signerName = 'kubernetes.io/kube-apiserver-serving';
    expect(await bundlesOf(w)).toEqual([
      ['example.com:shop:a', 'example.com/shop', second.certificatePem],
      [nameOf('kubernetes.io:kube-apiserver-serving', second.certificatePem), signerName, second.certificatePem],
      ['nobody', undefined, second.certificatePem],
    ]);
  });

  test('repairs bundles that other clients change, delete, or add', async () => {
    const [root, other] = await Promise.all([authority(), authority('other')]);
    await using w = start(root.certificatePem);
    await w.server.settled();
    const right = await bundlesOf(w);
    const bundles = w.client.resource(ClusterTrustBundle);
    const [name = ''] = right[0] ?? [];
    const present = await bundles.get(name);
    await bundles.update({ ...present, spec: { ...present.spec, trustBundle: other.certificatePem } });
    await w.server.settled();
    expect(await bundlesOf(w)).toEqual(right);
    await bundles.delete(name);
    await w.server.settled();
    expect(await bundlesOf(w)).toEqual(right);
    await bundles.create({
      metadata: { name: 'kubernetes.io:kube-apiserver-serving:mine' },
      spec: { signerName: 'kubernetes.io/kube-apiserver-serving', trustBundle: other.certificatePem },
    });
    await w.server.settled();
    expect(await bundlesOf(w)).toEqual(right);
  });

  test('publishes only the roots of a chain, each once, without intermediates', async () => {
    const root = await authority();
    const chain = `a comment\n${await certificatePem(root)}another\n${root.certificatePem}${root.certificatePem}`;
    await using w = start(chain);
    await w.server.settled();
    expect((await bundlesOf(w)).map(([, , pem]) => pem)).toEqual([mergeTrustBundles([root.certificatePem])]);
  });

  test('publishes nothing without an authority, and keeps the existing bundle', async () => {
    const errors: unknown[] = [];
    await using w = start(undefined, {
      observability: {
        logger: { info: () => undefined, error: (_text, fields) => void errors.push(fields?.['error']) },
      },
    });
    await w.server.settled();
    expect(await bundlesOf(w)).toEqual([]);
    w.root = await certificatePem();
    await w.server.settled();
    expect(await bundlesOf(w)).toEqual([]);
    w.root = (await authority()).certificatePem;
    await w.server.settled();
    expect(await bundlesOf(w)).toHaveLength(1);
    w.root = '';
    await w.server.settled();
    expect([await bundlesOf(w), errors]).toEqual([[expect.anything()], []]);
  });

  test('agrees with a second server that has the same authority', async () => {
    const { certificatePem: root } = await authority();
    await using h = harness(
      { rootCertificateAuthority: () => root },
      { ...GATES, certificates: { rootAuthority: () => root } },
    );
    await Promise.all([h.settled(), h.server.settled()]);
    expect(await bundlesOf(h)).toHaveLength(1);
    expect(h.errors).toEqual([]);
  });

  test.each<readonly [string, ApiServerOptions]>([
    ['if the kind is not served', { featureGates: {}, runtimeConfig: '' }],
    ['if it is disabled', { controllers: { disable: ['apiserver-serving-clustertrustbundle-publisher'] } }],
  ])('does nothing %s', async (_case, options) => {
    const { certificatePem: root } = await authority();
    const errors: unknown[] = [];
    await using w = start(root, {
      ...options,
      observability: {
        ...options.observability,
        logger: { info: () => undefined, error: (_text, fields) => void errors.push(fields?.['error']) },
      },
    });
    await w.server.settled();
    expect(options.featureGates === undefined ? await bundlesOf(w) : []).toEqual([]);
    expect(errors).toEqual([]);
  });
});
