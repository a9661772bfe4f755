/** Long expressions are compiled in pieces. */
import { unitsOfEach } from '../../support/units.js';
import { describe, expect, it } from 'vitest';
import { createCelEnvironment, intType, listType } from '../../../src/machinery/cel/index.js';
import { atOnce, UNBOUNDED_WORK, type Steps, type Work } from '../../../src/foundation/work/work.js';

const variables = { l: listType(intType) };

describe('the pieces of a compilation', () => {
  const repeated = (count: number, term: (index: number) => string, joint: string): string =>
    Array.from({ length: count }, (_, index) => term(index)).join(joint);
  it.each([
    ['conditions', repeated(600, (index) => `l[0] > ${index}`, ' && ')],
    ['loops', repeated(150, (index) => `l.all(x, l.exists(y, x + y > ${index}))`, ' || ')],
    ['a list', `1 in [${repeated(2000, String, ', ')}]`],
    ['a map', `{${repeated(800, (index) => `'k${index}': [${index}]`, ', ')}}.size() > 0`],
    ['operands within each other', `${'l[0] > 0 ? ('.repeat(120)}true${') : false'.repeat(120)}`],
  ])('are small: %s', async (_name, expression) => {
    const environment = await createCelEnvironment({ variables });
    const compiled = await pieces((work) => environment.compileInSlices(expression, work));
    expect(Math.max(...compiled.units)).toBeLessThan(compiled.total / 8);
    const estimated = await pieces((work) => compiled.result.estimateCostInSlices(work));
    expect(Math.max(...estimated.units)).toBeLessThan(estimated.total / 5);
    expect(estimated.result).toEqual(environment.compile(expression).estimateCost());
  });
});

/** Runs steps that have run before, in slices of 5,000 units, and counts the blocks of code of each piece. */
async function pieces<Result>(
  begin: (work: Work) => Steps<Result>,
): Promise<{ readonly result: Result; readonly units: readonly number[]; readonly total: number }> {
  let spent = 0;
  const spend = (more: number): boolean => {
    spent += more;
    if (spent < 5_000) return false;
    spent = 0;
    return true;
  };
  atOnce(begin(UNBOUNDED_WORK));
  const steps = begin({ ...UNBOUNDED_WORK, spend });
  let step: IteratorResult<void, Result> | undefined;
  const inPieces = function* (): Generator<() => void> {
    while (step?.done !== true) yield () => (step = steps.next());
  };
  const units = await unitsOfEach(inPieces());
  if (step?.done !== true) throw new Error('the steps have not ended');
  return { result: step.value, units, total: units.reduce((sum, piece) => sum + piece, 0) };
}
