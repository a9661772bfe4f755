import type { Dialect } from '../../foundation/index.js';

/** Kubernetes release whose behaviour this server follows. */
export const API_RELEASE = { major: '1', minor: '31', patch: '0' } as const;

/** The body of `/version`. Every value is a string; clients accept a `minor` with a trailing `+`. */
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

/** Build information, which the core cannot determine itself. */
export interface VersionOptions {
  /** Version of this package, used as build metadata of `gitVersion`. */
  readonly packageVersion?: string | undefined;
  readonly gitCommit?: string | undefined;
  /** Build date in RFC 3339. Default the Unix epoch, because clients require a date. */
  readonly buildDate?: string | undefined;
  /** Name and version of the language runtime, e.g. `node22.1.0`; reported as `goVersion`. */
  readonly runtime?: string | undefined;
  /** `os/architecture`, e.g. `linux/amd64`. */
  readonly platform?: string | undefined;
}

/** Returns the body of `/version`. */
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
