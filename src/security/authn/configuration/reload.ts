/**
 * Reloads the authentication configuration file while the server runs.
 *
 * @module
 */
import {
  aggregateText,
  equalJson,
  forbidden,
  watchReloadedFile,
  type Clock,
  type JsonValue,
  type Logger,
  type ReloadedFile,
  type ReloadMetrics,
} from '../../../foundation/index.js';
import { parseAuthenticationConfiguration } from './parse.js';
import type { AnonymousConfiguration, AuthenticationConfiguration } from './types.js';
import { validateAuthenticationConfiguration, type AuthenticationConfigurationRules } from './validate.js';

/** Options of {@link loadAuthenticationConfiguration}. */
export interface AuthenticationConfigurationFileOptions {
  /** Parses YAML or JSON. Throws for invalid text and for duplicate fields. */
  readonly parseText: (text: string) => JsonValue | Promise<JsonValue>;
  readonly rules: AuthenticationConfigurationRules;
}

/**
 * Loads a configuration from the text of its file.
 *
 * @throws Error with all errors, in the words of Kubernetes
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

/** Options of {@link watchAuthenticationConfiguration}. */
export interface AuthenticationConfigurationWatchOptions extends AuthenticationConfigurationFileOptions {
  /** The file that is in use. */
  readonly initial: { readonly text: string; readonly configuration: AuthenticationConfiguration };
  readonly read: () => string | Promise<string>;
  /** Builds the new authenticators, waits until they are ready or the signal aborts, and replaces the old ones. */
  readonly apply: (configuration: AuthenticationConfiguration, signal: AbortSignal) => void | Promise<void>;
  readonly onChange?: ((changed: () => void) => () => void) | undefined;
  readonly clock: Clock;
  /** Poll interval in milliseconds. Default 60,000. */
  readonly pollMs?: number | undefined;
  readonly log?: Logger | undefined;
  /**
   * Default none. The metrics in Kubernetes are `apiserver_authentication_config_controller_automatic_reloads_total`
   * and `…_automatic_reload_last_timestamp_seconds`, both with the labels `status` (`success`, `failure`) and
   * `apiserver_id_hash`.
   */
  readonly metrics?: ReloadMetrics | undefined;
}

/** Watches the file. An invalid file, or one that changes anonymous access, leaves the current configuration in use. */
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
