import { expect, test } from 'vitest';
import { customKinds } from '../../../src/kinds/custom/kinds.js';
import { noConversion } from '../../../src/kinds/custom/versions.js';
import { DEFAULT_DEFINITION_LIMITS } from '../../../src/foundation/objects/definition-limits.js';
import type { FieldError } from '../../../src/foundation/errors/field-error.js';
import { systemClock, systemEntropy } from '../../../src/foundation/index.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import type { StoredObject } from '../../../src/foundation/objects/object.js';
import { UNBOUNDED_WORK, type Steps, type Work } from '../../../src/foundation/work/work.js';
import { kubernetes } from '../../../src/foundation/index.js';
import type { RequestContext } from '../../../src/registry/store/context.js';
import type { ResourceDefinition } from '../../../src/registry/definition/definition.js';
import { ResourceInfo } from '../../../src/registry/definition/resource-info.js';
import { validateDefinition, type Definition } from '../../../src/kinds/builtin/apiextensions/validation/index.js';
import { loadRules, ruleChecks } from '../../../src/machinery/cel-rules/index.js';
import { readObject } from '../../../src/machinery/index.js';
import { definition } from '../../kinds/builtin/apiextensions/world.js';
import { Chance } from './chance.js';
import { DefinitionMaker } from './definitions.js';

const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
/** Cases: a case is a definition, or an object of one. */
const CASES = Number(process.env['FUZZ_DEFINITIONS'] ?? 5_000);
const OBJECTS = 8;

/** Most units for each character of a definition and its object; each is measured to take a third of it at most. */
const UNITS_OF_CHARACTER = 50;

interface Ran {
  readonly outcome: readonly string[];
  readonly units: number;
}

/** Runs steps, with a pause after every unit or with none. */
function run(pauses: boolean, steps: (work: Work) => Steps<readonly FieldError[]>): Ran {
  let units = 0;
  const spend = (more: number): boolean => {
    units += more;
    return pauses;
  };
  const running = steps({ ...UNBOUNDED_WORK, spend });
  for (;;) {
    const step = running.next();
    if (step.done === true) return { outcome: step.value.map(String), units };
    if (!pauses) throw new Error('paused in a slice that is not used up');
  }
}

/** Runs steps in one piece, in many, and again; all must have the same outcome. */
function same(
  seed: number,
  characters: number,
  steps: (work: Work) => Steps<readonly FieldError[]>,
): readonly string[] {
  const whole = run(false, steps);
  for (const pauses of [true, false])
    expect({ seed, outcome: run(pauses, steps).outcome }).toEqual({ seed, outcome: whole.outcome });
  expect({ seed, isLinear: whole.units <= UNITS_OF_CHARACTER * characters }).toEqual({ seed, isLinear: true });
  return whole.outcome;
}

const contextOf = (work: Work): RequestContext => ({
  user: { username: 'user', groups: [] },
  dialect: kubernetes,
  clock: systemClock,
  entropy: systemEntropy,
  featureGates: { enabled: () => false },
  userAgent: '',
  warn: () => undefined,
  work,
});

type Columns = ReturnType<DefinitionMaker['columns']>;

/** @param other the schema of a second version */
function kindOf(schema: JsonObject, columns: Columns, other: JsonObject): ResourceDefinition {
  const names = { plural: 'things', kind: 'Thing' };
  const version = { served: true, additionalPrinterColumns: columns };
  const versions = [
    { ...version, name: 'v1', storage: true, schema: { openAPIV3Schema: schema } },
    { ...version, name: 'v2', storage: false, schema: { openAPIV3Schema: other } },
  ];
  const [kind] = customKinds({ group: 'example.com', names, scope: 'Namespaced', versions }, kubernetes, noConversion);
  if (kind === undefined) throw new Error('no kind');
  return kind;
}

const NOW = Date.parse('2024-05-01T12:00:00Z');
/** Most characters of a cell. */
const MOST = 64 * 1024;

/** The cells of an object: a column may be invalid, but never fails. */
function cellsOf({ columns = [] }: ResourceDefinition, object: JsonObject): unknown[] {
  return columns.map((column) => {
    if ('jsonPath' in column) throw new Error(`the column ${column.name} has no function`);
    const made = column.cell(object as StoredObject);
    const cell = typeof made === 'function' ? made(NOW) : made;
    expect(String(cell).length).toBeLessThanOrEqual(MOST);
    return cell;
  });
}

