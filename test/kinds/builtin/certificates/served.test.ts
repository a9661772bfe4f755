import { describe, expect, it, test } from 'vitest';
import { ApiServer, type ApiServerOptions, type Logger } from '../../../../src/entries/index.js';
import { ClusterTrustBundle } from '../../../../src/entries/kinds.js';
import { authority, certificatePem } from '../../../support/certificates.js';
import { ask, textOf } from '../../../server/ask.js';
import { BUNDLES, condition, GROUP, REQUESTS, world } from './world.js';

const VERSION = `${GROUP}/v1alpha1`;
const anchors = (await authority()).certificatePem;

describe('trust bundles are alpha', () => {
  const logged = (): { readonly lines: string[]; readonly logger: Logger } => {
    const lines: string[] = [];
    return {
      lines,
      logger: { info: (message) => void lines.push(message), error: (message) => void lines.push(message) },
    };
  };

  it.each<[string, ApiServerOptions, string[], string[]]>([
    ['neither is enabled', { featureGates: {}, runtimeConfig: '' }, [], []],
    [
      'only the feature gate is enabled',
      { featureGates: { ClusterTrustBundle: true }, runtimeConfig: '' },
      [`ClusterTrustBundle storage is disabled because the version ${VERSION} is disabled`],
      [],
    ],
    [
      'only the version is enabled',
      { featureGates: {}, runtimeConfig: `${VERSION}=true` },
      ['ClusterTrustBundle storage is disabled because the ClusterTrustBundle feature gate is disabled'],
      [],
    ],
    [
      'both are enabled',
      { featureGates: { ClusterTrustBundle: true }, runtimeConfig: `${VERSION}=true` },
      [],
      ['v1alpha1'],
    ],
    [
      'all alpha features are enabled',
      { featureGates: { AllAlpha: true }, runtimeConfig: 'api/alpha=true' },
      [],
      ['v1alpha1'],
    ],
    [
      'only the resource is enabled',
      { featureGates: { ClusterTrustBundle: true }, runtimeConfig: `${VERSION}/clustertrustbundles=true` },
      [],
      ['v1alpha1'],
    ],
  ])('%s', async (_case, options, reported, served) => {
    const { lines, logger } = logged();
    await using own = await world({ ...options, observability: { ...options.observability, logger } });
    expect(lines.filter((line) => line.includes('ClusterTrustBundle'))).toEqual(reported);
    const { body } = await own.send('GET', `/apis/${GROUP}`);
    expect((body['versions'] as { version: string }[]).map(({ version }) => version)).toEqual(['v1', ...served]);
    const answer = await ask(own.server, 'GET', BUNDLES);
    expect([answer.status, served.length === 0 ? textOf(answer) : '']).toEqual(
      served.length === 0
        ? [404, expect.stringContaining('the server could not find the requested resource')]
        : [200, ''],
    );
  });

  it('in-process clients are told what is missing', async () => {
    await using server = new ApiServer();
    const list = async (): Promise<unknown> => server.client().resource(ClusterTrustBundle).list();
    await expect(list()).rejects.toThrow(
      "ClusterTrustBundle (clustertrustbundles, v1alpha1) is not served: pass it to the server's resources, and enable its version and the feature gate ClusterTrustBundle",
    );
  });
});

describe('readers of trust bundles', () => {
  it('are all authenticated users, including service accounts, and no others', async () => {
    await using own = await world();
    await own.send('POST', BUNDLES, { metadata: { name: 'a' }, spec: { trustBundle: anchors } });
    for (const as of [{ token: 'alice' }, { headers: { 'impersonate-user': 'system:serviceaccount:default:robot' } }]) {
      for (const target of [`${BUNDLES}/a`, BUNDLES])
        expect((await own.send('GET', target, undefined, as)).code).toBe(200);
      expect((await own.send('DELETE', `${BUNDLES}/a`, undefined, as)).code).toBe(403);
    }
    expect((await own.send('GET', `${BUNDLES}/a`, undefined, { token: '' })).code).toBe(403);
  });

  it('have their right only if bundles are served', async () => {
    await using own = await world({ featureGates: {} });
    expect(
      (await own.send('GET', '/apis/rbac.authorization.orch.io/v1/clusterroles/system:cluster-trust-bundle-discovery'))
        .code,
    ).toBe(404);
  });
});

