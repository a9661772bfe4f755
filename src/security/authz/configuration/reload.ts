/**
 * Reloads the authorization configuration file while the server runs.
 *
 * @module
 */
import {
  messageOf,
  watchReloadedFile,
  type Clock,
  type JsonValue,
  type Logger,
  type ReloadedFile,
  type ReloadMetrics,
} from '../../../foundation/index.js';
import { parseAuthorizationConfiguration } from './parse.js';
import type { AuthorizationConfiguration, AuthorizerType } from './types.js';
import { checkAuthorizationConfiguration, type AuthorizationConfigurationRules } from './validate.js';

/** Options of {@link loadAuthorizationConfiguration}. */
export interface AuthorizationConfigurationFileOptions {
  /** Parses YAML or JSON. Throws for invalid text and for duplicate fields. */
  readonly parseText: (text: string) => JsonValue | Promise<JsonValue>;
  readonly rules: AuthorizationConfigurationRules;
}

/**
 * Loads a configuration from the text of its file.
 *
 * @throws Error with all errors, in the words of Kubernetes
 */
export async function loadAuthorizationConfiguration(
  text: string,
  { parseText, rules }: AuthorizationConfigurationFileOptions,
): Promise<AuthorizationConfiguration> {
  return checkAuthorizationConfiguration(await readText(text, parseText, rules), rules);
}

/** An empty file is an empty configuration, as in Kubernetes. */
async function readText(
  text: string,
  parseText: AuthorizationConfigurationFileOptions['parseText'],
  { dialect }: AuthorizationConfigurationRules,
) {
  if (text === '') return { authorizers: [] };
  try {
    return parseAuthorizationConfiguration(await parseText(text), dialect);
  } catch (error) {
    throw new Error(`failed to load AuthorizationConfiguration from file: ${messageOf(error)}`, { cause: error });
  }
}

/** Options of {@link watchAuthorizationConfiguration}. */
export interface AuthorizationConfigurationWatchOptions extends AuthorizationConfigurationFileOptions {
  /** The file that is in use. */
  readonly initial: { readonly text: string; readonly configuration: AuthorizationConfiguration };
  readonly read: () => string | Promise<string>;
  /** Builds the new authorizers and replaces the old ones. */
  readonly apply: (configuration: AuthorizationConfiguration, signal: AbortSignal) => void | Promise<void>;
  readonly onChange?: ((changed: () => void) => () => void) | undefined;
  readonly clock: Clock;
  /** Poll interval in milliseconds. Default 60,000. */
  readonly pollMs?: number | undefined;
  readonly log?: Logger | undefined;
  /**
   * Default none. The metrics in Kubernetes are `apiserver_authorization_config_controller_automatic_reloads_total` and
   * `…_automatic_reload_last_timestamp_seconds`, both with the labels `status` (`success`, `failure`) and
   * `apiserver_id_hash`.
   */
  readonly metrics?: ReloadMetrics | undefined;
}

/**
 * Watches the file. An invalid file leaves the current configuration in use. So does a file that removes an authorizer
 * other than a webhook, or adds one that needs objects or a file of its own.
 */
export function watchAuthorizationConfiguration(options: AuthorizationConfigurationWatchOptions): ReloadedFile {
  const { initial, rules: _rules, parseText: _parseText, ...watch } = options;
  const before = fixedTypes(initial.configuration);
  return watchReloadedFile({
    ...watch,
    name: 'authorization config',
    text: initial.text,
    load: (text) => loadAuthorizationConfiguration(text, options),
    validate: (configuration) => checkTypes(before, fixedTypes(configuration)),
  });
}

/** Types that can be added only at startup. */
const STARTUP_TYPES: ReadonlySet<AuthorizerType> = new Set<AuthorizerType>(['ABAC', 'Node', 'RBAC']);

function fixedTypes({ authorizers }: AuthorizationConfiguration): ReadonlySet<AuthorizerType> {
  return new Set(authorizers.flatMap(({ type }) => (type === 'Webhook' ? [] : [type])));
}

function checkTypes(before: ReadonlySet<AuthorizerType>, after: ReadonlySet<AuthorizerType>): void {
  const missing = [...before].filter((type) => !after.has(type)).sort();
  if (missing.length > 0) throw new Error(`missing required types: [${missing.join(' ')}]`);
  const added = [...after].find((type) => STARTUP_TYPES.has(type) && !before.has(type));
  if (added !== undefined)
    throw new Error(`authorizer type ${added} is not allowed if it was not enabled at initial server startup`);
}