/** An object in the other version, and what remains of it after the way there and back; from then on, it stays so. */
function converted({ storedVersions }: ResourceDefinition, object: JsonObject): unknown[] {
  const stored = { ...object, apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'one' } };
  const read = (given: readonly StoredObject[], version: string): readonly StoredObject[] => {
    const found = storedVersions?.read(given, `example.com/${version}`);
    if (found === undefined || found instanceof Promise) throw new Error('the objects are not read at once');
    return found;
  };
  const there = read([stored as StoredObject], 'v2');
  const once = read(read(there, 'v1'), 'v2');
  // The way there has added the defaults of one version, and the way back those of the other.
  const twice = read(read(once, 'v1'), 'v2');
  expect(read(read(twice, 'v1'), 'v2')).toEqual(twice);
  return [there, twice];
}

/** Reads an object as a request would; undefined when its form is refused. */
function read(kind: ResourceDefinition, object: JsonObject): JsonObject | undefined {
  const whole = { ...object, apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'one' } };
  try {
    return readObject(whole, new ResourceInfo(kind, kubernetes).schema, { origin: 'user' }).object as JsonObject;
  } catch (error) {
    if (error instanceof Error && error.name === 'DecodeTypeError') return undefined;
    throw error;
  }
}

test(
  `${CASES} definitions and objects of seed ${SEED} have the same results in slices and when checked again`,
  async () => {
    const checks = ruleChecks(await loadRules());
    const counts = { accepted: 0, refused: 0, valid: 0, invalid: 0 };
    let cases = 0;
    /** The schema that was accepted before, for a second version. */
    let before: JsonObject = { type: 'object' };
    for (let seed = SEED * 1_000_000; cases < CASES; seed += 1) {
      const maker = new DefinitionMaker(new Chance(seed));
      const schema = maker.schema();
      const names = { singular: 'thing', listKind: 'ThingList' };
      const status = { acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'], conditions: null };
      const whole = { ...definition({ schema, names }), status } as unknown as Definition;
      const length = JSON.stringify(schema).length;
      const problems = same(seed, 200 + length, (work) =>
        validateDefinition(whole, {
          ...{ dialect: kubernetes, ruleChecks: checks, limits: DEFAULT_DEFINITION_LIMITS, work },
          warn: () => undefined,
        }),
      );
      cases += 1;
      if (problems.length > 0) {
        counts.refused += 1;
        continue;
      }
      counts.accepted += 1;
      const columns = maker.columns();
      const [kind, other] = [kindOf(schema, columns, before), kindOf(schema, columns, before)];
      before = schema;
      await kind.strategy?.load?.({} as never);
      await other.strategy?.load?.({} as never);
      const [validator, fresh] = [kind.validator?.(), other.validator?.()];
      if (validator === undefined || fresh === undefined) throw new Error('no validator');
      let old: JsonObject | undefined;
      for (let index = 0; index < OBJECTS; index += 1) {
        const object = read(kind, maker.object(schema));
        expect({ seed, object: object && read(kind, object) }).toEqual({ seed, object });
        cases += 1;
        if (object === undefined) continue;
        expect({ seed, cells: cellsOf(other, object) }).toEqual({ seed, cells: cellsOf(kind, object) });
        expect({ seed, converted: converted(other, object) }).toEqual({ seed, converted: converted(kind, object) });
        const size = 200 + length + JSON.stringify(object).length;
        const created = same(seed, size, (work) => validator.validate(object, undefined, contextOf(work)));
        const again = run(true, (work) => fresh.validate(object, undefined, contextOf(work))).outcome;
        expect({ seed, errors: again }).toEqual({ seed, errors: created });
        if (old !== undefined) same(seed, 2 * size, (work) => validator.validate(object, old, contextOf(work)));
        counts[created.length === 0 ? 'valid' : 'invalid'] += 1;
        old = object;
      }
    }
    // All kinds of cases occur.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(CASES / 100);
  },
  600_000 + 100 * CASES,
);
