/**
 * The authorization configuration file, reloaded while the server runs.
 *
 * @module
 */
import type { Clock } from '../../meta/clock.js';
import { messageOf } from '../../meta/error-message.js';
import type { JsonValue } from '../../meta/json.js';
import type { Logger } from '../../meta/logger.js';
import { watchReloadedFile, type ReloadedFile, type ReloadMetrics } from '../../meta/reloaded-file.js';
import { parseAuthorizationConfiguration } from './parse.js';
import type { AuthorizationConfiguration, AuthorizerType } from './types.js';
import { checkAuthorizationConfiguration, type AuthorizationConfigurationRules } from './validate.js';

/** What loading the file needs. */
export interface AuthorizationConfigurationFileOptions {
  /** Reads YAML or JSON; throws for text that is none, and for a field that is there twice. */
  readonly parseText: (text: string) => JsonValue | Promise<JsonValue>;
  readonly rules: AuthorizationConfigurationRules;
}

/**
 * Loads a configuration from the text of its file.
 *
 * @throws Error with all that is wrong, in production's words
 */
export async function loadAuthorizationConfiguration(
  text: string,
  { parseText, rules }: AuthorizationConfigurationFileOptions,
): Promise<AuthorizationConfiguration> {
  return checkAuthorizationConfiguration(await readText(text, parseText, rules), rules);
}

/** An empty file is an empty configuration, as in the production system. */
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

/** What {@link watchAuthorizationConfiguration} needs. */
export interface AuthorizationConfigurationWatchOptions extends AuthorizationConfigurationFileOptions {
  /** The file that is in use already. */
  readonly initial: { readonly text: string; readonly configuration: AuthorizationConfiguration };
  readonly read: () => string | Promise<string>;
  /** Builds the new authorizers and puts them in the place of the old ones. */
  readonly apply: (configuration: AuthorizationConfiguration, signal: AbortSignal) => void | Promise<void>;
  readonly onChange?: ((changed: () => void) => () => void) | undefined;
  readonly clock: Clock;
  /** Default one minute. */
  readonly pollMs?: number | undefined;
  readonly log?: Logger | undefined;
  /**
   * Default none. Production's names are `apiserver_authorization_config_controller_automatic_reloads_total` and
   * `…_automatic_reload_last_timestamp_seconds`, both with the labels `status` (`success`, `failure`) and `apiserver_id_hash`.
   */
  readonly metrics?: ReloadMetrics | undefined;
}

/**
 * Watches the file. A file that is bad leaves in use what is in use; so does one that takes away an authorizer that is no
 * webhook, or brings one that follows objects or a file of its own.
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

/** What only a start can bring. */
const STARTED: ReadonlySet<AuthorizerType> = new Set<AuthorizerType>(['ABAC', 'Node', 'RBAC']);

function fixedTypes({ authorizers }: AuthorizationConfiguration): ReadonlySet<AuthorizerType> {
  return new Set(authorizers.flatMap(({ type }) => (type === 'Webhook' ? [] : [type])));
}

function checkTypes(before: ReadonlySet<AuthorizerType>, after: ReadonlySet<AuthorizerType>): void {
  const missing = [...before].filter((type) => !after.has(type)).sort();
  if (missing.length > 0) throw new Error(`missing required types: [${missing.join(' ')}]`);
  const added = [...after].find((type) => STARTED.has(type) && !before.has(type));
  if (added !== undefined)
    throw new Error(`authorizer type ${added} is not allowed if it was not enabled at initial server startup`);
}
