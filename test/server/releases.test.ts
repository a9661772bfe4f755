import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ApiServer, defineResource, type ApiServerOptions } from '../../src/entries/index.js';
import { defineServerKind } from '../../src/registry/definition/definition.js';
import { builtinResources } from '../../src/kinds/builtin/index.js';
import { isWarnedIn, isServedIn, releases } from '../../src/server/settings/release.js';
import { ask, textOf } from './ask.js';

const lifecycle = { introduced: '1.9', deprecated: '1.29', removed: '1.31' };

describe('a lifecycle', () => {
  it('is served from its introduction until its removal', () => {
    expect(releases.filter((release) => isServedIn(release, { ...lifecycle, introduced: '1.27' }))).toEqual([
      '1.27',
      '1.28',
      '1.29',
      '1.30',
    ]);
    expect(releases.every((release) => isServedIn(release, { introduced: '1.9' }))).toBe(true);
  });

  it('warns from the deprecating release on', () => {
    expect(releases.filter((release) => isWarnedIn(release, lifecycle))).toEqual(['1.29', '1.30', '1.31', '1.32']);
    expect(releases.some((release) => isWarnedIn(release, { introduced: '1.9' }))).toBe(false);
  });
});

describe('the option release', () => {
  const bundles: ApiServerOptions = {
    dialect: 'kubernetes',
    authentication: { ownerToken: 'admin' },
    featureGates: { ClusterTrustBundle: true },
    runtimeConfig: 'certificates.k8s.io/v1alpha1=true',
  };
  const path = '/apis/certificates.k8s.io/v1alpha1/clustertrustbundles';

  it.each([
    ['1.25', 404, null],
    ['1.26', 200, null],
    ['1.28', 200, null],
    ['1.29', 200, /is deprecated in/],
    ['1.31', 200, /is deprecated in/],
    ['1.32', 200, /deprecated in v1\.34\+, unavailable in v1\.37\+/],
  ] as const)('%s decides whether a version is served and warns', async (release, status, warning) => {
    await using server = new ApiServer({ ...bundles, release });
    const response = await ask(server, 'GET', path);
    expect(response.status).toBe(status);
    if (warning === null) expect(response.headers).not.toHaveProperty('warning');
    else expect(String(response.headers['warning'])).toMatch(warning);
  });

  it('says in the log which enabled kind it does not serve', async () => {
    const lines: string[] = [];
    const logger = { info: (line: string) => void lines.push(line), error: () => undefined };
    await using server = new ApiServer({ ...bundles, release: '1.25', observability: { logger } });
    await server.ready();
    expect(lines).toContain(
      'ClusterTrustBundle storage is disabled because release 1.25 does not serve certificates.k8s.io/v1alpha1',
    );
    expect((await ask(server, 'GET', path)).status).toBe(404);
  });

  it('starts in the earliest release, without the kinds that came later', async () => {
    await using server = new ApiServer({
      dialect: 'kubernetes',
      authentication: { ownerToken: 'admin' },
      release: '1.25',
    });
    expect((await ask(server, 'GET', '/apis/authentication.k8s.io/v1')).status).toBe(200);
    const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    expect((await ask(server, 'POST', reviews, { body: '{}' })).status).toBe(404);
  });

  it('is 1.31 by default, which serves every built-in version that is enabled', async () => {
    await using server = new ApiServer(bundles);
    expect((await ask(server, 'GET', path)).status).toBe(200);
  });

  it.each(['1.24', '1.33', 'v1.31', '1.31.0', ''])('%j is refused with the list of releases', (release) => {
    const options = { release } as ApiServerOptions;
    expect(() => new ApiServer(options)).toThrow(TypeError);
    expect(() => new ApiServer(options)).toThrow(
      `release: unknown release ${JSON.stringify(release)}: one of 1.25, 1.26, 1.27, 1.28, 1.29, 1.30, 1.31, 1.32`,
    );
  });

  it('applies to kinds with a lifecycle, and to no others', async () => {
    const kind = { version: 'v1', scope: 'Cluster', schema: () => z.object({}) } as const;
    const group = 'fleet.example';
    const Truck = defineServerKind({ ...kind, group, kind: 'Truck', plural: 'trucks', lifecycle });
    const Van = defineResource({
      ...kind,
      group,
      kind: 'Van',
      plural: 'vans',
      deprecation: { since: '1.40', removal: '1.50' },
    });
    await using server = new ApiServer({
      resources: [Truck, Van],
      authentication: { ownerToken: 'admin' },
      release: '1.31',
    });
    expect((await ask(server, 'GET', `/apis/${group}/v1/trucks`)).status).toBe(404);
    const { headers } = await ask(server, 'GET', `/apis/${group}/v1/vans`);
    expect(String(headers['warning'])).toMatch(/Van is deprecated/);
  });

  it.each([
    [{ introduced: 'v1' }, 'a release such as 1.31'],
    [{ removed: '1.31' }, 'introduced'],
  ])('a kind with the lifecycle %j is refused', (wrong, message) => {
    const definition = {
      group: 'fleet.example',
      version: 'v1',
      kind: 'Truck',
      plural: 'trucks',
      scope: 'Cluster',
      schema: () => z.object({}),
      lifecycle: wrong as typeof lifecycle,
    } as const;
    expect(() => defineServerKind(definition)).toThrow(message);
  });
});

