/** A claim is compared with the volumes in steps, and its selector is read once for all of them. */
import { expect, test } from 'vitest';
import { volumeFor, type ClaimObject, type VolumeObject } from '../../../src/simulation/cloud/volume-match.js';
import { takeSteps } from '../../support/steps.js';

const COUNT = 500;
const numbers = Array.from({ length: COUNT }, (_, index) => index);

const volume = (index: number, labels: Record<string, string>, storage = '1Gi'): VolumeObject => ({
  ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: `v${index}`, labels } },
  spec: { capacity: { storage }, accessModes: ['ReadWriteOnce'] },
  status: { phase: 'Available' },
});

function claim(reads: () => void): ClaimObject {
  const expression = (index: number) => ({
    get key() {
      reads();
      return `k${index}`;
    },
    operator: 'DoesNotExist',
  });
  return {
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c', namespace: 'default' } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      selector: { matchExpressions: numbers.map(expression) },
    },
  };
}

test('a claim with a long selector and many volumes', () => {
  let reads = 0;
  const volumes = [...numbers.map((index) => volume(index, { k7: 'v' })), volume(-1, {}, '3Gi'), volume(-2, {}, '2Gi')];
  const { result, pauses } = takeSteps((work) =>
    volumeFor(
      claim(() => (reads += 1)),
      volumes,
      work,
    ),
  );
  expect(result?.metadata.name).toBe('v-2');
  expect(reads).toBe(COUNT);
  expect(pauses).toBeGreaterThanOrEqual(2 * COUNT);
});

test('the volume that names a claim is taken whatever the selector is', () => {
  const named = { ...volume(1, { k7: 'v' }), status: { phase: 'Bound' } };
  const claimRef = { name: 'c', namespace: 'default' };
  const { result } = takeSteps((work) =>
    volumeFor(
      claim(() => undefined),
      [volume(0, {}), { ...named, spec: { ...named.spec, claimRef } }],
      work,
    ),
  );
  expect(result?.metadata.name).toBe('v1');
});