describe('a deprecated kind', () => {
  const WARNING = `299 - "${VERSION} ClusterTrustBundle is deprecated in v1.34+, unavailable in v1.37+"`;

  it('causes a warning in every answer about it, including refusals', async () => {
    await using own = await world();
    const asked = [
      await own.send('POST', BUNDLES, { metadata: { name: 'a' }, spec: { trustBundle: anchors } }),
      await own.send('POST', BUNDLES, { metadata: { name: 'b' }, spec: {} }),
      await own.send('GET', BUNDLES),
      await own.send('GET', `${BUNDLES}/none`),
      await own.send('PATCH', `${BUNDLES}/a`, { metadata: { labels: { a: 'b' } } }),
      await own.send('DELETE', `${BUNDLES}/a`),
    ];
    expect(asked.map(({ code, warnings }) => [code, warnings])).toEqual(
      [201, 422, 200, 404, 200, 200].map((code) => [code, [WARNING]]),
    );
    expect((await own.send('GET', REQUESTS)).warnings).toEqual([]);
  });

  it('causes no warning for denied or invalid requests', async () => {
    await using own = await world();
    expect((await own.send('DELETE', `${BUNDLES}/a`, undefined, { token: 'alice' })).warnings).toEqual([]);
    expect((await own.send('GET', `${BUNDLES}/a/status`)).warnings).toEqual([]);
  });

  it('is counted in the metrics', async () => {
    await using own = await world();
    const measured = async (): Promise<string[]> =>
      textOf(await ask(own.server, 'GET', '/metrics'))
        .split('\n')
        .filter((line) => line.startsWith('apiserver_requested_deprecated_apis'));
    expect(await measured()).toEqual([]);
    await own.send('GET', BUNDLES);
    await own.send('GET', BUNDLES);
    expect(await measured()).toEqual([
      `apiserver_requested_deprecated_apis{group="${GROUP}",removed_release="1.37",resource="clustertrustbundles",subresource="",version="v1alpha1"} 1`,
    ]);
  });
});

describe('requested durations of certificates are counted', () => {
  const HOUR_MS = 3600_000;

  test('both the issued and the honoured ones', async () => {
    await using own = await world();
    const counts = async (): Promise<string[]> =>
      textOf(await ask(own.server, 'GET', '/metrics'))
        .split('\n')
        .filter((line) => line.startsWith('apiserver_certificates_registry'));
    const issue = async (name: string, spec: object, durationMs: number, query = ''): Promise<void> => {
      await own.post(name, spec);
      await own.conditions(name, 'approval', [condition('Approved')]);
      const pem = await certificatePem(undefined, durationMs);
      expect(
        (await own.send('PATCH', `${REQUESTS}/${name}/status${query}`, { status: { certificate: btoa(pem) } })).code,
      ).toBe(200);
    };
    await issue('unasked', {}, HOUR_MS);
    await issue('dry', { expirationSeconds: 3600 }, HOUR_MS, '?dryRun=All');
    expect(await counts()).toEqual([]);
    await issue('exact', { expirationSeconds: 3600 }, HOUR_MS);
    // One hour counts as honoured within five minutes and a twentieth.
    await issue('near', { expirationSeconds: 3600 }, HOUR_MS + 8 * 60_000 - 1000);
    await issue('far', { expirationSeconds: 3600, signerName: 'example.org/made-up' }, HOUR_MS + 8 * 60_000);
    await issue('own', { expirationSeconds: 3600, signerName: 'orch.io/orchlet-serving' }, HOUR_MS - 8 * 60_000);
    await own.merge('exact', 'status', { metadata: { labels: { again: 'yes' } } });
    expect(await counts()).toEqual([
      'apiserver_certificates_registry_csr_honored_duration_total{signerName="other"} 2',
      'apiserver_certificates_registry_csr_requested_duration_total{signerName="other"} 3',
      'apiserver_certificates_registry_csr_requested_duration_total{signerName="orch.io/orchlet-serving"} 1',
    ]);
  });
});