describe('the lifecycle of every built-in version', () => {
  const everything: ApiServerOptions = {
    dialect: 'kubernetes',
    authentication: { ownerToken: 'admin' },
    featureGates: { AllAlpha: true, AllBeta: true },
    runtimeConfig: 'api/all=true',
  };
  const deprecated = builtinResources.filter(({ lifecycle }) => lifecycle?.deprecated !== undefined);

  it.each(releases)('decides in release %s about paths, warnings and the metric', async (release) => {
    await using server = new ApiServer({ ...everything, release });
    for (const { kind, version, plural, virtual, group, lifecycle } of deprecated) {
      const groupName = typeof group === 'string' ? group : `${group.system}.k8s.io`;
      const apiVersion = groupName === '' ? version : `${groupName}/${version}`;
      const path = `${groupName === '' ? '/api' : '/apis'}/${apiVersion}/${plural}`;
      const answer = await (virtual === true
        ? ask(server, 'POST', path, { body: JSON.stringify({ apiVersion, kind }) })
        : ask(server, 'GET', path));
      const { deprecated: since = '', removed } = lifecycle ?? {};
      expect([path, answer.status !== 404]).toEqual([path, lifecycle !== undefined && isServedIn(release, lifecycle)]);
      const warns = answer.status !== 404 && lifecycle !== undefined && isWarnedIn(release, lifecycle);
      const text = `299 - "${apiVersion} ${kind} is deprecated in v${since}+${removed === undefined ? '' : `, unavailable in v${removed}+`}`;
      const warnings = [answer.headers['warning'] ?? []].flat();
      expect(warnings).toEqual(warns ? [expect.stringContaining(text)] : []);
      const labels = `group="${groupName}",removed_release="${removed ?? ''}",resource="${plural}",subresource="",version="${version}"`;
      const metrics = textOf(await ask(server, 'GET', '/metrics'));
      expect(metrics.includes(`apiserver_requested_deprecated_apis{${labels}} 1`)).toBe(warns);
    }
  });
});

it('a gate that will be removed is logged', async () => {
  const lines: string[] = [];
  const logger = { info: (line: string) => void lines.push(line), error: () => undefined };
  await new ApiServer({ featureGates: 'ServerSideApply=true', observability: { logger } }).close();
  expect(lines).toEqual(['Setting GA feature gate ServerSideApply=true. It will be removed in a future release.']);
});

it('is on the page for every built-in kind that a known release introduces, deprecates or removes', () => {
  const page = readFileSync(new URL('../../docs/concepts/versions.md', import.meta.url), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.includes('`'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const since125 = ({ introduced }: { readonly introduced: string }): boolean =>
    !isServedIn('1.25', { introduced }) || introduced === '1.25';
  const wanted = builtinResources.flatMap(({ group, version, kind, lifecycle }) => {
    if (lifecycle === undefined || (!since125(lifecycle) && lifecycle.deprecated === undefined)) return [];
    const name = typeof group === 'string' ? version : `${group.system}/${version}`;
    return [[kind, `\`${name}\``, lifecycle.introduced, lifecycle.deprecated ?? '', lifecycle.removed ?? '']];
  });
  expect(wanted.length).toBeGreaterThan(20);
  for (const row of wanted) expect(rows).toContainEqual(row);
});
