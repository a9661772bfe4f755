import type { DeepPartial } from '../../client/index.js';
import {
  aCount,
  checkOptions,
  chosenDialect,
  dialects,
  either,
  isJsonObject,
  loading,
  matching,
  oneOf,
  orch,
  shown,
  type Dialect,
  type JsonObject,
  type OptionChecks,
} from '../../foundation/index.js';
import type { InputOf, ResourceDefinition } from '../../registry/index.js';
import type { Faker } from './faker.js';

/** Options of {@link fake}. */
export interface FakeOptions<Input> {
  /** Determines the object: the same seed gives the same one. Default 0. */
  readonly seed?: number | string | undefined;
  /**
   * Fields that the object has whatever the seed, as a merge patch: null removes a field, a list replaces the other. They
   * are not checked: a test may want an invalid object.
   */
  readonly overrides?: DeepPartial<Input> | undefined;
  /** Maximum number of optional fields that are added at random. Default 0: the object has only what it needs. */
  readonly optional?: number | undefined;
  /** Dialect of the server, which sets apiVersion; default `orch`. */
  readonly dialect?: Dialect | 'orch' | 'kubernetes' | undefined;
}

/** The input of an object with its apiVersion and kind. */
export type FakeOf<Definition> = InputOf<Definition> & { readonly apiVersion: string; readonly kind: string };

/** The checks of the options of {@link fake}. */
export const fakeChecks: OptionChecks<FakeOptions<never>> = {
  seed: matching('a number or a string', (value) => typeof value === 'number' || typeof value === 'string'),
  overrides: matching('an object', (value) => isJsonObject(value)),
  optional: aCount('fields'),
  dialect: either(
    matching('a dialect', (value) => typeof value === 'object' && value !== null && 'groupSuffix' in value),
    oneOf(...dialects.keys()),
  ),
};

/** Returns the maker of the objects of a kind. @throws TypeError for a value that is not a kind */
export async function fakerOf(
  subject: string,
  kind: ResourceDefinition,
  dialect: Dialect | string = orch,
): Promise<Faker> {
  const given: unknown = kind;
  if (typeof given !== 'object' || given === null || !('plural' in given))
    throw new TypeError(
      `${subject}: the first argument must be a kind, such as Pod or the result of defineResource, got ${shown(given)}`,
    );
  const { Faker: Loaded } = await loading(import('./faker.js'));
  return Loaded.load(kind, chosenDialect(dialect));
}

/**
 * Makes an object of a kind that a server accepts: valid by its schema and by its validation, also for kinds of custom
 * resource definitions and their rules. It has a name, and no namespace.
 *
 * ```
 * await test.client.resource(Pod).namespace('default').create(await fake(Pod, { seed: 1 }));
 * ```
 *
 * @throws TypeError for an invalid argument; Error when no valid object of a custom kind is found, with the reasons
 */
export async function fake<Definition extends ResourceDefinition>(
  kind: Definition,
  options: FakeOptions<InputOf<Definition>> = {},
): Promise<FakeOf<Definition>> {
  checkOptions('fake', options, fakeChecks);
  const { seed = 0, optional = 0, dialect } = options;
  const overrides = (options.overrides ?? {}) as JsonObject;
  const faker = await fakerOf('fake', kind, dialect);
  const base = faker.base(String(seed), overrides);
  const additions = Array.from({ length: optional }, (_, index) => index);
  // The schema of the kind, by which it was checked, guarantees its type.
  return faker.add(base, String(seed), additions, overrides) as FakeOf<Definition>;
}
