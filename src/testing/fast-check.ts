/**
 * Arbitrary objects of any kind, for properties of fast-check. Requires the optional peer dependency `fast-check`.
 *
 * @module
 */
import * as fc from 'fast-check';
import type { DeepPartial } from '../client/index.js';
import { aCount, checkOptions, type Dialect, type JsonObject, type OptionChecks } from '../foundation/index.js';
import type { InputOf, ResourceDefinition } from '../registry/index.js';
import { fakeChecks, fakerOf, type FakeOf } from './data/fake.js';

/** Options of {@link arbitrary}. */
export interface ArbitraryOptions<Input> {
  /** Fields that every object has, as a merge patch; see `fake`. */
  readonly overrides?: DeepPartial<Input> | undefined;
  /** Maximum number of optional fields of an object. Default 8. */
  readonly maxOptional?: number | undefined;
  /** Dialect of the server, which sets apiVersion; default `orch`. */
  readonly dialect?: Dialect | 'orch' | 'kubernetes' | undefined;
}

const { overrides, dialect } = fakeChecks;
const checks: OptionChecks<ArbitraryOptions<never>> = { overrides, dialect, maxOptional: aCount('fields') };

/**
 * Returns arbitrary valid objects of a kind, as `fake` makes them. A counterexample shrinks to the optional fields that
 * it needs.
 *
 * ```
 * const pods = await arbitrary(Pod);
 * await fc.assert(fc.asyncProperty(pods, async (pod) => { … }));
 * ```
 *
 * @throws TypeError for an invalid argument; Error when no valid object of a custom kind is found, with the reasons
 */
export async function arbitrary<Definition extends ResourceDefinition>(
  kind: Definition,
  options: ArbitraryOptions<InputOf<Definition>> = {},
): Promise<fc.Arbitrary<FakeOf<Definition>>> {
  checkOptions('arbitrary', options, checks);
  const { maxOptional = 8 } = options;
  const fields = (options.overrides ?? {}) as JsonObject;
  const faker = await fakerOf('arbitrary', kind, options.dialect);
  // Fails now, rather than in the first run.
  faker.base('0', fields);
  const additions = Array.from({ length: maxOptional }, (_, index) => index);
  return fc
    .tuple(fc.noShrink(fc.nat()), fc.subarray(additions))
    .map(
      ([seed, chosen]) =>
        faker.add(faker.base(String(seed), fields), String(seed), chosen, fields) as FakeOf<Definition>,
    );
}
