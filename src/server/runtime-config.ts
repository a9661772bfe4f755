/**
 * Which versions and resources are served: the flag `--runtime-config` (contract, section "Versioning").
 *
 * By default stable versions are on, alpha is off, and beta is off but for the versions named. A resource named in the
 * flag goes before its version, a version before its level (`api/ga`, `api/beta`, `api/alpha`), a level before `api/all`.
 *
 * @module
 */
import { messageOf } from '../meta/error-message.js';
import { parseBool, parsePairs } from './flag-values.js';

/** A group and version. The core group is the empty string. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** What the flag is checked against, and the defaults. */
export interface RuntimeConfigOptions {
  /** Every version that this server could serve. Without it nothing is checked: custom kinds may come later. */
  readonly registered?: readonly GroupVersion[];
  /** Beta versions that are on by default: those that came before release 1.22. */
  readonly enabledBetas?: readonly GroupVersion[];
}

type Level = 'api/ga' | 'api/beta' | 'api/alpha';

const LEVEL_KEYS: ReadonlySet<string> = new Set(['api/all', 'api/ga', 'api/beta', 'api/alpha']);

const groupVersionKey = (group: string, version: string): string => `${group}/${version}`;

/** Level of a version by its form: `v1`, `v1beta1`, `v1alpha1`. Any other form is as unsettled as alpha. */
function levelOf(version: string): Level {
  if (/^v[0-9]+$/.test(version)) return 'api/ga';
  return version.includes('beta') ? 'api/beta' : 'api/alpha';
}

/** Which versions and resources are served. Immutable. */
export class RuntimeConfig {
  readonly #values: ReadonlyMap<string, boolean>;
  readonly #enabledBetas: ReadonlySet<string>;

  private constructor(values: ReadonlyMap<string, boolean>, enabledBetas: ReadonlySet<string>) {
    this.#values = values;
    this.#enabledBetas = enabledBetas;
  }

  /**
   * Reads the flag: `key[=value]` pairs, comma-separated; a key is `group/version`, `group/version/resource`, `api/all`,
   * `api/ga`, `api/beta` or `api/alpha`, and no value is `true`. The core version is `/v1`.
   *
   * @throws Error in the production system's words for a key that is none, a group or version that does not exist, a
   * value that is no boolean, or `api/all=false` alone, with which nothing would be served
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

  /** Whether a version is served, or a resource of it. A version with only some resources on counts as off. */
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

function valueOf(key: string, value: string): boolean {
  if (value === '') return true;
  try {
    return parseBool(value);
  } catch (error) {
    throw new Error(`invalid value of ${key}: ${value}, err: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Groups come first, all of them, so that a mistyped one is said to be that. */
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
