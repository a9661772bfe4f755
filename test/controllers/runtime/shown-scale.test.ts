/** Controllers read the scale of an object with a long selector in slices. */
import { expect, test } from 'vitest';
import type { ServedKind } from '../../../src/controllers/runtime/served-kinds.js';
import { shownScale } from '../../../src/controllers/runtime/shown-scale.js';
import { UNBOUNDED_WORK, type Work } from '../../../src/foundation/work/work.js';
import { ConfigMap, ReplicaSet } from '../../../src/kinds/builtin/index.js';
import '../../kinds/builtin/loaded-kinds.js';

test('the scale of a replica set with a long selector is made with pauses', async () => {
  let pauses = 0;
  const work: Work = {
    ...UNBOUNDED_WORK,
    spend: () => true,
    next: async () => void (pauses += 1),
  };
  const matchExpressions = Array.from({ length: 3_000 }, (_, index) => ({ key: `k${index}`, operator: 'Exists' }));
  const object = {
    ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'r' } },
    ...{ spec: { replicas: 4, selector: { matchExpressions } }, status: { replicas: 3 } },
  };
  const scale = await shownScale({ definition: ReplicaSet } as unknown as ServedKind, object, work);
  expect(scale).toMatchObject({ spec: { replicas: 4 }, status: { replicas: 3 } });
  expect(scale?.status?.selector?.split(',')).toHaveLength(3_000);
  expect(pauses).toBeGreaterThan(3_000);
});

test('a kind without a scale has none', async () => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } };
  const kind = { definition: ConfigMap } as unknown as ServedKind;
  await expect(shownScale(kind, object, UNBOUNDED_WORK)).resolves.toBeUndefined();
});
