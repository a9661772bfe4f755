/**
 * Semantic versions: `semver(text)`, `isSemver(text)` and comparison.
 *
 * @module
 */
import { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from '../../../foundation/index.js';
import { textCost } from '../cost/meter.js';
import { failure } from '../evaluate/failures.js';
import { CelOpaque, type CelValue } from '../evaluate/values.js';
import { declare, method, overload, type CelLibrary, type FunctionDeclaration } from '../types/declarations.js';
import { boolType, intType, opaqueType, stringType, type CelType } from '../types/types.js';
import { textTraversal } from './estimates.js';

/** A semantic version. */
class SemverValue extends CelOpaque {
  readonly typeName = 'kubernetes.Semver';
  readonly version: SemanticVersion;

  constructor(version: SemanticVersion) {
    super();
    this.version = version;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof SemverValue && compareSemanticVersions(this.version, other.version) === 0;
  }
}

const semverType = opaqueType('kubernetes.Semver', SemverValue);

const costOf = ([text]: readonly [string]): number => textCost(text);

const withVersion = (name: string, id: string, result: CelType, of: (order: number) => CelValue): FunctionDeclaration =>
  declare(
    name,
    method(id, [semverType, semverType], result, ([a, b]) => of(compareSemanticVersions(a.version, b.version))),
  );

const part = (name: string, index: 0 | 1 | 2): FunctionDeclaration =>
  declare(
    name,
    method(`semver_${name}`, [semverType], intType, ([{ version }]) => version.numbers[index]),
  );

/** The functions on semantic versions. */
export const semverLibrary: CelLibrary = {
  name: 'semver',
  types: [semverType],
  functions: [
    declare('semver', {
      ...overload(
        'string_to_semver',
        [stringType],
        semverType,
        ([text]) => {
          const version = parseSemanticVersion(text);
          return version === undefined ? failure('Invalid Semantic Version') : new SemverValue(version);
        },
        costOf,
      ),
      estimate: textTraversal,
    }),
    declare('isSemver', {
      ...overload(
        'is_semver_string',
        [stringType],
        boolType,
        ([text]) => parseSemanticVersion(text) !== undefined,
        costOf,
      ),
      estimate: textTraversal,
    }),
    withVersion('compareTo', 'semver_compare_to', intType, (order) => BigInt(Math.sign(order))),
    withVersion('isGreaterThan', 'semver_is_greater_than', boolType, (order) => order > 0),
    withVersion('isLessThan', 'semver_is_less_than', boolType, (order) => order < 0),
    part('major', 0),
    part('minor', 1),
    part('patch', 2),
  ],
};
