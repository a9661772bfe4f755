/**
 * The priority order of versions.
 *
 * @module
 */

const LEVELS = ['', 'beta', 'alpha'] as const;

interface Parsed {
  /** 0 stable, 1 beta, 2 alpha, 3 any other form. */
  readonly level: number;
  readonly major: number;
  readonly minor: number;
}

function parse(version: string): Parsed {
  const match = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/.exec(version);
  if (match === null) return { level: 3, major: 0, minor: 0 };
  return {
    level: LEVELS.findIndex((level) => level === (match[2] ?? '')),
    major: Number(match[1]),
    minor: Number(match[3] ?? 0),
  };
}

/**
 * Compares versions: stable before beta before alpha, each with the greater number first (`v2`, `v1`, `v1beta2`,
 * `v1beta1`, `v1alpha1`). Versions of any other form come last, in alphabetical order.
 */
export function compareVersions(a: string, b: string): number {
  const left = parse(a);
  const right = parse(b);
  if (left.level !== right.level) return left.level - right.level;
  if (left.level === 3) return a < b ? -1 : a > b ? 1 : 0;
  return right.major - left.major || right.minor - left.minor;
}
