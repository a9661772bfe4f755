import { integerWithin } from '../json/int64.js';

/** A version of semver.org, 2.0.0, without its build. */
export interface SemanticVersion {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  /** The identifiers of a pre-release, such as `alpha` and `1`; empty for a release. */
  readonly preRelease: readonly string[];
}

const NUMBER = '(0|[1-9][0-9]*)';
const PRE = '(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)';
const BUILD = '[0-9a-zA-Z-]+';
const FORM = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${PRE}(?:\\.${PRE})*))?(?:\\+${BUILD}(?:\\.${BUILD})*)?$`,
);

const DIGITS = /^[0-9]+$/;
const MAX_UINT64 = 2n ** 64n - 1n;

const isTooGreat = (text: string): boolean => DIGITS.test(text) && integerWithin(text, 0n, MAX_UINT64) === undefined;

/** Parses a version; undefined when the text is not one, or has a number of more than 64 bits, as in Kubernetes. */
export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const parts = FORM.exec(text);
  if (parts === null) return undefined;
  const [, major = '0', minor = '0', patch = '0', preRelease] = parts;
  const identifiers = preRelease === undefined ? [] : preRelease.split('.');
  if ([major, minor, patch].some(isTooGreat) || identifiers.some(isTooGreat)) return undefined;
  return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], preRelease: identifiers };
}

/** Compares two versions by precedence: negative when the first is lower. */
export function compareSemanticVersions(one: SemanticVersion, other: SemanticVersion): number {
  for (const [index, number] of one.numbers.entries()) {
    const difference = number - (other.numbers[index] ?? 0n);
    if (difference !== 0n) return difference < 0n ? -1 : 1;
  }
  return comparePreReleases(one.preRelease, other.preRelease);
}

function comparePreReleases(one: readonly string[], other: readonly string[]): number {
  // A release is higher than its pre-releases.
  if (one.length === 0 || other.length === 0) return other.length - one.length;
  for (const [index, identifier] of one.entries()) {
    const against = other[index];
    if (against === undefined) return 1;
    const order = compareIdentifiers(identifier, against);
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

function compareIdentifiers(one: string, other: string): number {
  const isNumber = DIGITS.test(one);
  if (isNumber !== DIGITS.test(other)) return isNumber ? -1 : 1;
  if (isNumber && one.length !== other.length) return one.length - other.length;
  return one === other ? 0 : one < other ? -1 : 1;
}
