import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Deployment, Pod } from '../../../src/entries/index.js';
import { startTestServer } from '../../../src/entries/testing.js';
import { arbitrary } from '../../../src/testing/fast-check.js';

describe('arbitrary objects', () => {
  test('are accepted by the server', async () => {
    const deployments = await arbitrary(Deployment, { maxOptional: 12, overrides: { spec: { replicas: 0 } } });
    await using server = await startTestServer();
    const resource = server.client.resource(Deployment).namespace('default');
    await fc.assert(
      fc.asyncProperty(deployments, async (deployment) => {
        const { spec } = await resource.create(deployment, { dryRun: true, fieldValidation: 'Strict' });
        expect(spec?.replicas).toBe(0);
      }),
      { numRuns: 50, seed: 1 },
    );
  });

  test('shrink to the optional fields that a failure needs', async () => {
    const pods = await arbitrary(Pod, { maxOptional: 20 });
    const found = fc.check(
      fc.property(pods, ({ spec }) => spec?.hostNetwork === undefined),
      { numRuns: 2000, seed: 1 },
    );
    expect(found.failed).toBe(true);
    const pod = found.counterexample?.[0];
    expect(Object.keys(pod?.spec ?? {}).sort()).toEqual(['containers', 'hostNetwork']);
    expect(Object.keys(pod?.metadata ?? {})).toEqual(['name']);
  });

  test('refuse mistakes', async () => {
    await expect(arbitrary(Pod, { max: 1 } as object)).rejects.toThrow('unknown option "max"');
    await expect(arbitrary('Pod' as never)).rejects.toThrow('arbitrary: the first argument must be a kind');
  });
});
