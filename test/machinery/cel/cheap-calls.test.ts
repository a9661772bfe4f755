/** Calls that cost little in Kubernetes, however long their operands are, do little or count what they do. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { smallerSize } from '../../../src/machinery/cel/cost/meter.js';
import {
  CelCostError,
  CelFailure,
  createCelEnvironment,
  dynType,
  fromJson,
  stringType,
  type CelValue,
} from '../../../src/machinery/cel/index.js';

const wide = 'a\u{1f601}\u00e9'.repeat(50_000);
const variables = { s: stringType, d: dynType, rounds: dynType };

interface Counted {
  readonly result: unknown;
  readonly cost: number;
  /** Units of work and cost that the evaluation has reported. */
  readonly units: number;
}

async function counted(
  expression: string,
  values: Readonly<Record<string, CelValue>>,
  costLimit?: number,
): Promise<Counted> {
  const environment = await createCelEnvironment({ variables });
  let units = 0;
  const work = { ...UNBOUNDED_WORK, spend: (spent: number) => ((units += spent), false) };
  const program = environment.compile(expression);
  const step = program.attemptInSlices((name) => values[name], work, { costLimit }).next();
  if (step.done !== true) throw new Error('the evaluation has paused');
  const { result, cost } = step.value;
  return { result: result instanceof CelFailure ? result.message : result, cost, units };
}

describe('sizes of two values', () => {
  it.each<[CelValue, CelValue, number]>([
    ['', wide, 0],
    ['ab', wide, 2],
    [wide, '\u{1f601}\u{1f601}', 2],
    ['\u{1f601}'.repeat(6), 'a'.repeat(7), 6],
    ['a'.repeat(11), '\u{1f601}'.repeat(6), 6],
    [wide, `${wide}a`, 150_000],
    [wide, 5n, 1],
    ['', null, 0],
    [fromJson([1, 2, 3]), 'abcd', 3],
    [fromJson([1, 2, 3]), fromJson([1]), 1],
    [new Uint8Array(7), new Uint8Array(9), 7],
  ])('case %#', (a, b, size) => {
    expect(smallerSize(a, b)).toBe(size);
    expect(smallerSize(b, a)).toBe(size);
  });
});

describe('characters of a long text', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each([
    ["s == 'a'", 2],
    ["s != 'a'", 2],
    ["'a' < s", 2],
    ["s >= 'a'", 2],
    ['d == s', 3],
    ["s.contains('')", 1],
    ["s.matches('')", 1],
    ["s.find('') == ''", 1],
  ])('are not counted by %s, which costs %i', async (expression, cost) => {
    const read = vi.spyOn(String.prototype, 'charCodeAt');
    const { cost: actual } = await counted(expression, { s: wide, d: 1n });
    expect(read.mock.contexts.filter((text) => String(text).length === wide.length).length).toBeLessThan(10);
    expect(actual).toBe(cost);
  });
});

describe('the parts of a long URL', () => {
  const url = `http://a/${'%41/'.repeat(5_000)}?${'a=1&'.repeat(10_000)}`;
  const rounds = fromJson(Array.from({ length: 10 }, (_, index) => index));

  it('its query is made at a cost of work', async () => {
    const { result, units } = await counted('[url(s)].all(u, rounds.all(x, u.getQuery().size() == 1))', {
      s: url,
      rounds,
    });
    expect(result).toBe(true);
    expect(units).toBeGreaterThan(10 * 4 * 10_000);
  });

  it('the work of many queries has a limit', async () => {
    const expression = '[url(s)].all(u, rounds.all(x, u.getQuery().size() == 1))';
    await expect(counted(expression, { s: url, rounds }, 20_000)).rejects.toThrow(CelCostError);
  });

  it('its normal form is made once', async () => {
    const written = vi.spyOn(JSON, 'stringify');
    const { result } = await counted('[url(s)].all(u, rounds.all(x, u == u && u.getEscapedPath() != ""))', {
      s: url,
      rounds,
    });
    expect(written.mock.calls.filter(([value]) => typeof value === 'object' && 'query' in value)).toHaveLength(1);
    written.mockRestore();
    expect(result).toBe(true);
  });
});

describe('time zones', () => {
  it('each costs work, known or not', async () => {
    const rounds = fromJson(Array.from({ length: 200 }, (_, index) => index));
    const expression = 'rounds.all(x, timestamp("2024-01-01T00:00:00Z").getHours("Europe/Berlin") == 1)';
    const { result, units } = await counted(expression, { rounds });
    expect(result).toBe(true);
    expect(units).toBeGreaterThan(200 * 2_000);
  });

  it('a text that is too long for one is not looked up', async () => {
    const looked = vi.spyOn(Intl, 'DateTimeFormat');
    const { result } = await counted('timestamp("2024-01-01T00:00:00Z").getHours(s) == 1', { s: wide });
    expect(looked).not.toHaveBeenCalled();
    looked.mockRestore();
    expect(result).toBe(`unknown time zone ${wide}`);
  });
});
