/**
 * The flag `--runtime-config`: which versions and resources are served (contract, section "Versioning").
 *
 * By default stable versions are on, alpha versions are off, and beta versions are off except those in `enabledBetas`.
 * A resource overrides its version, a version overrides its level (`api/ga`, `api/beta`, `api/alpha`), and a level
 * overrides `api/all`. `api/legacy`, which no release has any more, is an unknown group as in Kubernetes 1.31.
 *
 * @module
 */
import { messageOf } from '../../foundation/index.js';
import { parseBool, parsePairs } from './flag-values.js';

/** A group and version. The core group is the empty string. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Known versions to check the flag against, and defaults. */
export interface RuntimeConfigOptions {
  /** Every version that the server can serve. Without it versions are not checked, because custom kinds may follow. */
  readonly registered?: readonly GroupVersion[] | undefined;
  /** Beta versions that are on by default: those that succeed betas introduced before Kubernetes 1.22. */
  readonly enabledBetas?: readonly GroupVersion[] | undefined;
}

type Level = 'api/ga' | 'api/beta' | 'api/alpha';

const LEVEL_KEYS: ReadonlySet<string> = new Set(['api/all', 'api/ga', 'api/beta', 'api/alpha']);

const groupVersionKey = (group: string, version: string): string => `${group}/${version}`;

/** Returns the level of a version by its form: `v1`, `v1beta1`, `v1alpha1`. Any other form counts as alpha. */
function levelOf(version: string): Level {
  if (/^v[0-9]+$/.test(version)) return 'api/ga';
  return version.includes('beta') ? 'api/beta' : 'api/alpha';
}

/** The versions and resources that are served. Immutable. */
export class RuntimeConfig {
  readonly #values: ReadonlyMap<string, boolean>;
  readonly #enabledBetas: ReadonlySet<string>;

  private constructor(values: ReadonlyMap<string, boolean>, enabledBetas: ReadonlySet<string>) {
    this.#values = values;
    this.#enabledBetas = enabledBetas;
  }

  /**
   * Parses the flag: comma-separated pairs `key[=value]`. A key is `group/version`, `group/version/resource`,
   * `api/all`, `api/ga`, `api/beta` or `api/alpha`; the default value is `true`. The core version is `/v1`.
   *
   * @throws Error in Kubernetes' words for an invalid key, an unknown group or version, a value that is not a boolean,
   *   or `api/all=false` alone, which would leave nothing to serve
   */
  static parse(text: string, options: RuntimeConfigOptions = {}): RuntimeConfig {
    const given = new Map(parsePairs(text).map(({ key, value }) => [key, value ?? '']));
    if (given.size === 1 && given.get('api/all') === 'false') throw new Error('invalid key with only api/all=false');
    if (options.registered !== undefined) checkGroups(given.keys(), options.registered);
    const values = new Map<string, boolean>();
    for (const [key, value] of given) {
      if (!LEVEL_KEYS.has(key)) checkKey(key, options.registered);
      values.set(key, valueOf(key, value));
    }
    return new RuntimeConfig(
      values,
      new Set(options.enabledBetas?.map(({ group, version }) => groupVersionKey(group, version))),
    );
  }

  /** Returns whether a version or resource is served. A version with only some resources enabled counts as disabled. */
  isEnabled(group: string, version: string, resource?: string): boolean {
    const key = groupVersionKey(group, version);
    const level = levelOf(version);
    const named =
      (resource === undefined ? undefined : this.#values.get(`${key}/${resource}`)) ?? this.#values.get(key);
    return (
      named ??
      this.#values.get(level) ??
      this.#values.get('api/all') ??
      (level === 'api/ga' || (level === 'api/beta' && this.#enabledBetas.has(key)))
    );
  }
}

/** A level takes only the exact words; a version or resource takes every spelling of a boolean. */
function valueOf(key: string, value: string): boolean {
  if (value === '') return true;
  if (LEVEL_KEYS.has(key)) {
    if (value !== 'true' && value !== 'false') throw new Error(`invalid value ${key}=${value}`);
    return value === 'true';
  }
  try {
    return parseBool(value);
  } catch (error) {
    throw new Error(`invalid value of ${key}: ${value}, err: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Refuses unknown groups. All groups are checked before any version, so that the error names a mistyped group. */
function checkGroups(keys: Iterable<string>, registered: readonly GroupVersion[]): void {
  const known = new Set(registered.map(({ group }) => group));
  const unknown = new Set<string>();
  for (const key of keys) {
    if (LEVEL_KEYS.has(key)) continue;
    const { group } = splitKey(key);
    if (!known.has(group)) unknown.add(group);
  }
  if (unknown.size > 0) throw new Error(`unknown api groups ${[...unknown].join(',')}`);
}

function checkKey(key: string, registered: readonly GroupVersion[] | undefined): void {
  const { group, version, resource } = splitKey(key);
  if (registered?.some((known) => known.group === group && known.version === version) === false) {
    throw new Error(`group version ${group === '' ? version : `${group}/${version}`} that has not been registered`);
  }
  if (resource !== undefined && resource !== resource.toLowerCase()) {
    throw new Error(
      `invalid key ${key}: group/version/resource and resource is always lowercase plural, not "${resource}"`,
    );
  }
}

function splitKey(key: string): { group: string; version: string; resource: string | undefined } {
  const [group, version, resource, ...rest] = key.split('/');
  if (group === undefined || version === undefined || rest.length > 0)
    throw new Error(`runtime-config invalid key ${key}`);
  return { group, version, resource };
}
