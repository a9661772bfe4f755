import type { Dialect } from '../names/dialect.js';

/** Release of the production system whose behaviour this server has. */
export const API_RELEASE = { major: '1', minor: '31', patch: '0' } as const;

/** What `/version` answers. Every value is a string: clients parse `minor` with a trailing `+` as well. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** What the server knows about its own build; the core cannot find it out. */
export interface VersionOptions {
  /** Version of this package; becomes build metadata of `gitVersion`. */
  readonly packageVersion?: string;
  readonly gitCommit?: string;
  /** RFC 3339. Default the epoch: an unknown date must still be one. */
  readonly buildDate?: string;
  /** Name and version of the language runtime, e.g. `node22.1.0`; stands where clients expect the compiler's version. */
  readonly runtime?: string;
  /** `os/architecture`, e.g. `linux/amd64`. */
  readonly platform?: string;
}

/** The body of `/version`. */
export function versionInfo(dialect: Dialect, options: VersionOptions = {}): VersionInfo {
  const { major, minor, patch } = API_RELEASE;
  const build = options.packageVersion === undefined ? dialect.product : `${dialect.product}.${options.packageVersion}`;
  return {
    major,
    minor,
    gitVersion: `v${major}.${minor}.${patch}+${build}`,
    gitCommit: options.gitCommit ?? '',
    gitTreeState: options.gitCommit === undefined ? '' : 'clean',
    buildDate: options.buildDate ?? '1970-01-01T00:00:00Z',
    goVersion: options.runtime ?? 'unknown',
    compiler: 'typescript',
    platform: options.platform ?? 'unknown/unknown',
  };
}
