/**
 * The authentication configuration file, reloaded while the server runs.
 *
 * @module
 */
import type { Clock } from '../../meta/clock.js';
import { aggregateText, forbidden } from '../../meta/field-error.js';
import { equalJson, type JsonValue } from '../../meta/json.js';
import type { Logger } from '../../meta/logger.js';
import { watchReloadedFile, type ReloadedFile, type ReloadMetrics } from '../../meta/reloaded-file.js';
import { parseAuthenticationConfiguration } from './parse.js';
import type { AnonymousConfiguration, AuthenticationConfiguration } from './types.js';
import { validateAuthenticationConfiguration, type AuthenticationConfigurationRules } from './validate.js';

/** What loading the file needs. */
export interface AuthenticationConfigurationFileOptions {
  /** Reads YAML or JSON; throws for text that is none, and for a field that is there twice. */
  readonly parseText: (text: string) => JsonValue | Promise<JsonValue>;
  readonly rules: AuthenticationConfigurationRules;
}

/**
 * Loads a configuration from the text of its file.
 *
 * @throws Error with all that is wrong, in production's words
 */
export async function loadAuthenticationConfiguration(
  text: string,
  options: AuthenticationConfigurationFileOptions,
): Promise<AuthenticationConfiguration> {
  const configuration = await readText(text, options);
  const errors = await validateAuthenticationConfiguration(configuration, options.rules);
  if (errors.length > 0) throw new Error(aggregateText(errors));
  return configuration;
}

async function readText(
  text: string,
  { parseText, rules }: AuthenticationConfigurationFileOptions,
): Promise<AuthenticationConfiguration> {
  if (text === '') throw new Error('empty config data');
  return parseAuthenticationConfiguration(await parseText(text), rules.dialect);
}

/** What {@link watchAuthenticationConfiguration} needs. */
export interface AuthenticationConfigurationWatchOptions extends AuthenticationConfigurationFileOptions {
  /** The file that is in use already. */
  readonly initial: { readonly text: string; readonly configuration: AuthenticationConfiguration };
  readonly read: () => string | Promise<string>;
  /** Builds the new authenticators, waits until they are ready or the signal aborts, and puts them in the place of the old ones. */
  readonly apply: (configuration: AuthenticationConfiguration, signal: AbortSignal) => void | Promise<void>;
  readonly onChange?: ((changed: () => void) => () => void) | undefined;
  readonly clock: Clock;
  /** Default one minute. */
  readonly pollMs?: number | undefined;
  readonly log?: Logger | undefined;
  /**
   * Default none. Production's names are `apiserver_authentication_config_controller_automatic_reloads_total` and
   * `…_automatic_reload_last_timestamp_seconds`, both with the labels `status` (`success`, `failure`) and `apiserver_id_hash`.
   */
  readonly metrics?: ReloadMetrics | undefined;
}

/** Watches the file. A file that is bad, or that changes who is anonymous, leaves in use what is in use. */
export function watchAuthenticationConfiguration(options: AuthenticationConfigurationWatchOptions): ReloadedFile {
  const { initial, rules, parseText: _parseText, ...watch } = options;
  return watchReloadedFile({
    ...watch,
    name: 'authentication config',
    text: initial.text,
    load: (text) => readText(text, options),
    async validate(configuration) {
      const errors = await validateAuthenticationConfiguration(configuration, rules);
      if (!sameAnonymous(initial.configuration.anonymous, configuration.anonymous))
        errors.push(forbidden('anonymous', 'changed from initial configuration file'));
      if (errors.length > 0) throw new Error(aggregateText(errors));
    },
  });
}

function sameAnonymous(a: AnonymousConfiguration | undefined, b: AnonymousConfiguration | undefined): boolean {
  const plain = (anonymous: AnonymousConfiguration | undefined): JsonValue =>
    anonymous === undefined
      ? null
      : { enabled: anonymous.enabled, conditions: (anonymous.conditions ?? []).map(({ path }) => ({ path })) };
  return equalJson(plain(a), plain(b));
}
