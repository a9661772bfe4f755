import { describe, expect, test } from 'vitest';
import { customKinds } from '../../../src/kinds/custom/kinds.js';
import { noConversion } from '../../../src/kinds/custom/versions.js';
import { CompiledArtefacts } from '../../../src/foundation/work/compiled-artefacts.js';
import { systemClock, systemEntropy } from '../../../src/foundation/index.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { atOnce } from '../../../src/foundation/work/work.js';
import { kubernetes } from '../../../src/foundation/index.js';
import type { RequestContext } from '../../../src/registry/store/context.js';
import type { ResourceDefinition } from '../../../src/registry/definition/definition.js';

const CONTEXT: RequestContext = {
  user: { username: 'user', groups: [] },
  dialect: kubernetes,
  clock: systemClock,
  entropy: systemEntropy,
  featureGates: { enabled: () => false },
  userAgent: '',
  warn: () => undefined,
};

/** A kind with a pattern and a rule of its own. */
function kindOf(index: number, compiled: CompiledArtefacts): ResourceDefinition {
  const names = { plural: `things${index}`, kind: `Thing${index}` };
  const schema = {
    type: 'object',
    properties: {
      text: { type: 'string', maxLength: 20, pattern: `^[a-z]{1,${(index % 7) + 1}}$` },
      size: { type: 'integer' },
    },
    'x-kubernetes-validations': [{ rule: `!has(self.size) || self.size < ${index}`, message: `below ${index}` }],
  };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  const source = { group: 'example.com', names, scope: 'Namespaced', versions };
  const [kind] = customKinds(source, kubernetes, noConversion, { compiled });
  if (kind === undefined) throw new Error('no kind');
  return kind;
}

async function errorsOf(kind: ResourceDefinition, object: JsonObject): Promise<readonly string[]> {
  const whole = { apiVersion: 'example.com/v1', kind: kind.kind, metadata: { name: 'one' }, ...object };
  await kind.strategy?.load?.(whole as never);
  const validator = kind.validator?.();
  if (validator === undefined) throw new Error('no validator');
  return atOnce(validator.validate(whole, undefined, CONTEXT)).map(String);
}

describe('what is compiled for custom kinds', () => {
  test('is kept within a bound, and made again with the same results', async () => {
    const bounded = new CompiledArtefacts(200_000, () => ({ hold: () => undefined }));
    const unbounded = new CompiledArtefacts(Infinity, () => ({ hold: () => undefined }));
    const kinds = Array.from(
      { length: 387 },
      (_, index) => [kindOf(index, bounded), kindOf(index, unbounded)] as const,
    );
    let wrong = 0;
    for (const _round of [1, 2])
      for (const [index, [kind, reference]] of kinds.entries()) {
        const object = { text: 'a'.repeat(index % 9), size: index - 1 + (index % 2) };
        const errors = await errorsOf(kind, object);
        expect(errors).toEqual(await errorsOf(reference, object));
        if (errors.length > 0) wrong += 1;
        expect(bounded.usedBytes).toBeLessThanOrEqual(200_000);
      }
    expect(wrong).toBeGreaterThan(300);
    expect(unbounded.usedBytes).toBeGreaterThan(5 * 200_000);
  });

  test('takes nothing before the first object', async () => {
    const compiled = new CompiledArtefacts(Infinity, () => ({ hold: () => undefined }));
    const kind = kindOf(3, compiled);
    expect(compiled.usedBytes).toBe(0);
    expect(await errorsOf(kind, { text: 'abcde', size: 5 })).toEqual(
      [
        '<nil>: Invalid value: "object": below 3',
        'text: Invalid value: "abcde": text in body should match \'^[a-z]{1,4}$\'',
      ].toReversed(),
    );
    expect(compiled.usedBytes).toBeGreaterThan(1_000);
  });

  test('survives that it is given up between the load and the use', async () => {
    const compiled = new CompiledArtefacts(1, () => ({ hold: () => undefined }));
    const [one, other] = [kindOf(4, compiled), kindOf(5, compiled)];
    await one.strategy?.load?.({} as never);
    expect(await errorsOf(other, { size: 5 })).toEqual(['<nil>: Invalid value: "object": below 5']);
    expect(await errorsOf(one, { size: 5 })).toEqual(['<nil>: Invalid value: "object": below 4']);
  });
});
