import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import { Lease, LeaseCandidate } from '../../../../src/kinds/builtin/index.js';
import {
  compareSemanticVersions,
  parseSemanticVersion,
  type SemanticVersion,
} from '../../../../src/foundation/objects/semantic-version.js';
import { startTestServer } from '../../../../src/entries/testing.js';
import { ask, jsonOf } from '../../../server/ask.js';
import { cells, create, problems, updateProblems } from '../support.js';

beforeAll(() => LeaseCandidate.prepare?.());

const OLDEST = 'OldestEmulationVersion';
const SPEC = {
  leaseName: 'scheduler',
  binaryVersion: '1.31.0',
  emulationVersion: '1.30.0',
  preferredStrategies: [OLDEST],
};
const manifest = (change: JsonObject): JsonObject => ({ metadata: { name: 'a' }, spec: { ...SPEC, ...change } });

describe('a candidate', () => {
  test.each<[string, JsonObject, string[]]>([
    ['that is complete', {}, []],
    ['without a lease', { leaseName: '' }, ['spec.leaseName: Required value']],
    [
      'without strategies',
      { preferredStrategies: [] },
      ['spec.preferredStrategies: Required value: must contain at least one strategy'],
    ],
    [
      'with an invalid version',
      { binaryVersion: '1.31', emulationVersion: '01.2.3' },
      [
        'spec.emulationVersion: Invalid value: "01.2.3": must be a valid semantic version',
        'spec.binaryVersion: Invalid value: "1.31": must be a valid semantic version',
        "spec.binaryVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'",
        "spec.emulationVersion: Required value: must be specified when `strategy` is 'OldestEmulationVersion'",
      ],
    ],
    [
      'that emulates a later version',
      { emulationVersion: '1.32.0' },
      ['spec.binaryVersion: Invalid value: "1.31.0": must be greater than or equal to `emulationVersion`'],
    ],
    [
      'with unknown strategies',
      { preferredStrategies: ['Newest', 'example.com/newest', 'a/b/c'] },
      [
        'spec.preferredStrategies[0].strategy: Unsupported value: "Newest": supported values: "OldestEmulationVersion"',
        `spec.preferredStrategies[2].strategy: Invalid value: "a/b/c": a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
      ],
    ],
  ])('%s is validated', (_, change, expected) => expect(problems(LeaseCandidate, manifest(change))).toEqual(expected));

  test('keeps its lease', () => {
    const old = create(LeaseCandidate, manifest({}));
    expect(updateProblems(LeaseCandidate, old, { 'spec.leaseName': 'other' })).toEqual([
      'spec.leaseName: Invalid value: "other": field is immutable',
    ]);
    expect(updateProblems(LeaseCandidate, old, { 'spec.binaryVersion': '1.32.0' })).toEqual([]);
  });

  test('is shown in tables', () => {
    expect(cells(LeaseCandidate, create(LeaseCandidate, manifest({})))).toMatchObject({
      LeaseName: 'scheduler',
      BinaryVersion: '1.31.0',
      EmulationVersion: '1.30.0',
    });
  });
});

describe('a lease', () => {
  const spec = { strategy: 'Newest', preferredHolder: 'b' };

  test('has only known strategies', () => {
    const lease = { metadata: { name: 'a' }, spec };
    expect(problems(Lease, lease)).toEqual([]);
    expect(create(Lease, lease)['spec']).toEqual({});
  });

  test('keeps the fields of coordinated leader election while the feature is enabled', async () => {
    const token = 'owner-of-the-leases-test';
    await using running = await startTestServer({
      dialect: 'kubernetes',
      authentication: { ownerToken: token },
      featureGates: { CoordinatedLeaderElection: true },
      runtimeConfig: 'coordination.k8s.io/v1alpha1=true',
    });
    const post = async (path: string, body: object) =>
      jsonOf(
        await ask(running.server, 'POST', `/apis/coordination.k8s.io/${path}`, { token, body: JSON.stringify(body) }),
      ) as { message?: string; spec: object };
    const leases = 'v1/namespaces/default/leases';
    const good = { strategy: OLDEST, preferredHolder: 'b' };
    expect((await post(leases, { metadata: { name: 'a' }, spec: good })).spec).toEqual(good);
    expect((await post(leases, { metadata: { name: 'b' }, spec })).message).toBe(
      'Lease.coordination.k8s.io "b" is invalid: spec.strategy.strategy: Unsupported value: "Newest": supported values: "OldestEmulationVersion"',
    );
    expect((await post(leases, { metadata: { name: 'b' }, spec: { preferredHolder: 'b' } })).message).toBe(
      'Lease.coordination.k8s.io "b" is invalid: spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined',
    );
    expect((await post('v1alpha1/namespaces/default/leasecandidates', manifest({}))).spec).toEqual(SPEC);
  });
});

test('versions are ordered by precedence', () => {
  const ordered = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1+build.5',
    '1.10.0',
    '2.0.0',
  ];
  const versions = ordered.map((text) => parseSemanticVersion(text) as SemanticVersion);
  for (const [index, version] of versions.entries())
    for (const [other, against] of versions.entries())
      expect(Math.sign(compareSemanticVersions(version, against))).toBe(Math.sign(index - other));
  for (const text of ['', '1', '1.0', 'v1.0.0', '1.0.0-', '1.0.0-01', '1.0.0+', ' 1.0.0'])
    expect(parseSemanticVersion(text)).toBeUndefined();
});
